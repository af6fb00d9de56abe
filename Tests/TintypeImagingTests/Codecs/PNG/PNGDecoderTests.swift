import Foundation
import Testing

@testable import TintypeImaging

@Suite("PNG decoder") struct PNGDecoderTests {
    private let decoder = PNGDecoder()

    private func decode(_ data: Data, isLenient: Bool = false) throws -> DecoderOutput {
        var options = DecodeOptions()
        options.isLenient = isLenient
        return try decoder.decode(data, options: options)
    }

    /// Every colour type with every depth that goes with it.
    static let kinds: [(type: Int, depth: Int)] = [
        (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8), (4, 16),
        (6, 8), (6, 16),
    ]

    /// Samples that differ in all directions.
    static func samples(_ width: Int, _ height: Int, type: Int, depth: Int) -> PNGSamples {
        PNGSamples(width: width, height: height, colorType: type, depth: depth) { x, y, channel in
            (x * 7919 + y * 104_729 + channel * 31_337 + (x * y) * 17) % (1 << depth)
        }
    }

    static func addPalette(_ builder: inout PNGBuilder, type: Int, depth: Int) {
        guard type == 3 else { return }
        var palette: [UInt8] = []
        for index in 0..<(1 << depth) {
            palette += [UInt8(truncatingIfNeeded: index * 37), UInt8(truncatingIfNeeded: index * 91)]
            palette.append(UInt8(255 - index))
        }
        builder.chunk("PLTE", palette)
    }

    /// What a sample means, computed in the plainest way.
    static func expected(_ samples: PNGSamples, _ x: Int, _ y: Int) -> Pixel {
        func level(_ channel: Int) -> Int {
            let maximum = (1 << samples.depth) - 1
            return (samples.sample(x, y, channel) * 510 + maximum) / (2 * maximum)
        }
        func pixel(_ red: Int, _ green: Int, _ blue: Int, _ alpha: Int) -> Pixel {
            func scaled(_ value: Int) -> UInt8 { UInt8((value * alpha * 2 + 255) / 510) }
            return Pixel(scaled(red), scaled(green), scaled(blue), UInt8(alpha))
        }
        switch samples.colorType {
        case 0: return pixel(level(0), level(0), level(0), 255)
        case 2: return pixel(level(0), level(1), level(2), 255)
        case 3:
            let index = samples.sample(x, y, 0)
            return pixel(index * 37 & 255, index * 91 & 255, 255 - index, 255)
        case 4: return pixel(level(0), level(0), level(0), level(1))
        default: return pixel(level(0), level(1), level(2), level(3))
        }
    }

    @Test("Every colour type and depth, in pieces, pixel by pixel", arguments: kinds)
    func allKinds(type: Int, depth: Int) throws {
        for (width, height) in [(1, 1), (13, 5), (37, 3)] {
            let samples = Self.samples(width, height, type: type, depth: depth)
            let data = samples.file(pieces: 3) { Self.addPalette(&$0, type: type, depth: depth) }
            let output = try decode(data)
            for y in 0..<height {
                for x in 0..<width {
                    #expect(output.bitmap.pixel(x, y) == Self.expected(samples, x, y), "\(x),\(y)")
                }
            }
            #expect(output.info.bitDepth == (type == 3 ? 8 : depth))
            #expect(output.info.hasAlpha == (type >= 4))
            #expect(output.bitmap.isOpaque == (type < 4))
        }
    }

    // Scenario S11 of the conformance list.
    @Test("Adam7 equals the plain file for every size from 1x1 to 9x9 and every kind", arguments: kinds)
    func adam7(type: Int, depth: Int) throws {
        for width in 1...9 {
            for height in 1...9 {
                let samples = Self.samples(width, height, type: type, depth: depth)
                let plain = try decode(samples.file { Self.addPalette(&$0, type: type, depth: depth) })
                let file = samples.file(isInterlaced: true) { Self.addPalette(&$0, type: type, depth: depth) }
                #expect(try decode(file).bitmap.pixels == plain.bitmap.pixels, "\(width)x\(height)")
                #expect(try decode(file, isLenient: true).bitmap.pixels == plain.bitmap.pixels)
            }
        }
    }

