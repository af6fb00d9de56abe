#if TIFF
    import Foundation
    import Testing

    @testable import TintypeImaging

    @Suite struct TIFFDecoderTests {
        private let decoder = TIFFDecoder()
        private let rgb = TIFFFile(
            width: 2, height: 2, bits: [8, 8, 8], photometric: 2,
            pixels: [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255])

        private func info(_ file: ByteBuilder) throws -> ImageInfo {
            try decoder.info(file.data, isComplete: true, limits: DecodeLimits())
        }

        @Test(arguments: [true, false]) func plainRGB(directoryFirst: Bool) throws {
            let output = try decoder.decode(rgb.build(directoryFirst: directoryFirst))
            #expect(output.bitmap.pixels == [[.red, .green], [.blue, .white]])
            #expect(output.bitmap.isOpaque && !output.info.hasAlpha && output.info.bitDepth == 8)
        }

        @Test func sixteenBitsAreRounded() throws {
            // 0x0080 is 0.498 of a step, 0x0081 0.502; 0x7F80 is 127.0.
            var pixels = ByteBuilder()
            pixels.u16(0x0080, 0x0081, 0x7F7F, 0xFFFF, 0xFF7E, 0xFF7F)
            let file = TIFFFile(
                width: 2, height: 1, bits: [16, 16, 16], photometric: 2, pixels: pixels.bytes)
            #expect(try decoder.pixels(file.build()) == [[Pixel(0, 1, 127), Pixel(255, 254, 255)]])
            #expect(try info(file.build()).bitDepth == 16)
        }

        /// As the standard says: linear light from 0 to 1.
        private func step(_ light: Double) -> Int {
            Int(((light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055) * 255).rounded())
        }

        @Test("Floating point samples are light: clamped, and given the curve of sRGB", arguments: [16, 32, 64])
        func floatingPoint(bits: Int) throws {
            // Zeros, fractions, white, brighter than white, below black, infinity, no number.
            let values: [Double] = [0, 0.25, 0.5, 1, 1.5, -0.25, .infinity, .nan, 0.75]
            let halves = [0x0000, 0x3400, 0x3800, 0x3C00, 0x3E00, 0xB400, 0x7C00, 0x7E00, 0x3A00]
            var pixels = ByteBuilder()
            for (index, value) in values.enumerated() {
                switch bits {
                case 16: pixels.u16(halves[index])
                case 32: pixels.u32(Int(Float(value).bitPattern))
                default: pixels.append((0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) })
                }
            }
            var file = TIFFFile(
                width: 3, height: 1, bits: [bits, bits, bits], photometric: 2, pixels: pixels.bytes)
            file.tags[339] = (3, [3, 3, 3])
            let row = try #require(try decoder.pixels(file.build()).first)
            let expected = values.map { $0.isNaN ? 0 : step(min(max($0, 0), 1)) }
            for (index, value) in expected.enumerated() {
                let pixel = row[index / 3]
                let channel = [pixel.red, pixel.green, pixel.blue][index % 3]
                #expect(abs(Int(channel) - value) <= 1, "sample \(index)")
            }
            var gray = TIFFFile(width: 9, height: 1, bits: [bits], photometric: 1, pixels: pixels.bytes)
            gray.tags[339] = (3, [3])
            let levels = try #require(try decoder.pixels(gray.build()).first).map { Int($0.green) }
            #expect(zip(levels, expected).allSatisfy { abs($0 - $1) <= 1 })
        }

        @Test("Floating point CMYK and 24-bit numbers are a clear error") func strangeNumbers() throws {
            var file = TIFFFile(
                width: 1, height: 1, bits: [32, 32, 32, 32], photometric: 5, pixels: [UInt8](repeating: 0, count: 16))
            file.tags[339] = (3, [3, 3, 3, 3])
            var short = TIFFFile(
                width: 1, height: 1, bits: [24, 24, 24], photometric: 2, pixels: [UInt8](repeating: 0, count: 9))
            short.tags[339] = (3, [3, 3, 3])
            for file in [file, short] {
                #expect {
                    try decoder.pixels(file.build())
                } throws: {
                    if case ImagingError.unsupportedFormat = $0 { true } else { false }
                }
            }
        }

        @Test func grayAndItsInverse() throws {
            var file = TIFFFile(width: 2, height: 1, bits: [8], photometric: 1, pixels: [10, 200])
            #expect(try decoder.pixels(file.build()) == [[Pixel(10, 10, 10), Pixel(200, 200, 200)]])
            file.tags[262] = (3, [0])
            #expect(try decoder.pixels(file.build()) == [[Pixel(245, 245, 245), Pixel(55, 55, 55)]])
            #expect(try info(file.build()).colorSpace == "Gray")
        }

        @Test func bilevelAndPalette() throws {
            let bits = TIFFFile(width: 4, height: 1, bits: [1], photometric: 1, pixels: [0b0110_0000])
            #expect(try decoder.pixels(bits.build()) == [[.black, .white, .white, .black]])
            var palette = TIFFFile(width: 3, height: 1, bits: [8], photometric: 3, pixels: [0, 1, 255])
            var map = [Int](repeating: 0, count: 768)
            (map[0], map[256 + 1], map[512 + 255]) = (65535, 65535, 65535)
            palette.tags[320] = (3, map)
            #expect(try decoder.pixels(palette.build()) == [[.red, .green, .blue]])
        }

        @Test func alphaOfEveryKind() throws {
            var file = TIFFFile(
                width: 2, height: 1, bits: [8, 8, 8, 8], photometric: 2, pixels: [255, 100, 0, 128, 255, 255, 255, 0])
            // Unassociated: multiplied here.
            file.tags[338] = (3, [2])
            #expect(try decoder.pixels(file.build()) == [[Pixel(128, 50, 0, 128), .clear]])
            // A fourth sample of no stated kind can only be alpha; one that is "unspecified" is not.
            file.tags[338] = nil
            #expect(try decoder.pixels(file.build()) == [[Pixel(128, 50, 0, 128), .clear]])
            file.tags[338] = (3, [0])
            #expect(try decoder.pixels(file.build()) == [[Pixel(255, 100, 0), .white]])
            // Associated: stored multiplied, and kept; what lies above its alpha is brought down.
            file.tags[338] = (3, [1])
            file.pixels = [128, 50, 0, 128, 9, 9, 9, 0]
            #expect(try decoder.pixels(file.build()) == [[Pixel(128, 50, 0, 128), .clear]])
            #expect(try info(file.build()).hasAlpha)
        }

        @Test func cmykWithoutAProfile() throws {
            let file = TIFFFile(
                width: 3, height: 1, bits: [8, 8, 8, 8], photometric: 5,
                pixels: [255, 0, 0, 0, 0, 0, 0, 255, 0, 128, 255, 51])
            #expect(try decoder.pixels(file.build()) == [[Pixel(0, 255, 255), .black, Pixel(204, 102, 0)]])
            #expect(try info(file.build()).colorSpace == "CMYK")
        }

        @Test func planes() throws {
            var file = TIFFFile(
                width: 2, height: 1, bits: [8, 8, 8], photometric: 2, pixels: [255, 0, 0, 255, 0, 0])
            file.tags[284] = (3, [2])
            file.tags[278] = (4, [1])
            // One strip for each plane: the builder writes one offset, so the planes are told apart by hand.
            var built = file.build()
            let count = 3
            let offsets = built.bytes.count
            for plane in 0..<count { built.u32(firstPixel(file) + plane * 2) }
            let counts = built.bytes.count
            for _ in 0..<count { built.u32(2) }
            patch(&built, tag: 273, count: count, offset: offsets)
            patch(&built, tag: 279, count: count, offset: counts)
            #expect(try decoder.pixels(built) == [[.red, .green]])
        }

        private func firstPixel(_ file: TIFFFile) -> Int { file.build().bytes.count - file.pixels.count }

        private func patch(_ file: inout ByteBuilder, tag: Int, count: Int, offset: Int) {
            for entry in stride(from: 10, to: file.bytes.count - 12, by: 12)
            where Int(file.bytes[entry]) | Int(file.bytes[entry + 1]) << 8 == tag {
                file.set32(count, at: entry + 4)
                file.set32(offset, at: entry + 8)
                return
            }
        }

        @Test(arguments: 0...9) func orientationIsReportedAndLeftToTheFacade(value: Int) throws {
            var file = rgb
            file.tags[274] = (3, [value])
            let output = try decoder.decode(file.build())
            #expect(output.bitmap.pixels == [[.red, .green], [.blue, .white]])
            #expect(output.info.orientation == ImageOrientation(rawValue: value) ?? .up)
        }

        @Test func cutFiles() throws {
            var file = rgb
            file.tags[278] = (4, [1])
            var built = file.build()
            // Two strips of one row each, so that the first is whole.
            let offsets = built.bytes.count
            built.u32(firstPixel(file), firstPixel(file) + 6)
            let counts = built.bytes.count
            built.u32(6, 600)
            patch(&built, tag: 273, count: 2, offset: offsets)
            patch(&built, tag: 279, count: 2, offset: counts)
            let output = try decoder.decode(built)
            #expect(output.bitmap.pixel(0, 0) == .red)
            // The second strip lies behind the end.
            built.set32(built.bytes.count - 3, at: offsets + 4)
            #expect(throws: ImagingError.truncated(.tiff)) { try decoder.decode(built) }
            let lenient = try decoder.decode(built, isLenient: true)
            #expect(lenient.isPartial && lenient.bitmap.pixels == [[.red, .green], [.clear, .clear]])
        }

        @Test func directoryBehindAPrefixNeedsMoreData() throws {
            let data = rgb.build(directoryFirst: false).data
            #expect {
                try decoder.info(data.prefix(12), isComplete: false, limits: DecodeLimits())
            } throws: { error in
                guard case ImagingError.needsMoreData(.tiff, let count?) = error else { return false }
                return count > 12 && count <= data.count
            }
            #expect(throws: ImagingError.truncated(.tiff)) {
                try decoder.info(data.prefix(12), isComplete: true, limits: DecodeLimits())
            }
        }

        @Test(arguments: [(65535, 65535), (Int(Int32.max), 1), (1 << 20, 1 << 20)])
        func hugeSizesAreRefusedFromTheHeader(width: Int, height: Int) {
            var file = rgb
            file.tags[256] = (4, [width])
            file.tags[257] = (4, [height])
            let expected = ImagingError.imageTooLarge(width: width, height: height, limit: 100_000_000)
            #expect(throws: expected) { try decoder.decode(file.build()) }
            #expect(throws: expected) { try info(file.build()) }
        }

        @Test func hugeTilesAreRefused() {
            var file = rgb
            file.tags[322] = (4, [65536])
            file.tags[323] = (4, [65536])
            file.tags[324] = (4, [8])
            file.tags[325] = (4, [100])
            #expect(throws: ImagingError.imageTooLarge(width: 65536, height: 65536, limit: 100_000_000)) {
                try decoder.decode(file.build())
            }
        }

        @Test func hostileBytes() {
            var alpha = TIFFFile(
                width: 3, height: 3, bits: [8, 8, 8, 8], photometric: 2, pixels: [UInt8](repeating: 77, count: 36))
            alpha.tags[338] = (3, [1])
            for (seed, file) in [rgb.build(), rgb.build(directoryFirst: false), alpha.build()].enumerated() {
                let hostile = HostileBytes(decoder, file.data)
                hostile.truncateEverywhere(needed: hostile.original.count - 1)
                hostile.flipBits(rounds: 3000, seed: UInt64(seed))
            }
        }
    }
#endif
