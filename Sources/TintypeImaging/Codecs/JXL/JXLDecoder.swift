#if JXL
    import CJXL

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// JPEG XL through libjxl: stills and animations, in a container or bare, of any depth.
    ///
    /// The orientation in the file is applied by the library; `ImageInfo.size` is the size as shown. Lossy images come
    /// out as sRGB; lossless ones are converted by their profile.
    ///
    /// Some builds of libjxl, Debian's among them, write to standard error what they think of damaged data, and offer no
    /// way to have it handed over instead. A library must not take standard error away from its process; the command-line tool does.
    public struct JXLDecoder: ImageDecoder {
        public init() {}

        public var format: ImageFormat { .jxl }

        /// Needs the header and, if there is one, the ICC profile; for animations every frame's header.
        public func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
            let session = try JXLSession(data, events: [JXL_DEC_FRAME], limits: limits)
            var durations: [Double] = []
            var isCut = false
            loop: while true {
                switch try session.advance() {
                case JXL_DEC_FRAME:
                    guard session.header?.isAnimated ?? false else { break loop }
                    let timing = session.frameTiming()
                    durations.append(timing.duration)
                    guard durations.count <= limits.maximumFrameCount else {
                        throw ImagingError.corrupt(.jxl, "more than \(limits.maximumFrameCount) frames")
                    }
                    if timing.isLast { break loop }
                case JXL_DEC_SUCCESS:
                    break loop
                default:
                    // What is missing from a whole file is missed when its frames are decoded.
                    guard session.header != nil, !durations.isEmpty || isComplete else {
                        throw isComplete ? ImagingError.truncated(.jxl) : .needsMoreData(.jxl, byteCount: nil)
                    }
                    isCut = true
                    break loop
                }
            }
            guard let header = session.header else { throw ImagingError.truncated(.jxl) }
            return header.info(
                durations: header.isAnimated ? durations : nil, isFrameListComplete: !header.isAnimated || !isCut)
        }

        public func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
            try JXLLayers(data, limits: options.limits).check(through: options.frame ?? 0)
            let session = try JXLSession(data, events: [JXL_DEC_FULL_IMAGE], limits: options.limits)
            if let frame = options.frame, frame > 0 { session.skipFrames(frame) }
            let status = try session.advance()
            let bitmap: Bitmap
            if status == JXL_DEC_FULL_IMAGE {
                bitmap = try session.takeBitmap()
            } else {
                guard options.isLenient, let partial = try session.partialBitmap() else {
                    throw ImagingError.truncated(.jxl)
                }
                bitmap = partial
            }
            guard let header = session.header else { throw ImagingError.truncated(.jxl) }
            // The frames of an animation are only known after a walk over them.
            let info =
                header.isAnimated
                ? try info(data, isComplete: true, limits: options.limits)
                : header.info(durations: nil, isFrameListComplete: true)
            return DecoderOutput(
                bitmap: bitmap, info: info, isPartial: status != JXL_DEC_FULL_IMAGE, warnings: session.warnings)
        }

        public func frames(_ data: Data, options: DecodeOptions) throws -> (any FrameSource)? {
            let info = try info(data, isComplete: true, limits: options.limits)
            guard info.isAnimated else { return nil }
            try JXLLayers(data, limits: options.limits).check()
            guard info.isFrameListComplete || options.isLenient else { throw ImagingError.truncated(.jxl) }
            return try JXLFrames(data, info: info, limits: options.limits)
        }

        public func incrementalDecoder(options: DecodeOptions) -> (any IncrementalDecoder)? {
            JXLIncrementalDecoder(limits: options.limits)
        }
    }

    /// The frames of an animated JPEG XL, which libjxl composites by itself, in order.
    final class JXLFrames: FrameSource {
        let info: ImageInfo
        private let session: JXLSession
        /// The frame that the session will give next.
        private var next = 0

        init(_ data: Data, info: ImageInfo, limits: DecodeLimits) throws {
            self.info = info
            session = try JXLSession(data, events: [JXL_DEC_FULL_IMAGE], limits: limits)
        }

        func frame(at index: Int) throws -> Bitmap {
            guard index >= 0, index < info.frameCount else {
                throw ImagingError.noSuchFrame(index, count: info.frameCount)
            }
            try ImagingCancellation.check()
            if index < next { dropState() }
            if index > next { session.skipFrames(index - next) }
            next = .max
            guard try session.advance() == JXL_DEC_FULL_IMAGE else { throw ImagingError.truncated(.jxl) }
            next = index + 1
            return try session.takeBitmap()
        }

        func dropState() {
            session.rewind()
            next = 0
        }
    }

    /// Shows a JPEG XL while it arrives: first at an eighth of its detail, then finer.
    final class JXLIncrementalDecoder: IncrementalDecoder {
        private let limits: DecodeLimits
        private var session: JXLSession?
        private var layers: JXLLayers?
        private var finished: Bitmap?
        private var hasNews = false

        init(limits: DecodeLimits) { self.limits = limits }

        func append(_ data: Data) throws {
            guard finished == nil else { return }
            let session: JXLSession
            if let running = self.session {
                session = running
                session.append(data)
                layers?.append(data)
            } else {
                layers = try JXLLayers(data, limits: limits)
                session = try JXLSession(
                    data, events: [JXL_DEC_FULL_IMAGE, JXL_DEC_FRAME_PROGRESSION], limits: limits)
                self.session = session
            }
            try layers?.check(through: 0)
            while true {
                switch try session.advance() {
                case JXL_DEC_FRAME_PROGRESSION:
                    hasNews = true
                case JXL_DEC_FULL_IMAGE:
                    finished = try session.takeBitmap()
                    hasNews = true
                    return
                default:
                    return
                }
            }
        }

        func preview() throws -> DecoderOutput? {
            guard hasNews, let session, let header = session.header else { return nil }
            guard let bitmap = try finished ?? session.partialBitmap() else { return nil }
            hasNews = false
            return DecoderOutput(
                bitmap: bitmap, info: header.info(durations: nil, isFrameListComplete: !header.isAnimated),
                isPartial: finished == nil, warnings: session.warnings)
        }
    }
#endif
