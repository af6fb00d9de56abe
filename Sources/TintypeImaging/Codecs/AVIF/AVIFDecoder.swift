#if AVIF
    import TintypeBase

    /// AVIF through libavif: stills, grids, alpha, 8 to 12 bits, and sequences.
    ///
    /// The transforms in the file are applied here, once; EXIF orientation is ignored (MIAF, §7.3.9), and `ImageInfo.size`
    /// is the displayed size.
    struct AVIFDecoder: ImageDecoder {
        var format: ImageFormat { .avif }

        /// Needs the `meta` box, or for sequences the `moov` box; usually the first kilobyte.
        func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
            var info = try AVIFSession(data, isComplete: isComplete, isLenient: false, limits: limits).info
            if let grid = Self.grid(data, info) { info.hasAlpha = info.hasAlpha || grid.hasAlpha }
            return info
        }

        /// Returns a grid that is assembled here instead of by libavif.
        private static func grid(_ data: Data, _ info: ImageInfo) -> AVIFGrid? {
            guard !info.isAnimated else { return nil }
            // A file that cannot be read is left to libavif, whose errors are better.
            return try? data.withUnsafeBytes { try AVIFGrid(ByteView($0)) }
        }

        func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
            let session = try AVIFSession(
                data, isComplete: true, isLenient: options.isLenient, limits: options.limits)
            if options.frame ?? 0 == 0, let output = try decodeGrid(data, session, options: options) { return output }
            let frame = try session.frame(
                at: options.frame ?? 0, isLenient: options.isLenient, limits: options.limits)
            return DecoderOutput(
                bitmap: frame.bitmap, info: session.info, isPartial: frame.isPartial, warnings: session.warnings)
        }

        private func decodeGrid(
            _ data: Data, _ session: AVIFSession, options: DecodeOptions
        ) throws -> DecoderOutput? {
            guard !session.info.isAnimated else { return nil }
            return try ByteView.read(data, as: .avif, isComplete: true) { bytes in
                guard let grid = try AVIFGrid(bytes) else { return nil }
                var warnings: [String] = []
                let bitmap = try session.transform(try grid.bitmap(limits: options.limits, warnings: &warnings))
                var info = session.info
                info.hasAlpha = info.hasAlpha || grid.hasAlpha
                return DecoderOutput(bitmap: bitmap, info: info, warnings: warnings + session.warnings)
            }
        }

        func frames(_ data: Data, options: DecodeOptions) throws -> (any FrameSource)? {
            let session = try AVIFSession(
                data, isComplete: true, isLenient: options.isLenient, limits: options.limits)
            return session.info.isAnimated ? AVIFFrames(session, limits: options.limits) : nil
        }
    }

    /// The frames of an AVIF sequence. Each is a whole image, so nothing is composited; going back restarts at the nearest
    /// key frame.
    final class AVIFFrames: FrameSource {
        private let session: AVIFSession
        private let limits: DecodeLimits

        init(_ session: AVIFSession, limits: DecodeLimits) {
            self.session = session
            self.limits = limits
        }

        var info: ImageInfo { session.info }

        func frame(at index: Int) throws -> Bitmap {
            try ImagingCancellation.check()
            return try session.frame(at: index, isLenient: false, limits: limits).bitmap
        }

        func dropState() { session.reset() }
    }
#endif
