import Foundation
import Testing

@testable import TintypeImaging

@Suite struct BMPDecoderTests {
    private let decoder = BMPDecoder()

    // Bottom row first, each row padded to 4 bytes.
    private let rgb24 = BMPFile(pixels: [0, 0, 255, 0, 255, 0, 9, 9, 255, 0, 0, 255, 255, 255, 9, 9])

    @Test func plain24BitIsBottomUp() throws {
        #expect(try decoder.pixels(rgb24.build()) == [[.blue, .white], [.red, .green]])
        #expect(try decoder.decode(rgb24.build()).bitmap.isOpaque)
    }

    @Test func negativeHeightIsTopDown() throws {
        var file = rgb24
        file.height = -2
        #expect(try decoder.pixels(file.build()) == [[.red, .green], [.blue, .white]])
    }

    @Test func paddingOfTheLastRowMayBeMissing() throws {
        var file = rgb24.build()
        file.bytes.removeLast(2)
        #expect(try decoder.pixels(file) == [[.blue, .white], [.red, .green]])
    }

    @Test(arguments: [16, 20, 24, 36, 40, 52, 56, 64, 108, 124])
    func headersOfEverySize(size: Int) throws {
        var file = rgb24
        file.headerSize = size
        #expect(try decoder.pixels(file.build()) == [[.blue, .white], [.red, .green]])
    }

    @Test func coreHeaderWithAShortPalette() throws {
        // Three 3-byte entries before the pixels rather than sixteen; index 15 has none and is black.
        let file = BMPFile(
            headerSize: 12, width: 3, height: 1, bitCount: 4, palette: [(255, 0, 0), (0, 255, 0), (0, 0, 255)],
            pixels: [0x02, 0xF0, 0, 0])
        #expect(try decoder.pixels(file.build()) == [[.red, .blue, .black]])
    }

    @Test(arguments: [(1, [0b0110_0000]), (2, [0b0001_0100]), (4, [0x01, 0x10]), (8, [0, 1, 1, 0])])
    func palettes(bitCount: Int, row: [Int]) throws {
        let pixels = (row + [0, 0, 0, 0]).prefix((4 * bitCount + 31) / 32 * 4).map { UInt8($0) }
        let file = BMPFile(
            width: 4, height: 1, bitCount: bitCount, colorsUsed: 2, palette: [(10, 20, 30), (200, 100, 50)],
            pixels: pixels)
        let (a, b) = (Pixel(10, 20, 30), Pixel(200, 100, 50))
        #expect(try decoder.pixels(file.build()) == [[a, b, b, a]])
        let info = try decoder.info(file.build().data, isComplete: true, limits: DecodeLimits())
        #expect(info.colorSpace == "Indexed" && info.size == PixelSize(width: 4, height: 1) && !info.hasAlpha)
    }

    /// A string of bits, most significant first, as bytes.
    private func bytes(_ bits: String) -> [UInt8] {
        let digits = bits.filter { $0 != " " }.map { $0 == "1" ? UInt8(1) : 0 }
        return stride(from: 0, to: digits.count, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { $0 << 1 | (start + $1 < digits.count ? digits[start + $1] : 0) }
        }
    }