    @Test("16-bit samples are rounded, not cut off")
    func rounding() throws {
        let values = [0, 127, 128, 129, 255, 256, 384, 385, 0x7FFF, 0x8000, 0xFF7E, 0xFF7F, 0xFFFF]
        let samples = PNGSamples(width: values.count, height: 1, colorType: 0, depth: 16) { x, _, _ in values[x] }
        let bitmap = try decode(samples.file()).bitmap
        for (x, value) in values.enumerated() {
            #expect(Int(bitmap.pixel(x, 0).red) == Int((Double(value) / 257).rounded()), "\(value)")
        }
    }

    // Scenario S09a of the conformance list.
    @Test("A palette with fewer tRNS entries than colours")
    func shortTransparency() throws {
        let samples = PNGSamples(width: 4, height: 1, colorType: 3, depth: 2) { x, _, _ in x }
        let data = samples.file {
            $0.chunk("PLTE", [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120])
            $0.chunk("tRNS", [0])
        }
        let output = try decode(data)
        #expect(output.bitmap.pixels == [[.clear, Pixel(40, 50, 60), Pixel(70, 80, 90), Pixel(100, 110, 120)]])
        #expect(output.info.hasAlpha && output.warnings.isEmpty)
    }

    // Scenario S09b of the conformance list.
    @Test("The transparent grey of an 8-bit image")
    func grayKey() throws {
        let samples = PNGSamples(width: 2, height: 1, colorType: 0, depth: 8) { x, _, _ in [255, 10][x] }
        let bitmap = try decode(samples.file { $0.chunk("tRNS", [0x00, 0xFF]) }).bitmap
        #expect(bitmap.pixels == [[.clear, Pixel(10, 10, 10)]])
    }

    // Scenario S09b of the conformance list.
    @Test("The key of 1, 2, 4 and 16-bit grey", arguments: [1, 2, 4, 16])
    func otherGrayKeys(depth: Int) throws {
        let maximum = (1 << depth) - 1
        let samples = PNGSamples(width: 2, height: 1, colorType: 0, depth: depth) { x, _, _ in
            x == 0 ? maximum : maximum - 1
        }
        let bitmap = try decode(samples.file { $0.chunk("tRNS", PNGBuilder.big16(maximum)) }).bitmap
        #expect(bitmap.pixel(0, 0) == .clear)
        #expect(bitmap.pixel(1, 0).alpha == 255)
    }

    // Scenario S09c of the conformance list.
    @Test("Only exact matches of an RGB key are transparent", arguments: [8, 16])
    func colorKey(depth: Int) throws {
        let shift = depth - 8
        let samples = PNGSamples(width: 3, height: 1, colorType: 2, depth: depth) { x, _, channel in
            ([10, 20, 30][channel] << shift) + (x == 1 && channel == 2 ? 1 : x == 2 && channel == 0 ? 1 : 0)
        }
        let key = [10, 20, 30].flatMap { PNGBuilder.big16($0 << shift) }
        let bitmap = try decode(samples.file { $0.chunk("tRNS", key) }).bitmap
        #expect(bitmap.pixel(0, 0) == .clear)
        #expect(bitmap.pixel(1, 0).alpha == 255 && bitmap.pixel(2, 0).alpha == 255)
    }

    // Scenarios S09d, S09e of the conformance list.
    @Test("TRNS that is too long or too late is ignored with a warning")
    func misplacedTransparency() throws {
        let samples = PNGSamples(width: 2, height: 1, colorType: 3, depth: 1) { x, _, _ in x }
        let tooLong = samples.file {
            $0.chunk("PLTE", [1, 2, 3, 4, 5, 6])
            $0.chunk("tRNS", [0, 0, 0])
        }
        var late = samples.file { $0.chunk("PLTE", [1, 2, 3, 4, 5, 6]) }
        var builder = PNGBuilder()
        builder.chunk("tRNS", [0, 0])
        builder.chunk("IEND")
        late.replaceSubrange((late.count - 12)..., with: builder.data.dropFirst(8))
        for data in [tooLong, late] {
            let output = try decode(data)
            #expect(output.bitmap.pixels == [[Pixel(1, 2, 3), Pixel(4, 5, 6)]])
            #expect(output.warnings.count == 1)
        }
    }

    @Test("Damaged ancillary chunks are ignored, damaged critical ones are not")
    func checksums() throws {
        let samples = Self.samples(4, 4, type: 0, depth: 8)
        let ancillary = samples.file { $0.chunk("tRNS", [0, 0], damagesChecksum: true) }
        let output = try decode(ancillary)
        #expect(!output.info.hasAlpha && output.warnings.count == 1)
        let critical = samples.file { $0.chunk("ABCD", [1, 2, 3]) }
        #expect(throws: ImagingError.corrupt(.png, "the unknown critical chunk ABCD")) { try decode(critical) }
        #expect(try decode(critical, isLenient: true).bitmap.size == PixelSize(width: 4, height: 4))
    }

