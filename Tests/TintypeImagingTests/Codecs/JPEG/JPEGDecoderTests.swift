import Foundation
import Testing

@testable import TintypeImaging

@Suite("JPEG decoder") struct JPEGDecoderTests {
    private let decoder = JPEGDecoder()

    private func decode(_ data: Data, isLenient: Bool = false) throws -> DecoderOutput {
        var options = DecodeOptions()
        options.isLenient = isLenient
        return try decoder.decode(data, options: options)
    }

    private func pixelAt(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> Pixel { bitmap.pixel(x, y) }

    /// 40x20 with a colour of its own in each quarter.
    static func corners() throws -> Data {
        let bitmap = try Bitmap.made(40, 20, isOpaque: true) { x, y in
            switch (x < 20, y < 10) {
            case (true, true): Pixel(220, 30, 30)
            case (false, true): Pixel(30, 200, 30)
            case (true, false): Pixel(30, 30, 220)
            case (false, false): Pixel(230, 230, 40)
            }
        }
        return try JPEGFixtures.encoded(bitmap)
    }

    // Scenario S01 of the conformance list.
    @Test("All eight orientations, both byte orders, SHORT and LONG", arguments: 1...8)
    func orientations(value: Int) throws {
        let plain = try Self.corners()
        let (red, green, blue, yellow) = (
            Pixel(220, 30, 30), Pixel(30, 200, 30), Pixel(30, 30, 220), Pixel(230, 230, 40)
        )
        // Top left, top right, bottom left, bottom right, as shown.
        let shown = [
            [red, green, blue, yellow], [green, red, yellow, blue], [yellow, blue, green, red],
            [blue, yellow, red, green],
            [red, blue, green, yellow], [blue, red, yellow, green], [yellow, green, blue, red],
            [green, yellow, red, blue],
        ][value - 1]
        for isBigEndian in [true, false] {
            for isLong in [true, false] {
                let block = ExifBuilder.block(orientation: value, isBigEndian: isBigEndian, isLong: isLong)
                let data = JPEGFixtures.withExif(block, plain)
                let image = try ImageCodecs.standard.decode(data)
                let size = value >= 5 ? PixelSize(width: 20, height: 40) : PixelSize(width: 40, height: 20)
                #expect(image.bitmap.size == size && image.info.size == size)
                #expect(image.info.storedSize == PixelSize(width: 40, height: 20))
                let corners = [
                    pixelAt(image.bitmap, 2, 2), pixelAt(image.bitmap, size.width - 3, 2),
                    pixelAt(image.bitmap, 2, size.height - 3),
                    pixelAt(image.bitmap, size.width - 3, size.height - 3),
                ]
                for (found, expected) in zip(corners, shown) { #expect(found.distance(to: expected) <= 8) }
                // Straight to a target the corners land in the same places.
                var options = DecodeOptions()
                options.target = ResizeTarget(width: 10, height: 10, fit: .fill)
                let small = try ImageCodecs.standard.decode(data, options: options).bitmap
                #expect(small.size == PixelSize(width: 10, height: 10))
                let smallCorners: [Pixel] = [(1, 1), (8, 1), (1, 8), (8, 8)].map { small.pixel($0, $1) }
                for (found, expected) in zip(smallCorners, shown) { #expect(found.distance(to: expected) <= 24) }
                options = DecodeOptions()
                options.appliesOrientation = false
                let kept = try ImageCodecs.standard.decode(data, options: options)
                #expect(kept.bitmap.pixel(2, 2).distance(to: red) <= 8 && kept.info.orientation.rawValue == value)
            }
        }
    }

    // Scenario S01 of the conformance list.
    @Test("Orientations that do not exist count as 1", arguments: [0, 9, 255, 65_535])
    func invalidOrientations(value: Int) throws {
        let plain = try Self.corners()
        for isLong in [true, false] {
            let data = JPEGFixtures.withExif(ExifBuilder.block(orientation: value, isLong: isLong), plain)
            #expect(try decode(data).info.orientation == .up)
        }
        var block = ExifBuilder.block(orientation: 6)
        for length in 0..<block.count {
            _ = block.prefix(length).withUnsafeBytes { ExifOrientation.read($0) }
        }
        // A first directory far outside of the block.
        block.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xF0])
        #expect(block.withUnsafeBytes { ExifOrientation.read($0) } == .up)
    }

    // Scenario S03 of the conformance list.
    @Test("Stored and shown size from the first 64 KB of a file with a large EXIF block")
    func probe() throws {
        let bitmap = try Bitmap.gradient(2048, 1536)
        var data = try JPEGFixtures.encoded(bitmap, quality: 90)
        data = JPEGFixtures.inserting(0xED, [UInt8](repeating: 7, count: 50_000), into: data)
        data = JPEGFixtures.withExif(ExifBuilder.block(orientation: 6), data)
        let info = try ImageCodecs.standard.info(data.prefix(65_536), isComplete: false)
        #expect(info.storedSize == PixelSize(width: 2048, height: 1536))
        #expect(info.size == PixelSize(width: 1536, height: 2048))
        #expect(info.orientation == .right && !info.hasAlpha && info.bitDepth == 8)
        let short = data.prefix(40_000)
        #expect(throws: ImagingError.needsMoreData(.jpeg, byteCount: 50_054)) {
            try ImageCodecs.standard.info(short, isComplete: false)
        }
        #expect(throws: ImagingError.truncated(.jpeg)) { try ImageCodecs.standard.info(short) }
    }

