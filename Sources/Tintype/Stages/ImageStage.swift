import TintypeBase

/// Makes images: the decoded original, and on top of it one job for each processor. Loads share the jobs.
final class ImageStage: Sendable {
    private typealias Work = CoalescedWork<ImageJobKey, LoadEvent, ImageResult>

    private let work: Work
    private let fetches: FetchStage
    private let decoder: DecodeStage
    private let memory: MemoryStage
    private let disk: DiskStage
    private let failures: FailureMemory
    private let events: EventReporter
    private let serializer: any CacheSerializer
    private let previewInterval: Duration

    init(
        _ configuration: ImagePipeline.Configuration, fetches: FetchStage, decoder: DecodeStage, memory: MemoryStage,
        disk: DiskStage, failures: FailureMemory, events: EventReporter
    ) {
        let results = ResultStore(memory: memory, disk: disk, now: configuration.now)
        work = Work { job, result, interest in results.store(result, key: job.key.image, interest: interest) }
        self.fetches = fetches
        self.decoder = decoder
        self.memory = memory
        self.disk = disk
        self.failures = failures
        self.events = events
        serializer = configuration.serializer
        previewInterval = configuration.progressivePreviewInterval
    }

    var runningCount: Int { work.runningCount }
    func waitUntilIdle() async { await work.waitUntilIdle() }

    /// Makes the image of a request, or joins a job that does so.
    ///
    /// - Parameters:
    ///   - control: of the load.
    ///   - onEvent: called with progress and previews.
    func makeImage(
        _ request: ResolvedRequest, _ mode: LoadMode, control: WorkControl,
        onEvent: (@Sendable (LoadEvent) -> Void)?
    ) async throws -> ImageResult {
        let count = request.processors.count
        return try await work.value(
            for: request.jobKey(mode, processorCount: count), control: control, onEvent: onEvent,
            body: { [self] job in try await run(job, request, mode, processorCount: count) })
    }

    /// Makes the image after the first `count` processors.
    private func run(_ job: Work.Job, _ request: ResolvedRequest, _ mode: LoadMode, processorCount count: Int)
        async throws -> ImageResult
    {
        if let cached = memory.lookUpAgain(request, key: job.key.image, mode) {
            return .image(
                LoadedImage(
                    image: cached.image, source: .memory, details: cached.details, originalInfo: cached.image.info,
                    origin: request.origin))
        }
        let isResult = count == request.processors.count
        if isResult, request.base.isProcessed || count > 0, mode == .normal || mode == .cacheOnly,
            let stored = await storedResult(request, job.control)
        {
            return .image(stored)
        }
        guard count > 0 else { return try await decodeOriginal(job, request, mode) }
        let processor = request.processors[count - 1]
        let lower = try await work.value(
            for: request.jobKey(mode, processorCount: count - 1), control: job.control,
            mapInterest: {
                Interest(priority: $0.priority, demand: $0.demand.subtracting([.memory, .resultOnDisk]))
            },
            onEvent: PreviewMaker.processing(with: processor, decoder, job.control, send: { job.send($0) }),
            body: { [self] lower in try await run(lower, request, mode, processorCount: count - 1) })
        guard case .image(var loaded) = lower else { return lower }
        loaded.image = try await decoder.process(loaded.image, processor, request, job.control)
        // The disk gets what the last processor made, not a step on the way.
        loaded.serialize = isResult ? encoding(of: loaded, request) : nil
        return .image(loaded)
    }