    // Scenario S69 of the conformance list.
    @Test("A PNG of width 0 is an error, and so is one without pixels")
    func emptyImages() throws {
        let samples = Self.samples(1, 1, type: 2, depth: 8)
        var zero = PNGBuilder()
        zero.header(0, 5, colorType: 2)
        zero.chunk("IDAT", PNGBuilder.zlib([]))
        zero.end()
        #expect(throws: ImagingError.corrupt(.png, "its size is 0x5")) { try decode(zero.data) }
        var none = PNGBuilder()
        none.header(1, 1, colorType: 2)
        none.end()
        #expect(throws: ImagingError.corrupt(.png, "it has no image data")) { try decode(none.data) }
        #expect(throws: ImagingError.truncated(.png)) { try decode(samples.file().prefix(40)) }
    }

    @Test("Limits are checked from the header, and promises against the bytes that are there")
    func limits() throws {
        var builder = PNGBuilder()
        builder.header(65_535, 65_535, colorType: 6, depth: 16)
        builder.chunk("IDAT", PNGBuilder.zlib([0]))
        builder.end()
        #expect(throws: ImagingError.imageTooLarge(width: 65_535, height: 65_535, limit: 100_000_000)) {
            try decode(builder.data)
        }
        var promise = PNGBuilder()
        promise.header(9000, 9000, colorType: 6, depth: 16)
        promise.chunk("IDAT", PNGBuilder.zlib([0, 0, 0]))
        promise.end()
        #expect(throws: ImagingError.truncated(.png)) { try decode(promise.data) }
    }

    @Test("eXIf orientation is reported")
    func exif() throws {
        let samples = Self.samples(3, 2, type: 2, depth: 8)
        let data = samples.file { $0.chunk("eXIf", [UInt8](ExifBuilder.block(orientation: 6))) }
        let info = try decoder.info(data, isComplete: true, limits: DecodeLimits())
        #expect(info.orientation == .right)
        #expect(info.size == PixelSize(width: 2, height: 3))
    }

    @Test("Cut and damaged files: an error or an image, never a crash", arguments: [(6, 8), (3, 4), (2, 16)])
    func hostile(type: Int, depth: Int) {
        for isInterlaced in [false, true] {
            let data = Self.samples(9, 7, type: type, depth: depth).file(isInterlaced: isInterlaced, pieces: 2) {
                Self.addPalette(&$0, type: type, depth: depth)
                $0.chunk("gAMA", PNGBuilder.big32(100_000))
                $0.chunk("acTL", PNGBuilder.big32(2) + PNGBuilder.big32(0))
            }
            let hostile = HostileBytes(decoder, data)
            // The checksum of the last image data and the IEND chunk may be missing.
            hostile.truncateEverywhere(needed: data.count - 12 - 4 - 4)
            hostile.flipBits(rounds: 400)
        }
    }

    @Test("Lenient: the rows before the cut, the rest transparent; Adam7 coarse but whole")
    func lenient() throws {
        let samples = PNGSamples(width: 16, height: 16, colorType: 0, depth: 8) { _, y, _ in 100 + y }
        let cut = samples.file().prefix(8 + 25 + 8 + 7 + 17 * 10)
        #expect(throws: ImagingError.truncated(.png)) { try decode(Data(cut)) }
        let output = try decode(Data(cut), isLenient: true)
        #expect(output.isPartial && !output.bitmap.isOpaque)
        #expect(output.bitmap.pixel(5, 9) == Pixel(109, 109, 109))
        #expect(output.bitmap.pixel(5, 10) == .clear)
        // The first three passes of seven.
        let coarse = samples.file(isInterlaced: true).prefix(8 + 25 + 8 + 7 + 2 * 3 + 2 * 3 + 2 * 5)
        let blurred = try decode(Data(coarse), isLenient: true)
        #expect(blurred.isPartial)
        #expect(blurred.bitmap.pixels.allSatisfy { $0.allSatisfy { $0.alpha == 255 && $0.red >= 100 } })
        #expect(blurred.bitmap.pixel(15, 15) == Pixel(112, 112, 112))
    }
}