    // Scenarios S05a, S05b of the conformance list.
    @Test("Solid cyan with and without Adobe's marker")
    func cmyk() throws {
        let marked = JPEGFixtures.cyanCMYK
        #expect(marked[2] == 0xFF && marked[3] == 0xEE)
        let bare = marked.prefix(2) + marked.dropFirst(18)
        for data in [marked, Data(bare)] {
            let output = try decode(data)
            #expect(output.bitmap.pixels.allSatisfy { $0.allSatisfy { $0.distance(to: Pixel(0, 255, 255)) <= 4 } })
            #expect(output.info.colorSpace == "CMYK" && output.bitmap.isOpaque)
        }
    }

    // Scenario S05c of the conformance list.
    @Test("YCCK equals the RGB image that it was made from")
    func ycck() throws {
        let bitmap = try decode(JPEGFixtures.ycck).bitmap
        #expect(bitmap.pixel(3, 8).distance(to: Pixel(200, 40, 90)) <= 4)
        #expect(bitmap.pixel(12, 8).distance(to: Pixel(30, 160, 220)) <= 4)
    }

    // Scenario S05d of the conformance list.
    @Test("CMYK through its own profile")
    func profiledCMYK() throws {
        let output = try decode(JPEGFixtures.profiledCMYK)
        #expect(output.bitmap.pixel(8, 8).distance(to: Pixel(15, 0, 255)) <= 3)
        #expect(output.warnings.isEmpty)
    }

    // Scenario S07 of the conformance list.
    @Test("A progressive file cut after, in the middle of, and before its first whole scan")
    func cutProgressive() throws {
        let bitmap = try Bitmap.gradient(160, 120)
        let data = try JPEGFixtures.encoded(bitmap, quality: 85, effort: 9)
        let scans = JPEGFixtures.scanOffsets(data)
        try #require(scans.count > 3)
        func mean(_ bitmap: Bitmap) -> [Double] {
            let all = bitmap.pixels.flatMap { $0 }
            return [\Pixel.red, \.green, \.blue].map { path in
                all.reduce(0.0) { $0 + Double($1[keyPath: path]) } / Double(all.count)
            }
        }
        let whole = mean(try decode(data).bitmap)
        for end in [scans[1], scans[1] + (scans[2] - scans[1]) / 2] {
            let cut = Data(data.prefix(end))
            #expect(throws: ImagingError.truncated(.jpeg)) { try decode(cut) }
            let output = try decode(cut, isLenient: true)
            #expect(output.isPartial)
            #expect(output.bitmap.pixels.allSatisfy { $0.allSatisfy { $0.alpha == 255 } })
            for (found, expected) in zip(mean(output.bitmap), whole) { #expect(abs(found - expected) < 12) }
        }
        let early = Data(data.prefix(scans[0] + 20))
        #expect(throws: ImagingError.truncated(.jpeg)) { try decode(early) }
        #expect(try decode(early, isLenient: true).isPartial)
    }

    @Test("A cut baseline file: strict refuses, lenient shows the rows before the cut")
    func cutBaseline() throws {
        let bitmap = try TestImages.random(width: 64, height: 128, isOpaque: true, seed: 3)
        let data = try JPEGFixtures.encoded(bitmap)
        let cut = Data(data.prefix(data.count / 2))
        #expect(throws: ImagingError.truncated(.jpeg)) { try decode(cut) }
        let whole = try decode(data).bitmap
        let output = try decode(cut, isLenient: true)
        #expect(output.isPartial && !output.bitmap.isOpaque)
        #expect(output.bitmap.pixels[0..<40] == whole.pixels[0..<40])
        #expect(output.bitmap.pixel(10, 120) == .clear)
    }

    @Test("Only the end marker is missing: nothing is lost", arguments: [nil, 9])
    func missingEnd(effort: Int?) throws {
        let bitmap = try Bitmap.gradient(50, 30)
        let data = try JPEGFixtures.encoded(bitmap, effort: effort)
        let output = try decode(Data(data.dropLast(2)))
        #expect(!output.isPartial)
        #expect(output.bitmap.pixels == (try decode(data).bitmap.pixels))
    }

    @Test("A profile in several parts, out of order, is converted; one with a part missing is ignored")
    func profile() throws {
        let bitmap = try Bitmap.made(16, 16, isOpaque: true) { _, _ in Pixel(250, 10, 10) }
        let plain = try JPEGFixtures.encoded(bitmap)
        let swapped = ICCBuilder.rgb(red: ICCBuilder.green, green: ICCBuilder.red, gamma: 2.2)
        let output = try decode(JPEGFixtures.withProfile(swapped, parts: 3, plain))
        #expect(output.bitmap.pixel(8, 8).distance(to: Pixel(10, 250, 10)) <= 12)
        #expect(output.info.colorSpace == "Test profile" && output.warnings.isEmpty)
        let partial = JPEGFixtures.inserting(
            0xE2, Array("ICC_PROFILE\0".utf8) + [1, 2] + swapped.prefix(100), into: plain)
        let ignored = try decode(partial)
        #expect(ignored.bitmap.pixel(8, 8).distance(to: Pixel(250, 10, 10)) <= 3)
        #expect(ignored.warnings.count == 1)
    }

    @Test("Grey, RGB and wrong profiles on a colour image")
    func unsuitableProfiles() throws {
        let bitmap = try Bitmap.made(16, 16, isOpaque: true) { _, _ in Pixel(200, 100, 50) }
        let plain = try JPEGFixtures.encoded(bitmap)
        let link = ICCBuilder.profile(space: "RGB ", deviceClass: "link", tags: [])
        for profile in [ICCBuilder.gray(gamma: 1), Data(repeating: 0x5A, count: 1024), link] {
            let output = try decode(JPEGFixtures.withProfile(profile, parts: 1, plain))
            #expect(output.bitmap.pixels == (try decode(plain).bitmap.pixels))
            #expect(output.warnings.count == 1)
        }
    }

    @Test("A file that promises more than its bytes can hold is refused before memory is taken")
    func promise() throws {
        var data = try JPEGFixtures.encoded(try Bitmap.gradient(16, 16))
        let frame = try #require((0..<data.count - 1).first { data[$0] == 0xFF && data[$0 + 1] == 0xC0 })
        data.replaceSubrange(frame + 5..<frame + 9, with: [0x20, 0, 0x20, 0])
        #expect(throws: ImagingError.truncated(.jpeg)) { try decode(data) }
        data.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: ImagingError.imageTooLarge(width: 65_535, height: 65_535, limit: 100_000_000)) {
            try decode(data)
        }
        data.replaceSubrange(frame + 5..<frame + 9, with: [0, 16, 0, 0])
        #expect(throws: ImagingError.corrupt(.jpeg, "its size is 0x16")) { try decode(data) }
    }

