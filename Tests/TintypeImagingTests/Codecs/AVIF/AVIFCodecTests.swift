#if AVIF
    import CAVIF
    import Foundation
    import Testing

    @testable import TintypeImaging

    @Suite struct AVIFCodecTests {
        private let decoder = AVIFDecoder()

        private func encoded(_ bitmap: Bitmap, isLossless: Bool, quality: Int = 85) throws -> Data {
            var options = EncodeOptions()
            options.isLossless = isLossless
            options.quality = quality
            options.effort = 1
            return try AVIFEncoder().encode(bitmap, options: options)
        }

        private func decoded(_ data: Data) throws -> DecoderOutput {
            try decoder.decode(data, options: DecodeOptions())
        }

        /// Three by two colours that no turn or mirror maps onto themselves.
        private let sample: [[Pixel]] = [
            [.red, .green, .blue], [.white, .black, Pixel(255, 255, 0)],
        ]

        /// The colours as blocks of 8 pixels.
        private func blocks() throws -> Bitmap {
            try Bitmap.made(24, 16, isOpaque: true) { x, y in sample[y / 8][x / 8] }
        }

        private func colors(_ bitmap: Bitmap) -> [[Pixel]] {
            (0..<bitmap.height / 8).map { y in (0..<bitmap.width / 8).map { x in bitmap.pixel(x * 8 + 4, y * 8 + 4) } }
        }

        @Test func losslessIsExact() throws {
            let bitmap = try Bitmap.gradient(37, 23)
            let output = try decoded(try encoded(bitmap, isLossless: true))
            #expect(output.bitmap.distance(to: bitmap) == 0)
            #expect(output.bitmap.isOpaque && !output.info.hasAlpha && output.info.bitDepth == 8)
            #expect(output.info.colorSpace == "sRGB" && !output.info.isHDR && !output.info.isAnimated)
        }

        @Test func losslessAlphaIsExact() throws {
            let bitmap = try Bitmap.made(16, 16) { x, y in
                y < 8 ? Pixel(UInt8(x * 17), 0, 0, UInt8(x * 17)) : Pixel(0, UInt8(x * 8), UInt8(x * 16), 255)
            }
            let output = try decoded(try encoded(bitmap, isLossless: true))
            #expect(output.bitmap.distance(to: bitmap) == 0)
            #expect(output.info.hasAlpha && !output.bitmap.isOpaque)
        }

        @Test func lossyIsClose() throws {
            let bitmap = try Bitmap.gradient(64, 48)
            for quality in [60, 95] {
                let output = try decoded(try encoded(bitmap, isLossless: false, quality: quality))
                #expect(try #require(output.bitmap.distance(to: bitmap)) <= (quality > 90 ? 10 : 24))
            }
        }

        private func adding(_ name: String, _ content: [UInt8], to data: Data) throws -> Data {
            try HEIFFile(data).adding(name, content)
        }

        @Test(arguments: 0...3) func irotTurnsAntiClockwise(angle: Int) throws {
            let data = try adding("irot", [UInt8(angle)], to: encoded(blocks(), isLossless: true))
            let (r, g, b, w, k, y) = (Pixel.red, Pixel.green, Pixel.blue, Pixel.white, Pixel.black, sample[1][2])
            let expected: [[Pixel]] = [
                [[r, g, b], [w, k, y]], [[b, y], [g, k], [r, w]], [[y, k, w], [b, g, r]], [[w, r], [k, g], [y, b]],
            ][angle]
            let output = try decoded(data)
            #expect(colors(output.bitmap) == expected)
            #expect(output.info.size == output.bitmap.size && output.info.orientation == .up)
            #expect(try decoder.info(data, isComplete: true, limits: DecodeLimits()).size == output.bitmap.size)
        }

        @Test(arguments: [0, 1]) func imirMirrors(axis: Int) throws {
            let data = try adding("imir", [UInt8(axis)], to: encoded(blocks(), isLossless: true))
            let expected = axis == 0 ? Array(sample.reversed()) : sample.map { Array($0.reversed()) }
            #expect(colors(try decoded(data).bitmap) == expected)
        }

        @Test func irotThenImir() throws {
            let turned = try adding("irot", [1], to: encoded(blocks(), isLossless: true))
            let data = try adding("imir", [1], to: turned)
            let (r, g, b, w, k, y) = (Pixel.red, Pixel.green, Pixel.blue, Pixel.white, Pixel.black, sample[1][2])
            #expect(colors(try decoded(data).bitmap) == [[y, b], [k, g], [w, r]])
        }

        /// Two tiles beside each other, red and blue, by libavif's own encoder.
        private func grid() throws -> Data {
            let encoder = try #require(avifEncoderCreate())
            defer { avifEncoderDestroy(encoder) }
            encoder.pointee.speed = 10
            var tiles: [UnsafeMutablePointer<avifImage>?] = []
            defer { for tile in tiles { avifImageDestroy(tile) } }
            for color in [Pixel.red, .blue] {
                let tile = try #require(avifImageCreate(64, 64, 8, AVIF_PIXEL_FORMAT_YUV444))
                tiles.append(tile)
                var pixels = (0..<64 * 64).flatMap { _ -> [UInt8] in [color.red, color.green, color.blue, 255] }
                let result = pixels.withUnsafeMutableBufferPointer { pixels in
                    var rgb = avifRGBImage()
                    avifRGBImageSetDefaults(&rgb, tile)
                    rgb.ignoreAlpha = 1
                    rgb.pixels = pixels.baseAddress
                    rgb.rowBytes = 64 * 4
                    return avifImageRGBToYUV(tile, &rgb)
                }
                try #require(result == AVIF_RESULT_OK)
            }
            let cells = tiles.map { $0.map { UnsafePointer($0) } }
            let added = cells.withUnsafeBufferPointer {
                avifEncoderAddImageGrid(
                    encoder, 2, 1, $0.baseAddress, avifAddImageFlags(AVIF_ADD_IMAGE_FLAG_SINGLE.rawValue))
            }
            try #require(added == AVIF_RESULT_OK)
            var output = avifRWData()
            defer { avifRWDataFree(&output) }
            try #require(avifEncoderFinish(encoder, &output) == AVIF_RESULT_OK)
            return Data(bytes: try #require(output.data), count: output.size)
        }

        @Test("A grid of tiles, in the order that it names them") func grids() throws {
            var data = try grid()
            let output = try decoded(data)
            #expect(output.bitmap.size == PixelSize(width: 128, height: 64))
            #expect(output.bitmap.pixel(20, 30).distance(to: .red) <= 6)
            #expect(output.bitmap.pixel(100, 30).distance(to: .blue) <= 6)
            // dimg: from, count, and the two tiles, which change places.
            let name = try #require(data.range(of: Data("dimg".utf8)))
            let tiles = name.upperBound + 4
            data.replaceSubrange(tiles..<tiles + 4, with: data[tiles + 2..<tiles + 4] + data[tiles..<tiles + 2])
            let swapped = try decoded(data)
            #expect(swapped.bitmap.pixel(20, 30).distance(to: .blue) <= 6)
            #expect(swapped.bitmap.pixel(100, 30).distance(to: .red) <= 6)
            var options = DecodeOptions()
            options.limits.maximumPixelCount = 5000
            #expect(throws: ImagingError.imageTooLarge(width: 128, height: 64, limit: 5000)) {
                try decoder.decode(data, options: options)
            }
            #expect(throws: ImagingError.truncated(.avif)) { try decoded(data.dropLast(20)) }
        }

        @Test func clapCrops() throws {
            // 8x16 around a centre that lies 8 to the right: the right third.
            let numbers = bigEndian([8, 1, 16, 1, 8, 1, 0, 1])
            let data = try adding("clap", numbers, to: encoded(blocks(), isLossless: true))
            let output = try decoded(data)
            #expect(colors(output.bitmap) == [[.blue], [sample[1][2]]])
            #expect(output.warnings.isEmpty && output.info.size == PixelSize(width: 8, height: 16))
        }

        @Test func clapOutsideTheImageIsIgnored() throws {
            let numbers = bigEndian([8, 1, 16, 1, 80, 1, 0, 1])
            let data = try adding("clap", numbers, to: encoded(blocks(), isLossless: true))
            let output = try decoded(data)
            #expect(colors(output.bitmap) == sample)
            #expect(output.warnings.count == 1)
        }

        /// Replaces the colour code points in the `colr` box.
        private func naming(primaries: Int, transfer: Int, _ data: Data) throws -> Data {
            var bytes = [UInt8](data)
            let code = Array("nclx".utf8)
            let start = try #require(bytes.indices.first { Array(bytes[$0..<min($0 + 4, bytes.count)]) == code })
            bytes[start + 5] = UInt8(primaries)
            bytes[start + 7] = UInt8(transfer)
            return Data(bytes)
        }

        @Test func wideGamutByCodePoints() throws {
            let red = try encoded(try .made(16, 16, isOpaque: true) { _, _ in Pixel(200, 50, 50) }, isLossless: true)
            let output = try decoded(try naming(primaries: 12, transfer: 13, red))
            // Display P3 (200, 50, 50) in sRGB, by the matrices of both spaces.
            #expect(output.bitmap.pixel(3, 3).distance(to: Pixel(218, 24, 40)) <= 2)
            #expect(output.info.colorSpace == "Display P3" && !output.info.isHDR)
        }

        @Test(arguments: [16, 18]) func hdrIsFlaggedAndMapped(transfer: Int) throws {
            func shown(_ level: UInt8) throws -> (Pixel, ImageInfo) {
                let plain = try encoded(
                    try .made(16, 16, isOpaque: true) { _, _ in Pixel(level, level, level) }, isLossless: true)
                let output = try decoded(try naming(primaries: 9, transfer: transfer, plain))
                return (output.bitmap.pixel(3, 3), output.info)
            }
            // The code for the reference white of 203 cd/m² (ITU-R BT.2408): 58 % of PQ, 75 % of HLG.
            let (white, info) = try shown(transfer == 16 ? 148 : 191)
            #expect(info.isHDR && info.colorSpace.hasPrefix("Rec. 2020"))
            #expect((215...245).contains(white.red) && white.red == white.green)
            #expect(try shown(0).0 == .black)
            #expect(try shown(255).0 == .white)
            // Light well below white keeps its place: 26 cd/m² is 13 % of white, sRGB 101.
            if transfer == 16 { #expect((92...110).contains(try shown(95).0.red)) }
        }

        @Test func headerOfAPrefix() throws {
            let data = try encoded(try .gradient(40, 30), isLossless: false)
            let limits = DecodeLimits()
            let info = try decoder.info(data.prefix(400), isComplete: false, limits: limits)
            #expect(info.size == PixelSize(width: 40, height: 30))
            #expect {
                try decoder.info(data.prefix(100), isComplete: false, limits: limits)
            } throws: { error in
                guard case ImagingError.needsMoreData(.avif, let count?) = error else { return false }
                return count > 100 && count <= data.count
            }
            #expect(throws: ImagingError.truncated(.avif)) {
                try decoder.info(data.prefix(100), isComplete: true, limits: limits)
            }
        }

        @Test func sizeLimitIsCheckedFromTheHeader() throws {
            let data = try encoded(try .gradient(40, 30), isLossless: false)
            var options = DecodeOptions()
            options.limits.maximumPixelCount = 1199
            let expected = ImagingError.imageTooLarge(width: 40, height: 30, limit: 1199)
            #expect(throws: expected) { try decoder.decode(data, options: options) }
            #expect(throws: expected) { try decoder.info(data, isComplete: true, limits: options.limits) }
        }

        @Test func truncatedIsNotShown() throws {
            let data = try encoded(try .gradient(64, 64), isLossless: false)
            #expect(throws: ImagingError.truncated(.avif)) { try decoded(data.prefix(data.count - 20)) }
        }

        @Test("A file whose item claims gigabytes takes no memory for them", arguments: [false, true])
        func itemOfGigabytes(isLenient: Bool) throws {
            let file = try #require(
                Bundle.module.url(
                    forResource: "item-of-gigabytes", withExtension: "avif", subdirectory: "Fixtures"))
            var options = DecodeOptions()
            options.isLenient = isLenient
            let before = try peakOfAddresses()
            #expect(throws: ImagingError.self) { try decoder.decode(Data(contentsOf: file), options: options) }
            #expect(try peakOfAddresses() - before < 2 << 30)
        }

        /// The most bytes of address space that the process ever had: what is allocated counts, touched or not.
        private func peakOfAddresses() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmPeak:") })
            return try #require(Int(line.filter(\.isNumber))) << 10
        }

        @Test func hostileBytes() throws {
            let hostile = HostileBytes(decoder, try encoded(try .gradient(16, 16), isLossless: false))
            hostile.truncateEverywhere()
            hostile.flipBits(rounds: 400)
        }
    }
#endif
