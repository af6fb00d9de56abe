#if AVIF
    import CAVIF

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// AVIF through libavif, lossy (4:2:0, or 4:4:4 from quality 90 on) or lossless, with alpha.
    public struct AVIFEncoder: ImageEncoder {
        public init() {}

        public var format: ImageFormat { .avif }

        /// AV1 allows more, but libavif's decoders do not.
        private static let maximumSide = 32_768

        public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws -> Data {
            guard bitmap.width <= Self.maximumSide, bitmap.height <= Self.maximumSide else {
                throw ImagingError.processorFailed(
                    "an AVIF can be \(Self.maximumSide) pixels wide and high, not \(bitmap.size); scale it down first")
            }
            let quality = min(max(options.quality, 0), 100)
            let isFull = options.isLossless || quality >= 90
            guard
                let image = avifImageCreate(
                    UInt32(bitmap.width), UInt32(bitmap.height), 8,
                    isFull ? AVIF_PIXEL_FORMAT_YUV444 : AVIF_PIXEL_FORMAT_YUV420),
                let encoder = avifEncoderCreate()
            else { throw ImagingError.processorFailed("libavif has no memory for \(bitmap.size)") }
            defer {
                avifEncoderDestroy(encoder)
                avifImageDestroy(image)
            }
            try Self.fill(image, with: bitmap, isLossless: options.isLossless)
            if options.isLossless {
                ta_set_quality(encoder, 100, 100)
            } else {
                ta_set_quality(encoder, Int32(quality), Int32(min(100, quality + 10)))
            }
            // 0…9 onto libavif's speeds, of which 10 is the fastest.
            encoder.pointee.speed = options.effort.map { Int32(10 - min(max($0, 0), 9)) } ?? 6
            encoder.pointee.maxThreads = 2
            var output = avifRWData()
            defer { avifRWDataFree(&output) }
            let result = avifEncoderWrite(encoder, image, &output)
            guard result == AVIF_RESULT_OK, let bytes = output.data else {
                let name = avifResultToString(result).map { String(cString: $0) } ?? "error \(result.rawValue)"
                throw ImagingError.processorFailed("libavif could not encode: \(name)")
            }
            return Data(bytes: bytes, count: output.size)
        }

        /// sRGB in the code points of ITU-T H.273; lossless images keep RGB as it is (matrix 0).
        private static func fill(
            _ image: UnsafeMutablePointer<avifImage>, with bitmap: Bitmap, isLossless: Bool
        ) throws {
            image.pointee.yuvRange = AVIF_RANGE_FULL
            image.pointee.colorPrimaries = 1
            image.pointee.transferCharacteristics = 13
            image.pointee.matrixCoefficients = isLossless ? 0 : 6
            var straight = bitmap.straightPixels()
            let result = straight.withUnsafeMutableBufferPointer { pixels in
                var rgb = avifRGBImage()
                avifRGBImageSetDefaults(&rgb, image)
                rgb.format = AVIF_RGB_FORMAT_RGBA
                rgb.depth = 8
                rgb.ignoreAlpha = bitmap.isOpaque ? AVIF_TRUE : AVIF_FALSE
                rgb.pixels = pixels.baseAddress
                rgb.rowBytes = UInt32(bitmap.width * 4)
                return avifImageRGBToYUV(image, &rgb)
            }
            guard result == AVIF_RESULT_OK else {
                throw ImagingError.processorFailed("libavif could not convert the pixels")
            }
        }
    }
#endif
