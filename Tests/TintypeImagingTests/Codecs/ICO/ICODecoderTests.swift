import Foundation
import Testing

@testable import TintypeImaging

@Suite struct ICODecoderTests {
    private let decoder = ICODecoder()

    /// One square bitmap entry of one colour, with a mask that hides the left half.
    private func entry(side: Int, bitCount: Int, color: (Int, Int, Int), alpha: Int = 255) -> [UInt8] {
        var file = BMPFile(width: side, height: side * 2, bitCount: bitCount)
        var row: [UInt8] = []
        switch bitCount {
        case 8:
            file.colorsUsed = 2
            file.palette = [(0, 0, 0), color]
            row = [UInt8](repeating: 1, count: side)
        case 24:
            row = (0..<side).flatMap { _ in [UInt8(color.2), UInt8(color.1), UInt8(color.0)] }
        default:
            row = (0..<side).flatMap { _ in [UInt8(color.2), UInt8(color.1), UInt8(color.0), UInt8(alpha)] }
        }
        while row.count % 4 != 0 { row.append(0) }
        let mask = (0..<(side + 31) / 32 * 4).map { byte in
            (0..<8).reduce(UInt8(0)) { $0 | (byte * 8 + $1 < side / 2 ? 0x80 >> UInt8($1) : 0) }
        }
        for _ in 0..<side { file.pixels += row }
        for _ in 0..<side { file.pixels += mask }
        return file.build(isIcon: true).bytes
    }

    private func icon(_ entries: [[UInt8]], kind: Int = 1, offsets: [Int: Int] = [:]) -> ByteBuilder {
        var file = ByteBuilder()
        file.u16(0, kind, entries.count)
        var offset = 6 + entries.count * 16
        for (index, entry) in entries.enumerated() {
            // Sizes and depths of 0: what counts is in the entries.
            file.u8(0, 0, 0, 0)
            file.u16(1, 0)
            file.u32(entry.count, offsets[index] ?? offset)
            offset += entry.count
        }
        for entry in entries { file.append(entry) }
        return file
    }

    // Scenario S29 of the conformance list.
    @Test("The largest entry by default, the smallest that covers a wanted size")
    func choosesByWantedSize() throws {
        let file = icon([
            entry(side: 32, bitCount: 8, color: (0, 255, 0)), entry(side: 16, bitCount: 32, color: (255, 0, 0)),
            entry(side: 48, bitCount: 24, color: (0, 0, 255)),
        ])
        func size(_ side: Int?) throws -> Int {
            try decoder.decode(file, preferredSize: side.map { PixelSize(width: $0, height: $0) }).bitmap.width
        }
        #expect(try size(nil) == 48)
        #expect(try size(1) == 16)
        #expect(try size(16) == 16)
        #expect(try size(17) == 32)
        #expect(try size(33) == 48)
        #expect(try size(500) == 48)
        let info = try decoder.info(file.data, isComplete: true, limits: DecodeLimits())
        #expect(info.size == PixelSize(width: 48, height: 48) && info.hasAlpha && info.frameCount == 1)
        // A target counts as a wanted size.
        var options = DecodeOptions()
        options.target = ResizeTarget(width: 20, height: nil)
        #expect(try decoder.decode(file.data, options: options).bitmap.width == 32)
    }

    // Scenario S29 of the conformance list.
    @Test("Of equal sizes the greatest depth, then the first")
    func choosesByDepth() throws {
        let file = icon([
            entry(side: 16, bitCount: 8, color: (255, 0, 0)), entry(side: 16, bitCount: 24, color: (0, 255, 0)),
            entry(side: 16, bitCount: 24, color: (0, 0, 255)),
        ])
        #expect(try decoder.decode(file).bitmap.pixel(15, 0) == .green)
    }

    // Scenario S29 of the conformance list.
    @Test("Masks hide pixels below 32 bits", arguments: [8, 24])
    func masks(bitCount: Int) throws {
        let output = try decoder.decode(icon([entry(side: 16, bitCount: bitCount, color: (1, 2, 3))]))
        #expect(output.bitmap.pixel(7, 3) == .clear)
        #expect(output.bitmap.pixel(8, 3) == Pixel(1, 2, 3))
        #expect(!output.bitmap.isOpaque)
    }

    // Scenario S29 of the conformance list.
    @Test("32 bits use their alpha, or the mask where alpha is zero everywhere")
    func alpha() throws {
        let half = try decoder.decode(icon([entry(side: 16, bitCount: 32, color: (255, 0, 0), alpha: 128)]))
        #expect(half.bitmap.pixel(0, 0) == Pixel(128, 0, 0, 128))
        let none = try decoder.decode(icon([entry(side: 16, bitCount: 32, color: (255, 0, 0), alpha: 0)]))
        #expect(none.bitmap.pixel(0, 0) == .clear)
        #expect(none.bitmap.pixel(8, 0) == .red)
    }

