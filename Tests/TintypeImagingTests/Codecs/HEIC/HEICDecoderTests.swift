#if HEIC
    import Foundation
    import Testing

    @testable import TintypeImaging

    @Suite struct HEICDecoderTests {
        private let decoder = HEICDecoder()

        /// Three by two colours in blocks of 32 pixels, HEVC 4:4:4 without loss.
        private let sample: [[Pixel]] = [[.red, .green, .blue], [.white, .black, Pixel(255, 255, 0)]]

        private func fixture(_ name: String) throws -> Data {
            let url = try #require(
                Bundle.module.url(forResource: name, withExtension: "heic", subdirectory: "Fixtures"))
            return try Data(contentsOf: url)
        }

        private func decoded(_ data: Data) throws -> DecoderOutput {
            try decoder.decode(data, options: DecodeOptions())
        }

        private func colors(_ bitmap: Bitmap) -> [[Pixel]] {
            (0..<bitmap.height / 32).map { y in
                (0..<bitmap.width / 32).map { x in bitmap.pixel(x * 32 + 9, y * 32 + 9) }
            }
        }

        private func expectClose(_ bitmap: Bitmap, _ expected: [[Pixel]]) {
            let found = colors(bitmap)
            #expect(found.count == expected.count && found.first?.count == expected.first?.count)
            for (a, b) in zip(found.joined(), expected.joined()) { #expect(a.distance(to: b) <= 3, "\(a) and \(b)") }
        }

        @Test func colorsAndFacts() throws {
            let output = try decoded(try fixture("blocks"))
            expectClose(output.bitmap, sample)
            #expect(output.bitmap.isOpaque && !output.info.hasAlpha && output.info.bitDepth == 8)
            #expect(output.info.size == PixelSize(width: 96, height: 64) && output.info.orientation == .up)
        }

        @Test func tenBitsWithAlpha() throws {
            let output = try decoded(try fixture("blocks-alpha-10bit"))
            #expect(output.info.bitDepth == 10 && output.info.hasAlpha)
            #expect(output.bitmap.pixel(9, 9).distance(to: .red) <= 3)
            // Alpha is 128 from the 48th column on.
            #expect(output.bitmap.pixel(55, 9).distance(to: Pixel(0, 128, 0, 128)) <= 3)
            #expect(output.bitmap.pixel(70, 9).distance(to: Pixel(0, 0, 128, 128)) <= 3)
        }

        @Test("Data larger than the header says is refused before it is decoded") func hiddenSize() throws {
            var bytes = [UInt8](try fixture("blocks"))
            func find(_ name: String) throws -> Int {
                let code = Array(name.utf8)
                return try #require(bytes.indices.first { Array(bytes[$0..<min($0 + 4, bytes.count)]) == code })
            }
            let extent = try find("ispe")
            bytes.replaceSubrange(extent + 8..<extent + 16, with: bigEndian([16, 16]))
            // The rest of the data cannot be decoded, so the size was found without decoding.
            let media = try find("mdat") + 24
            for index in media..<bytes.count { bytes[index] = 0xFF }
            var options = DecodeOptions()
            options.limits.maximumPixelCount = 5000
            #expect(throws: ImagingError.imageTooLarge(width: 96, height: 64, limit: 5000)) {
                try decoder.decode(Data(bytes), options: options)
            }
        }

        @Test(arguments: 0...3) func irotTurnsAntiClockwiseOnce(angle: Int) throws {
            let data = try HEIFFile(try fixture("blocks")).adding("irot", [UInt8(angle)])
            let (r, g, b, w, k, y) = (Pixel.red, Pixel.green, Pixel.blue, Pixel.white, Pixel.black, sample[1][2])
            let expected: [[Pixel]] = [
                [[r, g, b], [w, k, y]], [[b, y], [g, k], [r, w]], [[y, k, w], [b, g, r]], [[w, r], [k, g], [y, b]],
            ][angle]
            let output = try decoded(data)
            expectClose(output.bitmap, expected)
            #expect(output.info.size == output.bitmap.size && output.info.orientation == .up)
        }

        @Test(arguments: [0, 1]) func imirMirrors(axis: Int) throws {
            let data = try HEIFFile(try fixture("blocks")).adding("imir", [UInt8(axis)])
            expectClose(
                try decoded(data).bitmap, axis == 0 ? Array(sample.reversed()) : sample.map { Array($0.reversed()) })
        }

        @Test func clapCrops() throws {
            let numbers = bigEndian([32, 1, 64, 1, 32, 1, 0, 1])
            let output = try decoded(try HEIFFile(try fixture("blocks")).adding("clap", numbers))
            expectClose(output.bitmap, [[.blue], [sample[1][2]]])
            #expect(output.info.size == PixelSize(width: 32, height: 64))
        }

        @Test(arguments: ["plain", "turned", "cropped", "alpha"]) func prefixTellsTheSameAsTheFile(kind: String) throws
        {
            var data = try fixture(kind == "alpha" ? "blocks-alpha-10bit" : "blocks")
            if kind == "turned" { data = try HEIFFile(data).adding("irot", [1]) }
            if kind == "cropped" {
                data = try HEIFFile(data).adding("clap", bigEndian([32, 1, 64, 1, 0, 1, 0, 1]))
            }
            let limits = DecodeLimits()
            let whole = try decoder.info(data, isComplete: true, limits: limits)
            #expect(try decoder.info(data.prefix(700), isComplete: false, limits: limits) == whole)
            for length in [0, 10, 30, 200] {
                #expect("\(length) bytes") {
                    try decoder.info(data.prefix(length), isComplete: false, limits: limits)
                } throws: { error in
                    if case ImagingError.needsMoreData(.heic, _) = error { true } else { false }
                }
            }
        }

        @Test func sizeLimitIsCheckedFromTheHeader() throws {
            var options = DecodeOptions()
            options.limits.maximumPixelCount = 96 * 64 - 1
            let expected = ImagingError.imageTooLarge(width: 96, height: 64, limit: 96 * 64 - 1)
            let data = try fixture("blocks")
            #expect(throws: expected) { try decoder.decode(data, options: options) }
            #expect(throws: expected) { try decoder.info(data, isComplete: true, limits: options.limits) }
            #expect(throws: expected) { try decoder.info(data.prefix(900), isComplete: false, limits: options.limits) }
        }

        @Test func hostileBytes() throws {
            let hostile = HostileBytes(decoder, try fixture("blocks"))
            hostile.truncateEverywhere(step: 3)
            hostile.flipBits(rounds: 300)
        }
    }
#endif