    @Test("OS/2's Huffman 1D: runs of T.4, rows that begin with an end-of-line mark or not")
    func huffman() throws {
        let (mark, fill) = ("000000000001", "0000")
        // Three white, five black; then none white, eight black.
        let rows = ["1000 0011", "00110101 000101"]
        var file = BMPFile(
            headerSize: 64, width: 8, height: 2, bitCount: 1, compression: 3,
            palette: [(255, 255, 255), (0, 0, 255)])
        let (w, b) = (Pixel.white, Pixel.blue)
        let expected = [[b, b, b, b, b, b, b, b], [w, w, w, b, b, b, b, b]]
        for bits in [
            mark + rows[0] + mark + rows[1] + String(repeating: mark, count: 6), rows[0] + rows[1],
            fill + mark + rows[0] + fill + mark + rows[1],
        ] {
            file.pixels = bytes(bits)
            #expect(try decoder.pixels(file.build()) == expected, "\(bits)")
        }
        // A run of 64 and more has two codes, and one of 2560 and more has three.
        file.width = 2700
        file.height = 1
        file.pixels = bytes("00110101" + "000000011111" + "000011001000" + "0000110111" + "000101000")
        #expect(throws: ImagingError.self) { try decoder.pixels(file.build()) }
        file.pixels = bytes("00110101" + "000000011111" + "000011001000" + "000011001011" + "0000")
        #expect(throws: ImagingError.self) { try decoder.pixels(file.build()) }
        // 0 white, 2560 + 64 + 61 black, 15 white.
        file.pixels = bytes("00110101" + "000000011111" + "0000001111" + "000001011010" + "110101")
        let row = try #require(try decoder.pixels(file.build()).first)
        #expect(row.count == 2700 && row[0] == b && row[2684] == b && row[2685] == w && row[2699] == w)
    }

    @Test("OS/2's Huffman 1D: cut and damaged data is an error, or part of an image")
    func damagedHuffman() throws {
        var file = BMPFile(
            headerSize: 64, width: 8, height: 2, bitCount: 1, compression: 3,
            palette: [(255, 255, 255), (0, 0, 255)])
        for bits in ["1000 0011", "1000 0011 000000000", "1000 0011 0000000000001", "1000 0011 10100 0000101"] {
            file.pixels = bytes(bits)
            #expect(throws: ImagingError.truncated(.bmp), "\(bits)") { try decoder.pixels(file.build()) }
            var options = DecodeOptions()
            options.isLenient = true
            let output = try decoder.decode(file.build().data, options: options)
            #expect(output.isPartial && output.bitmap.pixel(0, 1) == .white)
        }
    }

    @Test func paletteWithMoreEntriesThanIndexes() throws {
        var colors = [(Int, Int, Int)](repeating: (1, 2, 3), count: 300)
        colors[255] = (9, 8, 7)
        let file = BMPFile(
            width: 2, height: 1, bitCount: 8, colorsUsed: 300, palette: colors, pixels: [255, 0, 0, 0])
        #expect(try decoder.pixels(file.build()) == [[Pixel(9, 8, 7), Pixel(1, 2, 3)]])
    }

    @Test func sixteenBitsAre555WithoutMasks() throws {
        let file = BMPFile(width: 2, height: 1, bitCount: 16, pixels: [0x10, 0x7C, 0xFF, 0x03])
        // 16 of 31 is 131.6 of 255.
        #expect(try decoder.pixels(file.build()) == [[Pixel(255, 0, 132), Pixel(0, 255, 255)]])
    }

    @Test func masksBehindTheHeaderAndInIt() throws {
        for size in [40, 52, 56, 108, 124] {
            let file = BMPFile(
                headerSize: size, width: 2, height: 1, bitCount: 16, compression: 3, masks: [0xF800, 0x07E0, 0x001F],
                pixels: [0x00, 0xF8, 0xE0, 0x07])
            #expect(try decoder.pixels(file.build()) == [[.red, .green]], "header of \(size) bytes")
        }
    }

    @Test func oddMasks() throws {
        // 11 bits of red at the top, 1 of green, 10 of blue: wider than a byte, narrower, and rounded.
        let file = BMPFile(
            width: 2, height: 1, bitCount: 32, compression: 3, masks: [0xFFE0_0000, 0x0000_0400, 0x0000_03FF],
            pixels: [0xFF, 0x07, 0xE0, 0xFF, 0x00, 0x02, 0x00, 0x80])
        #expect(try decoder.pixels(file.build()) == [[.white, Pixel(128, 0, 128)]])
        #expect(try decoder.info(file.build().data, isComplete: true, limits: DecodeLimits()).bitDepth == 11)
    }

