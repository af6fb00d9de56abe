#if JXL
    import CJXL

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// JPEG XL through libjxl, lossy or lossless, with alpha.
    public struct JXLEncoder: ImageEncoder {
        public init() {}

        public var format: ImageFormat { .jxl }

        public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws -> Data {
            guard let encoder = JxlEncoderCreate(nil) else {
                throw ImagingError.processorFailed("libjxl has no memory for an encoder")
            }
            defer { JxlEncoderDestroy(encoder) }
            var basic = JxlBasicInfo()
            JxlEncoderInitBasicInfo(&basic)
            basic.xsize = UInt32(bitmap.width)
            basic.ysize = UInt32(bitmap.height)
            basic.bits_per_sample = 8
            basic.uses_original_profile = options.isLossless ? JXL_TRUE : JXL_FALSE
            basic.num_extra_channels = bitmap.isOpaque ? 0 : 1
            basic.alpha_bits = bitmap.isOpaque ? 0 : 8
            try Self.check(JxlEncoderSetBasicInfo(encoder, &basic))
            var color = JxlColorEncoding()
            JxlColorEncodingSetToSRGB(&color, JXL_FALSE)
            try Self.check(JxlEncoderSetColorEncoding(encoder, &color))
            guard let settings = JxlEncoderFrameSettingsCreate(encoder, nil) else {
                throw ImagingError.processorFailed("libjxl has no memory for its settings")
            }
            // 0…9 onto libjxl's efforts, which begin at 1.
            let effort = Int64(min(max(options.effort ?? 5, 1), 9))
            try Self.check(JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, effort))
            if options.isLossless {
                try Self.check(JxlEncoderSetFrameLossless(settings, JXL_TRUE))
            } else {
                try Self.check(JxlEncoderSetFrameDistance(settings, Self.distance(options.quality)))
            }
            try Self.add(bitmap, to: settings)
            JxlEncoderCloseInput(encoder)
            return try Self.output(encoder)
        }

        /// Butteraugli distance for a quality as JPEG's users know it, as libjxl's own tool maps it.
        static func distance(_ quality: Int) -> Float {
            let quality = Float(min(max(quality, 0), 100))
            if quality >= 100 { return 0.01 }
            if quality >= 30 { return 0.1 + (100 - quality) * 0.09 }
            return min(15, 53.0 / 3000 * quality * quality - 23.0 / 20 * quality + 25)
        }

        private static func add(_ bitmap: Bitmap, to settings: OpaquePointer) throws {
            var pixels = bitmap.straightPixels()
            if bitmap.isOpaque {
                // Without alpha only three channels may be given.
                for index in 0..<bitmap.width * bitmap.height {
                    for channel in 0..<3 { pixels[index * 3 + channel] = pixels[index * 4 + channel] }
                }
                pixels.removeLast(bitmap.width * bitmap.height)
            }
            var format = JxlPixelFormat(
                num_channels: bitmap.isOpaque ? 3 : 4, data_type: JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN,
                align: 0)
            try check(pixels.withUnsafeBytes { JxlEncoderAddImageFrame(settings, &format, $0.baseAddress, $0.count) })
        }

        private static func output(_ encoder: OpaquePointer) throws -> Data {
            var result = Data()
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let (status, written) = chunk.withUnsafeMutableBufferPointer { buffer in
                    var next = buffer.baseAddress
                    var available = buffer.count
                    let status = JxlEncoderProcessOutput(encoder, &next, &available)
                    return (status, buffer.count - available)
                }
                result.append(contentsOf: chunk[..<written])
                switch status {
                case JXL_ENC_SUCCESS: return result
                case JXL_ENC_NEED_MORE_OUTPUT: continue
                default: throw ImagingError.processorFailed("libjxl could not encode")
                }
            }
        }

        private static func check(_ status: JxlEncoderStatus) throws {
            guard status == JXL_ENC_SUCCESS else { throw ImagingError.processorFailed("libjxl could not encode") }
        }
    }
#endif
