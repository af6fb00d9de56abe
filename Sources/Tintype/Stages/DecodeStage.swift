import TintypeBase

/// Decodes and processes on threads of its own. Work whose result goes to disk starts only while there is room for it.
struct DecodeStage: Sendable {
    /// What becomes of the bytes.
    struct Plan: Sendable {
        var codecs: ImageCodecs
        var options: DecodeOptions
        /// Whether the frames of an animation come with the image.
        var wantsAnimation: Bool
        var preloadsFrames: Bool

        init(_ request: ResolvedRequest) {
            codecs = request.codecs
            options = request.base.decodeOptions
            wantsAnimation = !request.options.contains(.firstFrameOnly) && options.frame == nil
            preloadsFrames = request.options.contains(.preloadAllFrames)
        }
    }

    struct Decoded: Sendable {
        var image: DecodedImage
        /// Of the frames that were decoded in advance.
        var frameByteCount: Int
    }

    let pool: WorkerPool
    private let gate: StoreGate?
    private let events: EventReporter

    /// - Parameter gate: admits work whose result is to be stored.
    init(threads: Int, gate: StoreGate?, events: EventReporter) {
        pool = WorkerPool(name: "tintype-decode", width: threads)
        self.gate = gate
        self.events = events
    }

    func decode(_ data: Data, _ plan: Plan, _ request: ResolvedRequest, _ control: WorkControl, isStored: Bool)
        async throws -> Decoded
    {
        let clock = ContinuousClock()
        let (decoded, duration) = try await run(control, isStored: isStored) { isCancelled in
            let start = clock.now
            var image = try plan.codecs.decode(data, options: plan.options)
            try isCancelled.check()
            if plan.wantsAnimation { try image.addAnimation(data, codecs: plan.codecs, options: plan.options) }
            let frameByteCount = plan.preloadsFrames ? try image.preloadFrames(isCancelled) : 0
            return (Decoded(image: image, frameByteCount: frameByteCount), start.duration(to: clock.now))
        }
        events.report(.decoded(decoded.image.bitmap.size, seconds: duration.inSeconds), request.origin)
        return decoded
    }

    /// Runs one processor over an image.
    func process(
        _ image: DecodedImage, _ processor: any ImageProcessor, _ request: ResolvedRequest, _ control: WorkControl
    ) async throws -> DecodedImage {
        guard image.animation == nil || request.options.contains(.transformAnimatedImages) else {
            var image = image
            image.warnings.append(
                "the image is animated, and the processor \(processor.identifier) was not run; "
                    + "the option transformAnimatedImages runs it over every frame")
            return image
        }
        let clock = ContinuousClock()
        let (result, duration) = try await run(control, isStored: request.writesDisk, holdsImage: true) { _ in
            let start = clock.now
            return (try processor.processed(image), start.duration(to: clock.now))
        }
        events.report(.processed(identifier: processor.identifier, seconds: duration.inSeconds), request.origin)
        return result
    }

    /// Throws what is wrong with bytes, if they are no image.
    func check(_ data: Data, _ request: ResolvedRequest, _ control: WorkControl) async throws {
        let (codecs, limits) = (request.codecs, request.base.decodeOptions.limits)
        try await run(control, isStored: request.writesDisk) { _ in
            do {
                _ = try codecs.info(data, isComplete: true, limits: limits)
            } catch let error as ImagingError where !error.isFault(of: data) {
                // Some decoder may take them.
            }
        }
    }

    /// Runs work on a decode thread, at the priority of its waiters.
    func run<Result: Sendable>(_ control: WorkControl, _ body: @escaping @Sendable () throws -> Result) async throws
        -> Result
    {
        try await pool.run(priority: control.interest.priority.rawValue, body)
    }

    /// - Parameters:
    ///   - isStored: whether the result goes to disk.
    ///   - holdsImage: whether the caller already holds a decoded image.
    ///   - body: gets the flag that is set when the calling task is cancelled.
    private func run<Result: Sendable>(
        _ control: WorkControl, isStored: Bool, holdsImage: Bool = false,
        _ body: @escaping @Sendable (CancellationFlag) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let gate = isStored ? gate : nil
        try await gate?.enter(control, holdsImage: holdsImage)
        defer { gate?.leave() }
        let isCancelled = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await run(control) {
                // The load may have been cancelled while the work was queued.
                try isCancelled.check()
                return try body(isCancelled)
            }
        } onCancel: {
            isCancelled.set()
        }
    }
}

/// Frames that are decoded already.
private final class PreloadedFrames: FrameSource {
    /// More than this is not decoded in advance; the frames are then decoded on demand.
    static let byteLimit = 64 << 20

    let info: ImageInfo
    private let frames: [Bitmap]

    init(_ frames: [Bitmap], info: ImageInfo) {
        self.frames = frames
        self.info = info
    }

    func frame(at index: Int) throws -> Bitmap {
        guard frames.indices.contains(index) else { throw ImagingError.noSuchFrame(index, count: frames.count) }
        return frames[index]
    }

    func dropState() {}
}

extension DecodedImage {
    /// Adds the frames of an animation.
    fileprivate mutating func addAnimation(_ data: Data, codecs: ImageCodecs, options: DecodeOptions) throws {
        guard info.isAnimated, animation == nil, let frames = try codecs.animation(data, options: options) else {
            return
        }
        animation = frames
    }

    /// Decodes every frame, unless they are too many bytes. Blocks.
    ///
    /// - Returns: the bytes that they hold.
    /// - Throws: `CancellationError` between two frames once the flag is set.
    fileprivate mutating func preloadFrames(_ isCancelled: CancellationFlag) throws -> Int {
        guard let source = animation, bitmap.byteCount <= PreloadedFrames.byteLimit / max(1, source.frameCount) else {
            return 0
        }
        let frames = try (0..<source.frameCount).map { index in
            try isCancelled.check()
            return try source.frame(at: index)
        }
        animation = AnimatedImage(source: PreloadedFrames(frames, info: source.info))
        return frames.reduce(0) { $0 + $1.byteCount }
    }
}

extension ImageProcessor {
    /// The image with the processor run over its pixels, and over those of its frames when they are asked for.
    func processed(_ image: DecodedImage) throws -> DecodedImage {
        var result = image
        do {
            result.bitmap = try process(image.bitmap)
        } catch let error as ImagingError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw PipelineError.processorFailed(identifier: identifier, error)
        }
        result.animation = image.animation?.processed(by: self, like: result.bitmap)
        return result
    }
}

extension ImagingError {
    /// Whether the bytes are to blame, for every caller; limits, missing codecs and processors are not their fault.
    func isFault(of data: Data) -> Bool {
        switch self {
        case .corrupt, .truncated, .needsMoreData, .emptyBody, .decodeTimedOut, .decoderCrashed: true
        // Of a known format it only says that these codecs have no decoder for it.
        case .unsupportedFormat: ImageFormat.sniff(data) == nil
        case .codecUnavailable, .imageTooLarge, .outOfMemory, .tooManyFrames, .tooCostly, .noSuchFrame,
            .processorFailed, .notEncodable:
            false
        }
    }
}