    @Test func fourthByteIsPaddingWithoutAMask() throws {
        let file = BMPFile(width: 1, height: 1, bitCount: 32, pixels: [3, 2, 1, 77])
        #expect(try decoder.pixels(file.build()) == [[Pixel(1, 2, 3)]])
        #expect(try decoder.decode(file.build()).bitmap.isOpaque)
    }

    @Test func alphaMaskIsHonouredAndPremultiplied() throws {
        let masks: [UInt32] = [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]
        var file = BMPFile(
            headerSize: 56, width: 2, height: 1, bitCount: 32, compression: 3, masks: masks,
            pixels: [0, 100, 255, 128, 255, 255, 255, 0])
        #expect(try decoder.pixels(file.build()) == [[Pixel(128, 50, 0, 128), .clear]])
        #expect(try decoder.info(file.build().data, isComplete: true, limits: DecodeLimits()).hasAlpha)
        // BI_ALPHABITFIELDS brings the fourth mask to a 40 byte header.
        file.headerSize = 40
        file.compression = 6
        #expect(try decoder.pixels(file.build()) == [[Pixel(128, 50, 0, 128), .clear]])
        // Zero everywhere: the writer did not know of alpha.
        file.pixels = [0, 100, 255, 0, 255, 255, 255, 0]
        #expect(try decoder.pixels(file.build()) == [[Pixel(255, 100, 0), .white]])
    }

