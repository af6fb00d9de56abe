#if JXL
    import CJXL
    import Foundation
    import Testing

    @testable import TintypeImaging

    @Suite struct JXLCodecTests {
        private let decoder = JXLDecoder()

        private func encoded(_ bitmap: Bitmap, isLossless: Bool, quality: Int = 90) throws -> Data {
            var options = EncodeOptions()
            options.isLossless = isLossless
            options.quality = quality
            options.effort = 3
            return try JXLEncoder().encode(bitmap, options: options)
        }

        private func decoded(_ data: Data, isLenient: Bool = false) throws -> DecoderOutput {
            var options = DecodeOptions()
            options.isLenient = isLenient
            return try decoder.decode(data, options: options)
        }

        @Test func losslessIsExact() throws {
            let bitmap = try Bitmap.gradient(37, 23)
            let output = try decoded(try encoded(bitmap, isLossless: true))
            #expect(output.bitmap.distance(to: bitmap) == 0)
            #expect(output.bitmap.isOpaque && !output.info.hasAlpha && output.info.bitDepth == 8)
            #expect(output.info.colorSpace == "sRGB" && output.warnings.isEmpty)
        }

        @Test func losslessAlphaIsExact() throws {
            let bitmap = try Bitmap.made(16, 2) { x, y in
                y == 0 ? Pixel(UInt8(x * 17), 0, 0, UInt8(x * 17)) : Pixel(0, UInt8(x * 8), UInt8(x * 16), 255)
            }
            let output = try decoded(try encoded(bitmap, isLossless: true))
            #expect(output.bitmap.distance(to: bitmap) == 0)
            #expect(output.info.hasAlpha && !output.bitmap.isOpaque)
        }

        @Test func lossyIsClose() throws {
            let bitmap = try Bitmap.gradient(96, 64)
            let output = try decoded(try encoded(bitmap, isLossless: false, quality: 95))
            let distance = try #require(output.bitmap.meanDistance(to: bitmap))
            #expect(distance <= 4, "\(distance)")
        }

        /// An image whose header asks to be turned.
        private func turned(_ orientation: Int) throws -> Data {
            let encoder = try #require(JxlEncoderCreate(nil))
            defer { JxlEncoderDestroy(encoder) }
            var basic = JxlBasicInfo()
            JxlEncoderInitBasicInfo(&basic)
            (basic.xsize, basic.ysize, basic.bits_per_sample) = (3, 2, 8)
            basic.uses_original_profile = JXL_TRUE
            basic.orientation = JxlOrientation(rawValue: UInt32(orientation))
            JxlEncoderSetBasicInfo(encoder, &basic)
            var color = JxlColorEncoding()
            JxlColorEncodingSetToSRGB(&color, JXL_FALSE)
            JxlEncoderSetColorEncoding(encoder, &color)
            let settings = try #require(JxlEncoderFrameSettingsCreate(encoder, nil))
            JxlEncoderSetFrameLossless(settings, JXL_TRUE)
            let pixels: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255, 255, 0]
            var format = JxlPixelFormat(
                num_channels: 3, data_type: JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN, align: 0)
            #expect(JxlEncoderAddImageFrame(settings, &format, pixels, pixels.count) == JXL_ENC_SUCCESS)
            JxlEncoderCloseInput(encoder)
            var output = [UInt8](repeating: 0, count: 4096)
            let written = output.withUnsafeMutableBufferPointer { buffer in
                var next = buffer.baseAddress
                var available = buffer.count
                _ = JxlEncoderProcessOutput(encoder, &next, &available)
                return buffer.count - available
            }
            return Data(output[..<written])
        }

        @Test(arguments: 1...8) func orientationIsAppliedOnce(orientation: Int) throws {
            let plain: [[Pixel]] = [[.red, .green, .blue], [.white, .black, Pixel(255, 255, 0)]]
            let stored = try Bitmap.made(3, 2, isOpaque: true) { x, y in plain[y][x] }
            let expected = try stored.oriented(try #require(ImageOrientation(rawValue: orientation)))
            let data = try turned(orientation)
            let output = try ImageCodecs.standard.decode(data)
            #expect(output.bitmap.pixels == expected.pixels)
            #expect(output.info.size == expected.size && output.info.orientation == .up)
            #expect(try decoder.info(data, isComplete: true, limits: DecodeLimits()).size == expected.size)
        }

        @Test func headerOfAPrefix() throws {
            let data = try encoded(try .gradient(400, 300), isLossless: false)
            let limits = DecodeLimits()
            let info = try decoder.info(data.prefix(200), isComplete: false, limits: limits)
            #expect(info.size == PixelSize(width: 400, height: 300))
            #expect(throws: ImagingError.needsMoreData(.jxl, byteCount: nil)) {
                try decoder.info(data.prefix(2), isComplete: false, limits: limits)
            }
            #expect(throws: ImagingError.truncated(.jxl)) {
                try decoder.info(data.prefix(2), isComplete: true, limits: limits)
            }
        }

        @Test func cutFiles() throws {
            let data = try encoded(try .gradient(600, 400), isLossless: false)
            let cut = data.prefix(data.count * 9 / 10)
            #expect(throws: ImagingError.truncated(.jxl)) { try decoded(Data(cut)) }
            let output = try decoded(Data(cut), isLenient: true)
            #expect(output.isPartial && output.bitmap.size == PixelSize(width: 600, height: 400))
            // At an eighth of the detail or better, a gradient looks much like itself.
            #expect(output.bitmap.pixel(300, 200).distance(to: Pixel(128, 128, 128)) <= 24)
        }

        @Test func bytesThatArriveShowPreviewsAndThenTheImage() throws {
            let bitmap = try Bitmap.gradient(600, 400)
            let data = try encoded(bitmap, isLossless: false)
            let incremental = try #require(decoder.incrementalDecoder(options: DecodeOptions()))
            var previews = 0
            var last: DecoderOutput?
            for start in stride(from: 0, to: data.count, by: 256) {
                try incremental.append(data[start..<min(start + 256, data.count)])
                guard let preview = try incremental.preview() else { continue }
                #expect(preview.bitmap.size == bitmap.size)
                previews += 1
                last = preview
            }
            #expect(previews >= 1)
            #expect(try #require(last).isPartial == false)
            #expect(try last?.bitmap.distance(to: decoded(data).bitmap) == 0)
        }

        @Test func sizeLimitIsCheckedFromTheHeader() throws {
            let data = try encoded(try .gradient(40, 30), isLossless: true)
            var options = DecodeOptions()
            options.limits.maximumPixelCount = 1199
            let expected = ImagingError.imageTooLarge(width: 40, height: 30, limit: 1199)
            #expect(throws: expected) { try decoder.decode(data, options: options) }
            #expect(throws: expected) { try decoder.info(data, isComplete: true, limits: options.limits) }
        }

        @Test func hostileBytes() throws {
            for isLossless in [false, true] {
                let hostile = HostileBytes(decoder, try encoded(try .gradient(16, 16), isLossless: isLossless))
                // The last bytes are padding.
                hostile.truncateEverywhere(needed: hostile.original.count / 2)
                hostile.flipBits(rounds: 500)
            }
        }
    }
#endif
