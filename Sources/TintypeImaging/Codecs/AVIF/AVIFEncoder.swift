#if AVIF
    import CAVIF
    import TintypeBase

    /// AVIF through libavif, lossy (4:2:0, or 4:4:4 from quality 90 on) or lossless, with alpha, still and animated.
    struct AVIFEncoder: ImageEncoder {
        var format: ImageFormat { .avif }

        /// AV1 allows more, but libavif's decoders do not.
        private static let maximumSide = 32_768

        var canAnimate: Bool { true }

        func encode(_ bitmap: Bitmap, options: EncodeOptions) throws -> Data {
            var check = AnimationFrameCheck(.avif, maximumSide: Self.maximumSide)
            try check.check(bitmap)
            let session = try AVIFEncodingSession(options, loopCount: nil)
            try session.append(bitmap, duration: nil)
            return try session.finish()
        }

        /// Encodes a sequence with durations in milliseconds. libavif before 1.0 cannot write the number of loops: players
        /// repeat the sequence forever.
        func encode(
            frames: some Sequence<EncodableFrame>, poster: Bitmap?, loopCount: Int, options: EncodeOptions
        ) throws -> Data {
            var check = AnimationFrameCheck(.avif, maximumSide: Self.maximumSide)
            let session = try AVIFEncodingSession(options, loopCount: loopCount)
            for frame in frames {
                try check.check(frame.bitmap)
                try session.append(frame.bitmap, duration: frame.duration)
            }
            try check.finish()
            return try session.finish()
        }
    }

    /// The encoder of one image or sequence.
    private final class AVIFEncodingSession {
        private let encoder: UnsafeMutablePointer<avifEncoder>
        private let options: EncodeOptions
        /// True for a sequence, whose alpha must begin with the first frame.
        private let keepsAlpha: Bool

        /// - Parameter loopCount: nil for a still.
        init(_ options: EncodeOptions, loopCount: Int?) throws {
            guard let encoder = avifEncoderCreate() else {
                throw ImagingError.notEncodable("libavif has no memory for an encoder")
            }
            self.encoder = encoder
            self.options = options
            keepsAlpha = loopCount != nil
            let quality = min(max(options.quality, 0), 100)
            if options.isLossless {
                ta_set_quality(encoder, 100, 100)
            } else {
                ta_set_quality(encoder, Int32(quality), Int32(min(100, quality + 10)))
            }
            // 0…9 onto libavif's speeds, of which 10 is the fastest.
            encoder.pointee.speed = options.effort.map { Int32(10 - min(max($0, 0), 9)) } ?? 6
            encoder.pointee.maxThreads = 2
            if let loopCount {
                encoder.pointee.timescale = 1000
                ta_set_loop_count(encoder, Int32(clamping: loopCount))
            }
        }

        deinit { avifEncoderDestroy(encoder) }

        /// - Parameter duration: in seconds; nil for a still.
        func append(_ bitmap: Bitmap, duration: Double?) throws {
            let isFull = options.isLossless || options.quality >= 90
            guard
                let image = avifImageCreate(
                    UInt32(bitmap.width), UInt32(bitmap.height), 8,
                    isFull ? AVIF_PIXEL_FORMAT_YUV444 : AVIF_PIXEL_FORMAT_YUV420)
            else { throw ImagingError.outOfMemory(byteCount: nil) }
            defer { avifImageDestroy(image) }
            try fill(image, with: bitmap)
            let milliseconds = duration.map { $0.isFinite ? max(1, ($0 * 1000).rounded()) : 1 } ?? 1
            let flags = duration == nil ? AVIF_ADD_IMAGE_FLAG_SINGLE : AVIF_ADD_IMAGE_FLAG_NONE
            try Self.check(
                avifEncoderAddImage(encoder, image, UInt64(min(milliseconds, 2e9)), avifAddImageFlags(flags.rawValue)))
        }

        func finish() throws -> Data {
            var output = avifRWData()
            defer { avifRWDataFree(&output) }
            try Self.check(avifEncoderFinish(encoder, &output))
            guard let bytes = output.data else { throw ImagingError.notEncodable("libavif gave no bytes") }
            try ImageMemory.check(byteCount: output.size)
            return Data(bytes: bytes, count: output.size)
        }

        private static func check(_ result: avifResult) throws {
            guard result != AVIF_RESULT_OUT_OF_MEMORY else { throw ImagingError.outOfMemory(byteCount: nil) }
            guard result == AVIF_RESULT_OK else {
                let name = avifResultToString(result).map { String(cString: $0) } ?? "error \(result.rawValue)"
                throw ImagingError.notEncodable("libavif could not encode: \(name)")
            }
        }

        /// sRGB in the code points of ITU-T H.273; lossless images keep RGB as it is (matrix 0).
        private func fill(_ image: UnsafeMutablePointer<avifImage>, with bitmap: Bitmap) throws {
            image.pointee.yuvRange = AVIF_RANGE_FULL
            image.pointee.colorPrimaries = 1
            image.pointee.transferCharacteristics = 13
            image.pointee.matrixCoefficients = options.isLossless ? 0 : 6
            let straight = try bitmap.straightPixels()
            let result = withExtendedLifetime(straight) {
                var rgb = avifRGBImage()
                avifRGBImageSetDefaults(&rgb, image)
                rgb.format = AVIF_RGB_FORMAT_RGBA
                rgb.depth = 8
                rgb.ignoreAlpha = bitmap.isOpaque && !keepsAlpha ? AVIF_TRUE : AVIF_FALSE
                rgb.pixels = straight.bytes.bindMemory(to: UInt8.self).baseAddress
                rgb.rowBytes = UInt32(bitmap.width * 4)
                return avifImageRGBToYUV(image, &rgb)
            }
            guard result == AVIF_RESULT_OK else {
                throw ImagingError.notEncodable("libavif could not convert the pixels")
            }
        }
    }
#endif