    @Test func runLength8() throws {
        let colors = [(0, 0, 0), (255, 0, 0), (0, 255, 0), (0, 0, 255)]
        var file = BMPFile(width: 4, height: 3, bitCount: 8, compression: 1, colorsUsed: 4, palette: colors)
        // Bottom row: 3 red, then end of line. Middle: absolute run of three, padded. Delta 1 right 1 up leads to the
        // top row's second pixel.
        file.pixels = [3, 1, 0, 0, 0, 3, 2, 3, 1, 0, 0, 0, 0, 2, 1, 0, 9, 2, 0, 1]
        #expect(
            try decoder.pixels(file.build()) == [
                [.clear, .green, .green, .green], [.green, .blue, .red, .clear], [.red, .red, .red, .clear],
            ])
        #expect(try !decoder.decode(file.build()).bitmap.isOpaque)
        file.pixels = [3, 1, 0, 2, 1, 2, 1, 2, 0, 1]
        #expect(try decoder.pixels(file.build())[0] == [.clear, .clear, .clear, .clear])
    }

    @Test func runLength4() throws {
        let colors = [(0, 0, 0), (255, 0, 0), (0, 255, 0), (0, 0, 255)]
        var file = BMPFile(width: 5, height: 2, bitCount: 4, compression: 2, colorsUsed: 4, palette: colors)
        file.pixels = [5, 0x12, 0, 0, 0, 5, 0x32, 0x13, 0x20, 0, 0, 1]
        #expect(
            try decoder.pixels(file.build()) == [
                [.blue, .green, .red, .blue, .green], [.red, .green, .red, .green, .red],
            ])
    }

    @Test func runLength24OfOS2() throws {
        let file = BMPFile(
            headerSize: 64, width: 4, height: 1, bitCount: 24, compression: 4,
            pixels: [1, 0, 0, 255, 0, 3, 0, 255, 0, 255, 0, 0, 255, 255, 255, 0, 0, 1])
        #expect(try decoder.pixels(file.build()) == [[.red, .green, .blue, .white]])
    }

    @Test func cutRunsAreTruncatedUnlessLenient() throws {
        let file = BMPFile(
            width: 2, height: 2, bitCount: 8, compression: 1, colorsUsed: 2, palette: [(0, 0, 0), (255, 0, 0)],
            pixels: [2, 1, 0, 0, 1])
        #expect(throws: ImagingError.truncated(.bmp)) { try decoder.decode(file.build()) }
        let output = try decoder.decode(file.build(), isLenient: true)
        #expect(output.isPartial)
        #expect(output.bitmap.pixels == [[.clear, .clear], [.red, .red]])
    }

    @Test func cutRowsAreTransparentWhenLenient() throws {
        var file = rgb24.build()
        file.bytes.removeLast(4)
        #expect(throws: ImagingError.truncated(.bmp)) { try decoder.decode(file) }
        let output = try decoder.decode(file, isLenient: true)
        #expect(output.isPartial && !output.bitmap.isOpaque)
        #expect(output.bitmap.pixels == [[.clear, .clear], [.red, .green]])
    }

    @Test func headerNeedsMoreDataOnlyForAPrefix() throws {
        let head = rgb24.build().data.prefix(40)
        #expect(throws: ImagingError.needsMoreData(.bmp, byteCount: 54)) {
            try decoder.info(head, isComplete: false, limits: DecodeLimits())
        }
        #expect(throws: ImagingError.truncated(.bmp)) {
            try decoder.info(head, isComplete: true, limits: DecodeLimits())
        }
        let info = try decoder.info(rgb24.build().data.prefix(54), isComplete: false, limits: DecodeLimits())
        #expect(info.size == PixelSize(width: 2, height: 2) && info.bitDepth == 8)
    }

    @Test(arguments: [(65535, 65535), (Int(Int32.max), 1), (Int(Int32.max), Int(Int32.max)), (2, Int(Int32.min))])
    func hugeSizesAreRefusedFromTheHeader(width: Int, height: Int) {
        var file = rgb24
        file.width = width
        file.height = height
        let expected = ImagingError.imageTooLarge(width: width, height: abs(height), limit: 100_000_000)
        for isLenient in [false, true] {
            #expect(throws: expected) { try decoder.decode(file.build(), isLenient: isLenient) }
        }
        #expect(throws: expected) { try decoder.info(file.build().data, isComplete: true, limits: DecodeLimits()) }
    }

    @Test func nonsenseIsCorrupt() {
        let changes: [(inout BMPFile) -> Void] = [
            { $0.width = 0 }, { $0.height = 0 }, { $0.width = -3 }, { $0.bitCount = 7 }, { $0.bitCount = 30000 },
            { $0.compression = 1 }, { $0.compression = 9 }, { $0.compression = 3 },
        ]
        for (index, change) in changes.enumerated() {
            var file = rgb24
            change(&file)
            #expect("change \(index)") { try decoder.decode(file.build()) } throws: { error in
                if case ImagingError.corrupt(.bmp, _) = error { true } else { false }
            }
        }
    }

    @Test func hostileBytes() {
        let colors = [(0, 0, 0), (255, 0, 0), (0, 255, 0), (0, 0, 255)]
        let files = [
            rgb24,
            BMPFile(
                headerSize: 124, width: 2, height: 2, bitCount: 32, compression: 3,
                masks: [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000], pixels: [UInt8](repeating: 99, count: 16)),
            BMPFile(
                width: 4, height: 3, bitCount: 8, compression: 1, colorsUsed: 4, palette: colors,
                pixels: [3, 1, 0, 0, 0, 3, 2, 3, 1, 0, 0, 0, 0, 2, 1, 0, 3, 2, 0, 1]),
            BMPFile(
                width: 5, height: 2, bitCount: 4, compression: 2, colorsUsed: 4, palette: colors,
                pixels: [5, 0x12, 0, 0, 0, 5, 0x32, 0x13, 0x20, 0, 0, 1]),
            BMPFile(
                headerSize: 12, width: 9, height: 3, bitCount: 1, palette: [(0, 0, 0), (1, 1, 1)],
                pixels: [UInt8](repeating: 0x55, count: 12)),
        ]
        for (index, file) in files.enumerated() {
            let hostile = HostileBytes(decoder, file.build().data)
            // The padding of the last row, and the end mark of full runs, may be missing.
            hostile.truncateEverywhere(needed: hostile.original.count - 3)
            hostile.flipBits(rounds: 2000, seed: UInt64(index))
        }
    }
}
