#if TIFF
    import Foundation
    import Testing

    @testable import TintypeImaging

    /// Every number of bits, and what few decoders know.
    @Suite struct TIFFSampleTests {
        private let decoder = TIFFDecoder()

        private func file(_ name: String) throws -> Data {
            let url = try #require(
                Bundle.module.url(forResource: name, withExtension: "tif", subdirectory: "Fixtures"))
            return try Data(contentsOf: url)
        }

        private func pixels(_ name: String) throws -> [[Pixel]] {
            try decoder.decode(file(name), options: DecodeOptions()).bitmap.pixels
        }

        @Test("Lab is relative to D50")
        func lab() throws {
            for pixel in try pixels("tiff-lab8-neutral").joined() {
                #expect(pixel.distance(to: Pixel(145, 145, 145)) <= 1)
            }
            for pixel in try pixels("tiff-cielab").joined() {
                #expect(pixel.distance(to: Pixel(198, 117, 180)) <= 6)
            }
        }

        @Test("Neutral Lab is neutral in all ways of storing it", arguments: [8, 9, 10], [8, 16])
        func neutralLab(photometric: Int, bits: Int) throws {
            // L* of 60 and 100, a* and b* of zero.
            let zero = photometric == 8 ? (0, 0) : photometric == 9 ? (128, 128) : (128, 96)
            var samples: [Int] = []
            for lightness in [60, 100] {
                let largest = bits == 8 ? 255 : photometric == 9 ? 65280 : 65535
                let unit = bits == 8 ? 1 : 256
                samples += [(lightness * largest + 50) / 100, zero.0 * unit, zero.1 * unit]
            }
            var bytes = ByteBuilder()
            for sample in samples { if bits == 8 { bytes.u8(sample) } else { bytes.u16(sample) } }
            let file = TIFFFile(
                width: 2, height: 1, bits: [bits, bits, bits], photometric: photometric, pixels: bytes.bytes)
            let row = try #require(try decoder.pixels(file.build()).first)
            #expect(row[0].distance(to: Pixel(145, 145, 145)) <= 1 && row[1].distance(to: .white) <= 1)
        }

        @Test("Uncompressed tiles of few bits and with a palette are decoded")
        func tiles() throws {
            let bits = try pixels("tiled-1bit")
            #expect(bits.count == 21 && bits.allSatisfy { $0.count == 37 })
            #expect(bits.joined().allSatisfy { $0 == .black || $0 == .white })
            #expect(bits.joined().contains(.black) && bits.joined().contains(.white))
            let colors = try pixels("tiled-palette")
            #expect(colors.count == 21 && Set(colors.joined().map(\.description)).count > 10)
        }

        @Test("A palette keeps its alpha") func paletteAlpha() throws {
            #expect(try pixels("palette-alpha").first?.map(\.alpha) == [255, 128, 0, 255])
        }

        /// Packs samples most significant bit first, rows padded to whole bytes.
        private func packed(_ rows: [[Int]], bits: Int) -> [UInt8] {
            var result = ByteBuilder()
            for row in rows {
                switch bits {
                case 16: for sample in row { result.u16(sample) }
                case 24: for sample in row { result.append([0, 8, 16].map { UInt8(sample >> $0 & 255) }) }
                case 32: for sample in row { result.u32(sample) }
                default:
                    var digits = row.flatMap { sample in (0..<bits).reversed().map { sample >> $0 & 1 } }
                    while digits.count % 8 != 0 { digits.append(0) }
                    for start in stride(from: 0, to: digits.count, by: 8) {
                        result.u8(digits[start..<start + 8].reduce(0) { $0 << 1 | $1 })
                    }
                }
            }
            return result.bytes
        }

        private func samples(_ count: Int, bits: Int) -> [Int] {
            (0..<count).map { ($0 * 2_654_435_761 + bits) >> 3 & (1 << bits - 1) }
        }

        private func scaled(_ sample: Int, bits: Int) -> UInt8 {
            UInt8((Double(sample) * 255 / Double(1 << bits - 1)).rounded())
        }

        private static let depths = Array(1...16) + [24, 32]

        @Test("Grey and RGB of any number of bits", arguments: depths, [1, 3])
        func anyDepth(bits: Int, channelCount: Int) throws {
            let rows = (0..<3).map { row in
                samples(5 * channelCount, bits: bits).map { $0 ^ (row & (1 << bits - 1)) }
            }
            let file = TIFFFile(
                width: 5, height: 3, bits: [Int](repeating: bits, count: channelCount),
                photometric: channelCount == 1 ? 1 : 2, pixels: packed(rows, bits: bits))
            for (y, row) in try decoder.pixels(file.build()).enumerated() {
                for (x, pixel) in row.enumerated() {
                    let values = (0..<3).map { channel in
                        scaled(rows[y][x * channelCount + min(channel, channelCount - 1)], bits: bits)
                    }
                    #expect(pixel.distance(to: Pixel(values[0], values[1], values[2])) <= 1)
                }
            }
        }

        @Test("A palette of any size", arguments: [1, 2, 3, 4, 5, 8, 12, 16]) func palette(bits: Int) throws {
            let count = 1 << bits
            let indexes = samples(9, bits: bits)
            var file = TIFFFile(
                width: 9, height: 1, bits: [bits], photometric: 3, pixels: packed([indexes], bits: bits))
            file.tags[320] = (3, (0..<3 * count).map { $0 * 40_503 & 65535 | 0x100 })
            let row = try #require(try decoder.pixels(file.build()).first)
            for (index, pixel) in zip(indexes, row) {
                let values = (0..<3).map { UInt8((($0 * count + index) * 40_503 & 65535 | 0x100) >> 8) }
                #expect(pixel == Pixel(values[0], values[1], values[2]))
            }
        }

        @Test("A profile behind the bytes that are there is asked for") func profileBehindPrefix() throws {
            var file = TIFFFile(
                width: 2, height: 1, bits: [8, 8, 8], photometric: 2, pixels: [1, 2, 3, 4, 5, 6])
            file.tags[34675] = (7, [Int](repeating: 7, count: 5000))
            let data = file.build(directoryFirst: false).data
            #expect {
                try decoder.info(data.prefix(1000), isComplete: false, limits: DecodeLimits())
            } throws: { error in
                if case .needsMoreData? = error as? ImagingError { true } else { false }
            }
            #expect(try decoder.info(data, isComplete: false, limits: DecodeLimits()).storedSize.width == 2)
        }

        @Test("A large strip goes through the resampler row by row") func largeStrip() throws {
            let (width, height) = (2100, 1400)
            var file = TIFFFile(
                width: width, height: height, bits: [8, 8, 8], photometric: 2,
                pixels: [UInt8](repeating: 90, count: width * height * 3))
            file.tags[278] = (4, [height])
            var options = DecodeOptions()
            options.target = ResizeTarget(width: 21, height: 14)
            let bitmap = try decoder.decode(file.build().data, options: options).bitmap
            #expect(bitmap.size == PixelSize(width: 21, height: 14))
            #expect(bitmap.pixels.joined().allSatisfy { $0 == Pixel(90, 90, 90) })
        }
    }
#endif