    @Test("A progressive file with thousands of scans is refused")
    func scanBomb() throws {
        let data = try JPEGFixtures.encoded(try Bitmap.gradient(64, 64), effort: 9)
        let scans = JPEGFixtures.scanOffsets(data)
        try #require(scans.count > 2)
        // The last scan again and again: each refines what is refined already, which libjpeg only warns about.
        let last = data[scans[scans.count - 1]..<data.count - 2]
        var bomb = data.dropLast(2)
        for _ in 0..<2000 { bomb += last }
        #expect(throws: ImagingError.corrupt(.jpeg, "more than 500 scans")) { try decode(Data(bomb + [0xFF, 0xD9])) }
    }

    @Test("Straight to a target: near the image that was decoded whole and resized")
    func target() throws {
        let bitmap = try TestImages.make(width: 800, height: 600, isOpaque: true) { x, y in
            let wave = 128 + 90 * sin(Double(x) / 23) * cos(Double(y) / 31)
            return (UInt8(wave), UInt8(x * 255 / 799), UInt8(y * 255 / 599), 255)
        }
        let data = try JPEGFixtures.encoded(bitmap)
        var options = DecodeOptions()
        options.target = ResizeTarget(width: 100, height: 100)
        let small = try ImageCodecs.standard.decode(data, options: options).bitmap
        #expect(small.size == PixelSize(width: 100, height: 75) && small.isOpaque)
        let reference = try decode(data).bitmap.resized(to: ResizeTarget(width: 100, height: 100))
        let distance = try #require(small.distance(to: reference))
        #expect(distance <= 6)
    }

    @Test("Cut and damaged files: an error or an image, never a crash", arguments: [nil, 9])
    func hostile(effort: Int?) throws {
        let data = try JPEGFixtures.encoded(try Bitmap.gradient(24, 20), quality: 60, effort: effort)
        let hostile = HostileBytes(decoder, JPEGFixtures.withExif(ExifBuilder.block(orientation: 5), data))
        // The last bits of the scan may be unused padding.
        hostile.truncateEverywhere(needed: data.count - 8)
        hostile.flipBits(rounds: 600)
        HostileBytes(decoder, JPEGFixtures.profiledCMYK).flipBits(rounds: 300)
    }
}
