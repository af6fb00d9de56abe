#if AVIF
    import CAVIF
    import TintypeBase

    /// One libavif decoder with a parsed file. Used by one thread at a time.
    final class AVIFSession {
        let reader: AVIFReader
        private let decoder: UnsafeMutablePointer<avifDecoder>
        private let isComplete: Bool
        let info: ImageInfo
        let profile: Data?
        private(set) var warnings: [String] = []

        /// Parses the boxes; decodes nothing.
        /// - Parameter isLenient: true decodes the complete rows of a truncated grid.
        init(_ data: Data, isComplete: Bool, isLenient: Bool, limits: DecodeLimits) throws {
            self.isComplete = isComplete
            reader = AVIFReader(data, waitsForMore: !isComplete || isLenient)
            guard let decoder = avifDecoderCreate() else {
                throw ImagingError.outOfMemory(byteCount: nil)
            }
            self.decoder = decoder
            do {
                Self.configure(decoder, reader.io, isLenient: isLenient, limits: limits)
                let result = reader.reading { avifDecoderParse(decoder) }
                guard result == AVIF_RESULT_OK else {
                    throw Self.error(result, decoder, isComplete: isComplete, missing: reader.missingByteCount)
                }
                guard let image = decoder.pointee.image else { throw ImagingError.corrupt(.avif, "no image in it") }
                try limits.check(Self.size(image), format: .avif)
                // dav1d and libavif apply this limit to the AV1 data itself.
                decoder.pointee.imageSizeLimit = UInt32(
                    clamping: max(1, min(limits.maximumPixelCount, Int(decoder.pointee.imageSizeLimit))))
                profile = AVIFImage.profile(image.pointee, limits: limits, warnings: &warnings)
                info = try Self.info(decoder, image, profile: profile, data: data, limits: limits)
            } catch {
                avifDecoderDestroy(decoder)
                throw error
            }
        }

        deinit { avifDecoderDestroy(decoder) }

        private static func configure(
            _ decoder: UnsafeMutablePointer<avifDecoder>, _ io: UnsafeMutablePointer<avifIO>, isLenient: Bool,
            limits: DecodeLimits
        ) {
            avifDecoderSetIO(decoder, io)
            // Files of older writers lack boxes that the standard requires; browsers show them.
            decoder.pointee.strictFlags = avifStrictFlags(AVIF_STRICT_DISABLED.rawValue)
            // Exif orientation is ignored in AVIF (MIAF, §7.3.9), and the payloads are often at the end of the file.
            decoder.pointee.ignoreExif = AVIF_TRUE
            decoder.pointee.ignoreXMP = AVIF_TRUE
            decoder.pointee.allowIncremental = isLenient ? AVIF_TRUE : AVIF_FALSE
            decoder.pointee.imageCountLimit = UInt32(clamping: max(1, limits.maximumFrameCount))
        }

        /// Decodes and converts frame `index`. The frames of a sequence are whole images.
        func frame(at index: Int, isLenient: Bool, limits: DecodeLimits) throws -> (bitmap: Bitmap, isPartial: Bool) {
            guard index >= 0, index < Int(decoder.pointee.imageCount) else {
                throw ImagingError.noSuchFrame(index, count: Int(decoder.pointee.imageCount))
            }
            if let image = decoder.pointee.image {
                try AVIFImage(image: image, profile: profile).checkMemory(hasAlpha: decoder.pointee.alphaPresent != 0)
            }
            let result = reader.reading { avifDecoderNthImage(decoder, UInt32(index)) }
            var rows: Int?
            if result == AVIF_RESULT_WAITING_ON_IO, isLenient {
                rows = Int(avifDecoderDecodedRowCount(decoder))
                if rows == 0 { throw ImagingError.truncated(.avif) }
            } else if result != AVIF_RESULT_OK {
                throw Self.error(result, decoder, isComplete: isComplete, missing: reader.missingByteCount)
            }
            guard let image = decoder.pointee.image else { throw ImagingError.corrupt(.avif, "no image in it") }
            // The AV1 data may have another size than the boxes state.
            try limits.check(Self.size(image), format: .avif)
            let decoded = AVIFImage(image: image, profile: profile)
            return (try decoded.bitmap(wholeRows: rows, warnings: &warnings), rows != nil)
        }

        /// Applies the transforms in the boxes to pixels that were assembled elsewhere.
        func transform(_ bitmap: Bitmap) throws -> Bitmap {
            guard let image = decoder.pointee.image else { return bitmap }
            return try AVIFTransform(image.pointee).apply(to: bitmap, warnings: &warnings)
        }

        func reset() {
            reader.reading { _ = avifDecoderReset(decoder) }
        }

        private static func size(_ image: UnsafeMutablePointer<avifImage>) -> PixelSize {
            PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height))
        }

        private static func info(
            _ decoder: UnsafeMutablePointer<avifDecoder>, _ image: UnsafeMutablePointer<avifImage>, profile: Data?,
            data: Data, limits: DecodeLimits
        ) throws -> ImageInfo {
            let decoded = AVIFImage(image: image, profile: profile)
            var info = decoded.info(hasAlpha: decoder.pointee.alphaPresent != 0)
            let count = Int(decoder.pointee.imageCount)
            guard count > 1 else { return info }
            info.frameCount = count
            info.loopCount = data.withUnsafeBytes { AVIFTracks.loopCount(ByteView($0)) }
            info.frames = (0..<count).map { index in
                var timing = avifImageTiming()
                let result = avifDecoderNthImageTiming(decoder, UInt32(index), &timing)
                return ImageInfo.Frame(rawDuration: result == AVIF_RESULT_OK ? timing.duration : 0)
            }
            return info
        }

        private static func error(
            _ result: avifResult, _ decoder: UnsafeMutablePointer<avifDecoder>, isComplete: Bool, missing: Int
        ) -> ImagingError {
            switch result {
            case AVIF_RESULT_WAITING_ON_IO where !isComplete:
                return .needsMoreData(.avif, byteCount: missing > 0 ? missing : nil)
            case AVIF_RESULT_WAITING_ON_IO, AVIF_RESULT_TRUNCATED_DATA, AVIF_RESULT_IO_ERROR:
                return .truncated(.avif)
            case AVIF_RESULT_NO_CODEC_AVAILABLE:
                return .unsupportedFormat("this libavif was built without an AV1 decoder")
            case AVIF_RESULT_NOT_IMPLEMENTED:
                return .unsupportedFormat("an AVIF that libavif cannot decode yet")
            case AVIF_RESULT_OUT_OF_MEMORY:
                return .outOfMemory(byteCount: nil)
            default:
                let detail = withUnsafeBytes(of: decoder.pointee.diag.error) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                let name = avifResultToString(result).map { String(cString: $0) } ?? "error \(result.rawValue)"
                return .corrupt(.avif, detail.isEmpty ? name : "\(name): \(detail)")
            }
        }
    }
#endif