    private func decodeOriginal(_ job: Work.Job, _ request: ResolvedRequest, _ mode: LoadMode) async throws
        -> ImageResult
    {
        if case .image(let make) = request.resource.kind {
            guard mode != .cacheOnly, mode != .memoryOnly else { throw PipelineError.notInCache(request.name) }
            let image = try await make()
            var details = ImageDetails()
            details.blocksPrivateAddresses = true
            return .image(
                LoadedImage(
                    image: image, source: .closure, details: details, originalInfo: image.info,
                    expiry: request.base.expiry, origin: request.origin))
        }
        let previews = PreviewMaker.decoding(
            request, decoder, job.control, interval: previewInterval, send: { job.send($0) })
        return try await fetches.fetch(request, mode, control: job.control, onEvent: previews) { fetched in
            if fetched.isUnchanged { return .unchanged(fetched.details) }
            return .image(try await decode(fetched, request, job.control))
        }
    }

    private func decode(_ fetched: FetchedData, _ request: ResolvedRequest, _ control: WorkControl) async throws
        -> LoadedImage
    {
        let decoded: DecodeStage.Decoded
        do {
            decoded = try await decoder.decode(
                fetched.data, DecodeStage.Plan(request), request, control, isStored: request.writesDisk)
        } catch let error as ImagingError where error.isFault(of: fetched.data) {
            // Neither stored nor shared; from the network, not requested again soon.
            fetched.markUndecodable()
            if fetched.source == .network { failures.record(error, of: request, isPermanent: true) }
            throw error
        }
        if fetched.source == .network { failures.clear(request) }
        var loaded = LoadedImage(
            image: decoded.image, source: fetched.source, details: fetched.details, fetched: fetched,
            originalInfo: decoded.image.info, isStorable: fetched.isStorable, expiry: request.base.expiry,
            origin: request.origin)
        loaded.details.frameByteCount = decoded.frameByteCount
        if request.processors.isEmpty, request.base.target != nil { loaded.serialize = encoding(of: loaded, request) }
        return loaded
    }

    // MARK: Stored results

    private func encoding(of loaded: LoadedImage, _ request: ResolvedRequest) -> (@Sendable () throws -> Data?)? {
        guard loaded.image.animation == nil else { return nil }
        let serializer = request.base.fields.serializer ?? serializer
        let (image, info, codecs) = (loaded.image, loaded.originalInfo, request.codecs)
        return { try serializer.data(for: image, original: info, codecs: codecs) }
    }

    /// The result of an earlier load, as the disk cache holds it; nil if there is none that can be used.
    private func storedResult(_ request: ResolvedRequest, _ control: WorkControl) async -> LoadedImage? {
        guard request.readsDisk, !request.resource.isLocal, !request.options.contains(.includesData),
            let result = await disk.result(request)
        else { return nil }
        switch result {
        case .pending(let pending):
            events.report(.diskHit(isStale: false), request.origin)
            return LoadedImage(
                image: pending.image, source: .disk, details: pending.details, originalInfo: pending.originalInfo,
                expiry: request.base.expiry, origin: request.origin)
        case .stored(let entry):
            var plan = DecodeStage.Plan(request)
            plan.options.target = nil
            plan.options.frame = nil
            plan.wantsAnimation = !request.options.contains(.firstFrameOnly)
            do {
                var image = try await decoder.decode(entry.data, plan, request, control, isStored: false).image
                image.info = image.info.describing(entry.metadata.original)
                events.report(.diskHit(isStale: false), request.origin)
                return LoadedImage(
                    image: image, source: .disk, details: ImageDetails(entry), originalInfo: image.info,
                    expiry: request.base.expiry, origin: request.origin)
            } catch let error as ImagingError where error.isFault(of: entry.data) {
                events.report(.removedUndecodable(key: entry.key, error), request.origin)
                disk.remove(entry.key, request.origin)
                return nil
            } catch {
                return nil
            }
        }
    }
}

extension ImageInfo {
    /// The facts of a stored result with those of the image that it was made from in their place.
    fileprivate func describing(_ original: CacheEntryMetadata.Original?) -> ImageInfo {
        guard let original, let format = ImageFormat(rawValue: original.format) else { return self }
        var info = self
        info.format = format
        info.mimeType = format.mimeType
        info.storedSize = PixelSize(width: original.width, height: original.height)
        return info
    }
}
