#if JXL
    import CJXL

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// JPEG XL through libjxl, lossy or lossless, with alpha, still and animated.
    public struct JXLEncoder: ImageEncoder {
        public init() {}

        public var format: ImageFormat { .jxl }

        public var canAnimate: Bool { true }

        public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws -> Data {
            let session = try JXLEncodingSession(
                size: bitmap.size, hasAlpha: !bitmap.isOpaque, loopCount: nil, options: options)
            try session.append(bitmap, duration: 0)
            return try session.finish()
        }

        /// Whole frames with durations in milliseconds, of which two are held at a time.
        public func encode(
            frames: some Sequence<EncodableFrame>, poster: Bitmap?, loopCount: Int, options: EncodeOptions
        ) throws -> Data {
            var check = AnimationFrameCheck(.jxl, maximumSide: 1 << 30)
            var session: JXLEncodingSession?
            for frame in frames {
                try check.check(frame.bitmap)
                // Whether a later frame has alpha is not known yet.
                let current =
                    try session
                    ?? JXLEncodingSession(
                        size: frame.bitmap.size, hasAlpha: true, loopCount: loopCount, options: options)
                session = current
                try current.append(frame.bitmap, duration: frame.duration)
            }
            try check.finish()
            return try session?.finish() ?? Data()
        }

        /// Butteraugli distance for a quality as JPEG's users know it, as libjxl's own tool maps it.
        static func distance(_ quality: Int) -> Float {
            let quality = Float(min(max(quality, 0), 100))
            if quality >= 100 { return 0.01 }
            if quality >= 30 { return 0.1 + (100 - quality) * 0.09 }
            return min(15, 53.0 / 3000 * quality * quality - 23.0 / 20 * quality + 25)
        }
    }

    /// One image or animation that is being encoded.
    private final class JXLEncodingSession {
        private let encoder: OpaquePointer
        private let hasAlpha: Bool
        private let isAnimated: Bool
        private let options: EncodeOptions
        private var result = Data()
        /// The frame that is not yet known to be the last one.
        private var waiting: (bitmap: Bitmap, duration: Double)?

        /// - Parameter loopCount: nil for a still.
        init(size: PixelSize, hasAlpha: Bool, loopCount: Int?, options: EncodeOptions) throws {
            guard let encoder = JxlEncoderCreate(nil) else {
                throw ImagingError.outOfMemory(byteCount: nil)
            }
            self.encoder = encoder
            self.hasAlpha = hasAlpha
            self.options = options
            isAnimated = loopCount != nil
            // From here on `deinit` frees it, also when this throws.
            var basic = JxlBasicInfo()
            JxlEncoderInitBasicInfo(&basic)
            basic.xsize = UInt32(size.width)
            basic.ysize = UInt32(size.height)
            basic.bits_per_sample = 8
            basic.uses_original_profile = options.isLossless ? JXL_TRUE : JXL_FALSE
            basic.num_extra_channels = hasAlpha ? 1 : 0
            basic.alpha_bits = hasAlpha ? 8 : 0
            if let loopCount {
                basic.have_animation = JXL_TRUE
                basic.animation.tps_numerator = 1000
                basic.animation.tps_denominator = 1
                basic.animation.num_loops = UInt32(clamping: loopCount)
                basic.animation.have_timecodes = JXL_FALSE
            }
            try Self.check(JxlEncoderSetBasicInfo(encoder, &basic))
            var color = JxlColorEncoding()
            JxlColorEncodingSetToSRGB(&color, JXL_FALSE)
            try Self.check(JxlEncoderSetColorEncoding(encoder, &color))
        }

        deinit { JxlEncoderDestroy(encoder) }

        /// Encodes the frame before this one, which is not the last.
        func append(_ bitmap: Bitmap, duration: Double) throws {
            if let waiting {
                try add(waiting.bitmap, duration: waiting.duration)
                try writeOutput()
            }
            waiting = (bitmap, duration)
        }

        private func add(_ bitmap: Bitmap, duration: Double) throws {
            guard let settings = JxlEncoderFrameSettingsCreate(encoder, nil) else {
                throw ImagingError.outOfMemory(byteCount: nil)
            }
            // 0…9 onto libjxl's efforts, which begin at 1.
            let effort = Int64(min(max(options.effort ?? 5, 1), 9))
            try Self.check(JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, effort))
            if options.isLossless {
                try Self.check(JxlEncoderSetFrameLossless(settings, JXL_TRUE))
            } else {
                try Self.check(JxlEncoderSetFrameDistance(settings, JXLEncoder.distance(options.quality)))
            }
            if isAnimated {
                var header = JxlFrameHeader()
                JxlEncoderInitFrameHeader(&header)
                let milliseconds = duration.isFinite ? max(0, duration) * 1000 : 0
                header.duration = UInt32(min(milliseconds.rounded(), 2_000_000_000))
                try Self.check(JxlEncoderSetFrameHeader(settings, &header))
            }
            try add(bitmap, to: settings)
        }

        private func add(_ bitmap: Bitmap, to settings: OpaquePointer) throws {
            // Without alpha only three channels may be given.
            let channelCount = hasAlpha ? 4 : 3
            let storage = try bitmap.straightPixels()
            defer { withExtendedLifetime(storage) {} }
            let pixels = UnsafeMutableRawBufferPointer(rebasing: storage.bytes[..<(bitmap.size.area * channelCount)])
            if !hasAlpha, let bytes = storage.bytes.bindMemory(to: UInt8.self).baseAddress {
                for index in 0..<bitmap.size.area {
                    for channel in 0..<3 { bytes[index * 3 + channel] = bytes[index * 4 + channel] }
                }
            }
            var format = JxlPixelFormat(
                num_channels: UInt32(channelCount), data_type: JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN, align: 0)
            try Self.check(JxlEncoderAddImageFrame(settings, &format, pixels.baseAddress, pixels.count))
        }

        func finish() throws -> Data {
            if let waiting { try add(waiting.bitmap, duration: waiting.duration) }
            JxlEncoderCloseInput(encoder)
            try writeOutput()
            return result
        }

        private func writeOutput() throws {
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let (status, written) = chunk.withUnsafeMutableBufferPointer { buffer in
                    var next = buffer.baseAddress
                    var available = buffer.count
                    let status = JxlEncoderProcessOutput(encoder, &next, &available)
                    return (status, buffer.count - available)
                }
                // Growing copies, so that old and new are there at the same time.
                try ImageMemory.check(byteCount: result.count * 3)
                result.append(contentsOf: chunk[..<written])
                switch status {
                case JXL_ENC_SUCCESS: return
                case JXL_ENC_NEED_MORE_OUTPUT: continue
                default: throw ImagingError.notEncodable("libjxl could not encode")
                }
            }
        }

        private static func check(_ status: JxlEncoderStatus) throws {
            guard status == JXL_ENC_SUCCESS else { throw ImagingError.notEncodable("libjxl could not encode") }
        }
    }
#endif