    // Scenario S29 of the conformance list.
    @Test("Entries past the end and broken ones are passed over")
    func badEntries() throws {
        let good = entry(side: 16, bitCount: 32, color: (255, 0, 0))
        let large = entry(side: 32, bitCount: 24, color: (0, 0, 255))
        let past = icon([large, good], offsets: [0: 1_000_000])
        #expect(try decoder.decode(past).bitmap.width == 16)
        #expect(try decoder.decode(past).warnings.count == 1)
        #expect(try decoder.info(past.data, isComplete: true, limits: DecodeLimits()).size.width == 16)
        // The larger entry begins well but its pixels are cut off by the end of the file.
        var cut = icon([good, large])
        cut.bytes.removeLast(large.count - 100)
        #expect(try decoder.decode(cut).bitmap.width == 16)
        #expect(throws: ImagingError.truncated(.ico)) { try decoder.decode(icon([good], offsets: [0: 9999])) }
    }

    // Scenario S29 of the conformance list.
    @Test("A favicon of 16, 32 and a PNG of 256 whose directory says 0")
    func favicon() throws {
        let png = try PNGEncoder().encode(
            try .made(256, 256, isOpaque: false) { x, _ in x < 128 ? .clear : Pixel(0, 0, 255) },
            options: EncodeOptions())
        let file = icon([
            entry(side: 16, bitCount: 32, color: (255, 0, 0)), entry(side: 32, bitCount: 8, color: (0, 255, 0)),
            [UInt8](png),
        ])
        let largest = try decoder.decode(file).bitmap
        #expect(largest.size == PixelSize(width: 256, height: 256))
        #expect(largest.pixel(10, 10) == .clear && largest.pixel(200, 10) == .blue)
        let small = try decoder.decode(file, preferredSize: PixelSize(width: 24, height: 24)).bitmap
        #expect(small.width == 32 && small.pixel(31, 5) == .green && small.pixel(0, 5) == .clear)
        let info = try decoder.info(file.data, isComplete: true, limits: DecodeLimits())
        #expect(info.size == largest.size)
    }

    // Scenario S29 of the conformance list.
    @Test("PNG, GIF and JPEG bytes called favicon.ico are what they are")
    func mislabelledBytes() throws {
        let bitmap = try Bitmap.made(16, 16, isOpaque: true) { _, _ in .red }
        for format in [ImageFormat.png, .gif, .jpeg] {
            let data = try ImageCodecs.standard.encode(bitmap, as: format)
            let image = try ImageCodecs.standard.decode(data)
            #expect(image.info.format == format && image.bitmap.pixel(5, 5).distance(to: .red) <= 4)
        }
    }

    @Test func cursorsAreIcons() throws {
        let file = icon([entry(side: 16, bitCount: 24, color: (7, 8, 9))], kind: 2)
        #expect(try decoder.decode(file).bitmap.pixel(15, 15) == Pixel(7, 8, 9))
    }

    @Test func missingMaskIsAWarning() throws {
        let whole = entry(side: 16, bitCount: 24, color: (7, 8, 9))
        let output = try decoder.decode(icon([Array(whole.dropLast(10))]))
        #expect(output.bitmap.isOpaque && output.bitmap.pixel(0, 0) == Pixel(7, 8, 9))
        #expect(output.warnings.count == 1)
    }

    @Test func headerNeedsMoreDataOnlyForAPrefix() throws {
        let data = icon([
            entry(side: 16, bitCount: 32, color: (255, 0, 0)), entry(side: 32, bitCount: 32, color: (0, 0, 255)),
        ]).data
        #expect {
            try decoder.info(data.prefix(500), isComplete: false, limits: DecodeLimits())
        } throws: { error in
            guard case ImagingError.needsMoreData(.ico, let count?) = error else { return false }
            return count > 1000 && count < data.count
        }
    }

    @Test func emptyDirectoriesAndOtherKindsAreCorrupt() {
        for bytes in [[0, 0, 1, 0, 0, 0], [0, 0, 3, 0, 1, 0]] as [[UInt8]] {
            #expect {
                try decoder.decode(Data(bytes), options: DecodeOptions())
            } throws: { error in
                if case ImagingError.corrupt(.ico, _) = error { true } else { false }
            }
        }
    }

    @Test func hostileBytes() {
        let file = icon([
            entry(side: 4, bitCount: 32, color: (255, 0, 0)), entry(side: 8, bitCount: 8, color: (0, 0, 255)),
        ])
        let hostile = HostileBytes(decoder, file.data)
        // As long as one entry is whole there is an image.
        hostile.truncateEverywhere(needed: 6 + 32 + 40 + 64 + 16)
        hostile.flipBits(rounds: 3000)
    }
}
