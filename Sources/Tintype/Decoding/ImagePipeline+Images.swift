import TintypeBase

/// The jobs that make images: the decoded original, and on top of it one job for each processor.
extension ImagePipeline {
    typealias ImageJob = JobTable<ImageJobKey, LoadEvent, ImageJobResult>.Job

    /// The image after the first `count` processors.
    func makeImage(_ job: ImageJob, _ load: Load, _ mode: FetchVariant.Mode, processorCount count: Int) async throws
        -> ImageJobResult
    {
        // It may have come into memory between the look-up of the caller and the start of this job.
        if load.readsMemory(in: mode), let memoryCache, memoryCache.contains(job.key.image),
            let cached = memoryCache.value(for: job.key.image), load.mayUse(cached.details),
            isUsable(cached, load.request), cached.details.fileStamp == nil
        {
            return .image(
                LoadedImage(
                    image: cached.image, source: .memory, details: cached.details, originalInfo: cached.image.info,
                    origin: load.origin))
        }
        let isResult = count == load.processors.count
        if isResult, load.request.isProcessed || count > 0, mode == .normal || mode == .cacheOnly,
            let stored = await storedResult(job, load)
        {
            return .image(stored)
        }
        guard count > 0 else { return try await decodeOriginal(job, load, mode) }
        let lower = try await images.value(
            for: load.jobKey(mode, processorCount: count - 1), control: job.control,
            mapInterest: {
                Interest(priority: $0.priority, demand: $0.demand.subtracting([.memory, .resultOnDisk]))
            },
            onEvent: processedEvents(job, load.processors[count - 1]),
            body: { [self] lower in try await makeImage(lower, load, mode, processorCount: count - 1) })
        guard case .image(var loaded) = lower else { return lower }
        try await process(&loaded, load, load.processors[count - 1], job.control)
        if isResult { loaded.serialize = serializer(for: loaded, load) }
        return .image(loaded)
    }

    private func decodeOriginal(_ job: ImageJob, _ load: Load, _ mode: FetchVariant.Mode) async throws -> ImageJobResult
    {
        if case .image(let make) = load.resource.kind {
            guard mode != .cacheOnly, mode != .memoryOnly else { throw PipelineError.notInCache(load.name) }
            let image = try await make()
            var details = ImageDetails()
            details.blocksPrivateAddresses = true
            return .image(
                LoadedImage(
                    image: image, source: .closure, details: details, originalInfo: image.info,
                    expiry: load.request.expiry, origin: load.origin))
        }
        var fetched = try await fetch(job, load, mode)
        if fetched.isUnchanged { return .unchanged(fetched.details) }
        let image: DecodedImage
        let frameByteCount: Int
        do {
            (image, frameByteCount) = try await decode(fetched.data, load, job.control)
        } catch let error as ImagingError where error.isFault(of: fetched.data) && fetched.source == .disk {
            // What is on disk is no image: out with it, and ask the origin in the same call.
            report(.removedUndecodable(key: fetched.diskKey, error), load)
            staged?.stage(.remove, for: fetched.diskKey, origin: load.origin)
            guard mode != .cacheOnly else { throw PipelineError.notInCache(load.name) }
            fetched = try await fetch(job, load, .ignoringDisk)
            (image, frameByteCount) = try await decodeFresh(fetched, load, job.control)
        } catch {
            throw undecodable(fetched, error, load)
        }
        if fetched.source == .network { failures.clear(load.failureKey) }
        var loaded = LoadedImage(
            image: image, source: fetched.source, details: fetched.details, fetched: fetched,
            originalInfo: image.info, isStorable: fetched.isStorable, expiry: load.request.expiry,
            origin: load.origin)
        loaded.details.frameByteCount = frameByteCount
        if load.processors.isEmpty, load.request.target != nil { loaded.serialize = serializer(for: loaded, load) }
        return .image(loaded)
    }

    private func decodeFresh(_ fetched: FetchedData, _ load: Load, _ control: JobControl) async throws
        -> (DecodedImage, frameByteCount: Int)
    {
        do { return try await decode(fetched.data, load, control) } catch { throw undecodable(fetched, error, load) }
    }

    /// Remembers that these bytes are no image, so that they are neither stored, shared nor asked for again soon.
    private func undecodable(_ fetched: FetchedData, _ error: any Error, _ load: Load) -> any Error {
        guard let error = error as? ImagingError, error.isFault(of: fetched.data) else { return error }
        fetched.markUndecodable()
        if fetched.source == .network { rememberFailure(error, load, isPermanent: true) }
        return error
    }

    func decode(_ data: Data, _ load: Load, _ control: JobControl) async throws -> (DecodedImage, frameByteCount: Int) {
        let clock = ContinuousClock()
        let (codecs, options) = (load.codecs, load.request.decodeOptions)
        let (wantsAnimation, preloads) = (load.wantsAnimation, load.options.contains(.preloadAllFrames))
        let (image, frameByteCount, duration) = try await runDecode(load, control, holdsImage: false) { isCancelled in
            let start = clock.now
            var image = try codecs.decode(data, options: options)
            try isCancelled.check()
            if wantsAnimation { try image.addAnimation(data, codecs: codecs, options: options) }
            let frameByteCount = preloads ? try image.preloadFrames(isCancelled) : 0
            return (image, frameByteCount, start.duration(to: clock.now))
        }
        report(.decoded(image.bitmap.size, seconds: duration.inSeconds), load)
        return (image, frameByteCount)
    }

    /// Runs work on a decode thread. If its result goes to disk, it starts only while there is room for it there.
    ///
    /// - Parameter holdsImage: whether the caller already holds a decoded image.
    /// - Parameter body: gets the flag that is set when the calling task is cancelled.
    func runDecode<Result: Sendable>(
        _ load: Load, _ control: JobControl, holdsImage: Bool,
        _ body: @escaping @Sendable (CancellationFlag) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let demand = interest(of: load).demand
        let gate = demand.isDisjoint(with: [.originalOnDisk, .resultOnDisk]) ? nil : staged?.gate
        try await gate?.enter(control, holdsImage: holdsImage)
        defer { gate?.leave() }
        let isCancelled = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await decodePool.run(priority: control.interest.priority.rawValue) {
                // The load may have been cancelled while the work was queued.
                try isCancelled.check()
                return try body(isCancelled)
            }
        } onCancel: {
            isCancelled.set()
        }
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
