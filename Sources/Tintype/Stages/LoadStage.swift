import TintypeBase

/// The way of one load through the other stages: interceptors, alternatives, memory, image or bytes, refresh.
final class LoadStage: Sendable {
    private let interceptors: [any ImageInterceptor]
    private let resolver: RequestResolver
    private let memory: MemoryStage
    private let disk: DiskStage
    private let images: ImageStage
    private let fetches: FetchStage
    private let decoder: DecodeStage
    private let policy: HTTPCachePolicy
    private let failures: FailureMemory
    private let registry: TaskRegistry
    private let events: EventReporter
    private let serializer: any CacheSerializer
    private let codecs: ImageCodecs

    init(
        _ configuration: ImagePipeline.Configuration, resolver: RequestResolver, memory: MemoryStage, disk: DiskStage,
        images: ImageStage, fetches: FetchStage, decoder: DecodeStage, policy: HTTPCachePolicy,
        failures: FailureMemory, registry: TaskRegistry, events: EventReporter
    ) {
        interceptors = configuration.interceptors
        serializer = configuration.serializer
        codecs = configuration.codecs
        self.resolver = resolver
        self.memory = memory
        self.disk = disk
        self.images = images
        self.fetches = fetches
        self.decoder = decoder
        self.policy = policy
        self.failures = failures
        self.registry = registry
        self.events = events
    }

    // MARK: Images

    /// The response from memory, where nothing has to be awaited for it.
    func memoryHit(_ request: ResolvedRequest) -> ImageResponse? {
        guard interceptors.isEmpty, !request.refreshesCached, case .hit(let cached) = memory.lookUp(request) else {
            return nil
        }
        events.report(.memoryHit, request.origin)
        return response(cached, request)
    }

    func loadImage(_ task: ImageTask, _ control: WorkControl) async throws -> ImageResponse {
        try await intercept(task.request, isDataOnly: false) { [self] request in
            try await loadFromAnySource(request, taskID: task.id) { request in
                let response = try await loadImage(request, task, control)
                if request.options.contains(.waitForStore) { await disk.waitForStores(of: request) }
                return response
            }
        }
    }

    private func loadImage(_ request: ResolvedRequest, _ task: ImageTask, _ control: WorkControl) async throws
        -> ImageResponse
    {
        let lookup = memory.lookUp(request)
        if request.refreshesCached { return try await refreshImage(request, lookup, task, control) }
        switch lookup {
        case .hit(let cached):
            events.report(.memoryHit, request.origin)
            return response(cached, request)
        case .needsCheck(let cached) where !request.options.contains(.fromCacheOnly):
            guard cached.details.fileStamp != nil else {
                return try await revalidateImage(request, cached, task, control)
            }
            if try await fetches.isUnchanged(cached, request, control) {
                events.report(.memoryHit, request.origin)
                return response(cached, request)
            }
            memory.remove(request)
            return try await makeImage(request, request.mode, task, control)
        case .needsCheck, .miss: return try await makeImage(request, request.mode, task, control)
        }
    }

    private func makeImage(_ request: ResolvedRequest, _ mode: LoadMode, _ task: ImageTask, _ control: WorkControl)
        async throws -> ImageResponse
    {
        guard case .image(let loaded) = try await makeResult(request, mode, task, control) else {
            throw PipelineError.notInCache(request.name)
        }
        return response(loaded, request)
    }

    private func makeResult(_ request: ResolvedRequest, _ mode: LoadMode, _ task: ImageTask?, _ control: WorkControl)
        async throws -> ImageResult
    {
        let result = try await retryingFailed(request) {
            try await images.makeImage(request, mode, control: control) { [weak task] in task?.receive($0) }
        }
        if case .image(let loaded) = result, let fetched = loaded.fetched, fetched.claimRefresh() {
            refreshInBackground(request)
        }
        return result
    }

    // MARK: Refreshing

    /// The option `refreshCached`: the cached image first, unless it is still fresh by its headers; then what the server
    /// says about it.
    private func refreshImage(
        _ request: ResolvedRequest, _ lookup: MemoryStage.Lookup, _ task: ImageTask, _ control: WorkControl
    ) async throws -> ImageResponse {
        guard var known = try await cachedResponse(request, lookup, task, control) else {
            return try await makeImage(request, request.mode, task, control)
        }
        if policy.isExplicitlyFresh(known.details) { return known }
        known.isFinal = false
        task.receive(first: known)
        known.isFinal = true
        known.isRepeated = true
        do {
            return try await confirm(request, known, task, control)
        } catch {
            return try stale(known, request, because: error)
        }
    }

    /// What the caches hold, even if the image in memory is stale; nil if they hold nothing.
    private func cachedResponse(
        _ request: ResolvedRequest, _ lookup: MemoryStage.Lookup, _ task: ImageTask, _ control: WorkControl
    ) async throws -> ImageResponse? {
        switch lookup {
        case .hit(let cached): return response(cached, request)
        case .needsCheck(let cached)
        where cached.details.freshness?.mustRevalidate != true && policy.matches(cached, request.base.headers):
            return response(cached, request)
        case .needsCheck, .miss: break
        }
        guard request.readsDisk else { return nil }
        do {
            return try await makeImage(request, .cacheOnly, task, control)
        } catch PipelineError.notInCache {
            return nil
        }
    }

    /// A stale image in memory: shown at once if its headers allow that, else the server decides.
    private func revalidateImage(
        _ request: ResolvedRequest, _ cached: CachedImage, _ task: ImageTask, _ control: WorkControl
    ) async throws -> ImageResponse {
        guard policy.matches(cached, request.base.headers) else {
            return try await makeImage(request, request.mode, task, control)
        }
        var known = response(cached, request)
        if policy.allowsStaleWhileRevalidating(cached.details) {
            known.details.isStale = true
            refreshInBackground(request)
            return known
        }
        do {
            return try await confirm(request, known, task, control)
        } catch {
            guard let freshness = cached.details.freshness, policy.allowsStale(freshness, after: error) else {
                throw error
            }
            return try stale(known, request, because: error)
        }
    }

    /// The known image if the server confirms it, else the server's.
    private func confirm(
        _ request: ResolvedRequest, _ known: ImageResponse, _ task: ImageTask, _ control: WorkControl
    ) async throws -> ImageResponse {
        switch try await makeResult(request, .revalidating, task, control) {
        case .image(let loaded): return response(loaded, request)
        case .unchanged(let details):
            memory.refresh(request, details)
            var response = known
            response.details = details
            return response
        }
    }

    /// - Throws: the error, if it is a cancellation.
    private func stale(_ known: ImageResponse, _ request: ResolvedRequest, because error: any Error) throws
        -> ImageResponse
    {
        let error = PipelineError.wrap(error, source: request.name)
        if error is CancellationError { throw error }
        events.report(.refreshFailed(error), request.origin)
        var response = known
        response.refreshError = error
        response.details.isStale = true
        return response
    }

    /// A load of its own, whose response is for the caches only.
    private func refreshInBackground(_ request: ResolvedRequest) {
        let demand = request.interest.demand.subtracting([.previews, .progress])
        let control = WorkControl(Interest(priority: .low, demand: demand))
        Task {
            do {
                let result = try await registry.run { [self] in
                    try await makeResult(request, .revalidating, nil, control)
                }
                if case .unchanged(let details) = result { memory.refresh(request, details) }
            } catch {
                events.report(.refreshFailed(error), request.origin)
            }
        }
    }

    // MARK: Bytes

    func loadData(_ request: ImageRequest, taskID: UInt64) async throws -> DataResponse {
        let load: @Sendable (ImageRequest) async throws -> DataResponse = { [self] request in
            try await loadFromAnySource(request, taskID: taskID) { try await loadData($0) }
        }
        guard !interceptors.isEmpty else { return try await load(request) }
        let response = try await intercept(request, isDataOnly: true) { request in
            try ImageResponse(placeholderFor: try await load(request))
        }
        var data = response.data
        if data == nil {
            // An interceptor that returns an image of its own has no bytes: they are made.
            let (image, serializer) = (response.image, request.serializer ?? serializer)
            let codecs = request.codecs?.codecs ?? codecs
            data = try await decoder.pool.run { try serializer.data(for: image, original: image.info, codecs: codecs) }
        }
        guard let data else {
            throw ImagingError.notEncodable("an interceptor returned an image that has no encoded form")
        }
        return DataResponse(data: data, source: response.source, details: response.details)
    }

    /// With the option `refreshCached`, the server decides whether the bytes on disk are still right.
    private func loadData(_ request: ResolvedRequest) async throws -> DataResponse {
        guard request.refreshesCached, request.readsDisk else { return try await loadData(request, request.mode) }
        var known: DataResponse
        do {
            known = try await loadData(request, .cacheOnly)
        } catch PipelineError.notInCache {
            return try await loadData(request, .normal)
        }
        if policy.isExplicitlyFresh(known.details) { return known }
        do {
            return try await loadData(request, .revalidating, known: known)
        } catch {
            if PipelineError.wrap(error, source: request.name) is CancellationError { throw error }
            events.report(.refreshFailed(error), request.origin)
            known.details.isStale = true
            return known
        }
    }

    /// - Parameter known: in mode `revalidating`, the bytes that the server may confirm.
    private func loadData(_ request: ResolvedRequest, _ mode: LoadMode, known: DataResponse? = nil) async throws
        -> DataResponse
    {
        let control = WorkControl(request.interest)
        let fetched = try await retryingFailed(request) {
            try await fetches.fetch(request, mode, control: control) { fetched in
                if !fetched.isUnchanged { try await check(fetched, request, control) }
                return fetched
            }
        }
        if fetched.isUnchanged, let known {
            return DataResponse(data: known.data, source: known.source, details: fetched.details)
        }
        if fetched.claimRefresh() { refreshInBackground(request) }
        if fetched.source == .network, !fetched.isUndecodable { failures.clear(request) }
        if request.interest.demand.contains(.originalOnDisk) {
            disk.storeOriginal(fetched, request.origin)
            if request.options.contains(.waitForStore) { await disk.queue?.wait(for: fetched.diskKey) }
        }
        return DataResponse(data: fetched.data, source: fetched.source, details: fetched.details)
    }

    /// Bytes that do not begin like an image are returned, but not stored.
    private func check(_ fetched: FetchedData, _ request: ResolvedRequest, _ control: WorkControl) async throws {
        do {
            try await decoder.check(fetched.data, request, control)
        } catch let error as ImagingError {
            if fetched.source == .disk { throw error }
            fetched.markUndecodable()
        }
    }

    // MARK: Both

    private func intercept(
        _ request: ImageRequest, isDataOnly: Bool,
        load: @escaping @Sendable (ImageRequest) async throws -> ImageResponse
    ) async throws -> ImageResponse {
        let chain = InterceptorChain(
            request: request, isDataOnly: isDataOnly, rest: interceptors[...], load: load)
        return try await chain.proceed(request)
    }

    /// Loads the request's source, else its alternatives in order. In low-data mode the small one goes first, unless the
    /// own one is cached.
    private func loadFromAnySource<Response>(
        _ request: ImageRequest, taskID: UInt64, _ load: (ResolvedRequest) async throws -> Response
    ) async throws -> Response {
        // Nil stands for the request's own source.
        var sources: [String?] = [nil] + request.alternatives.map { $0 }
        if let small = request.lowDataURL, registry.isLowDataMode, await !isCached(request) { sources[0] = small }
        var errors: [any Error] = []
        for (index, source) in sources.enumerated() {
            var single = request
            if !request.alternatives.isEmpty { single.alternatives = [] }
            if let source { single.source = .url(source) }
            do {
                return try await load(
                    resolver.resolve(single, alternative: index > 0 ? source : nil, taskID: taskID))
            } catch {
                let error = PipelineError.wrap(error, source: single.source.name)
                if error is CancellationError { throw error }
                errors.append(error)
            }
        }
        throw errors.count == 1 ? errors[0] : PipelineError.allSourcesFailed(errors)
    }

    private func isCached(_ request: ImageRequest) async -> Bool {
        let request = resolver.resolve(request)
        if memory.contains(request) { return true }
        return await disk.contains(request)
    }

    /// Repeats work that another load has started, which does not repeat failed ones.
    private func retryingFailed<Value>(_ request: ResolvedRequest, _ body: () async throws -> Value) async throws
        -> Value
    {
        for _ in 1..<3 where request.options.contains(.retryFailed) {
            do { return try await body() } catch PipelineError.failedRecently {}
        }
        return try await body()
    }

    private func response(_ loaded: LoadedImage, _ request: ResolvedRequest) -> ImageResponse {
        var response = response(loaded.image, loaded.source, loaded.details, request)
        if request.options.contains(.includesData) { response.data = loaded.fetched?.data }
        return response
    }

    private func response(_ cached: CachedImage, _ request: ResolvedRequest) -> ImageResponse {
        response(cached.image, .memory, cached.details, request)
    }

    private func response(
        _ image: DecodedImage, _ source: ImageResponse.Source, _ details: ImageDetails, _ request: ResolvedRequest
    ) -> ImageResponse {
        var details = details
        if source == .memory {
            // They describe the transfer of the load that brought the image.
            details.metrics = nil
            details.attempts = 0
        }
        return ImageResponse(
            image: image, source: source, scale: request.base.scale ?? ImageScale.inName(of: request.base.source),
            details: details)
    }
}

extension ImageResponse {
    /// For interceptors of data loads, which see responses with an image.
    fileprivate init(placeholderFor response: DataResponse) throws {
        let bitmap = try Bitmap(width: 1, height: 1, isOpaque: false) { bytes, _ in
            for index in 0..<4 { bytes[index] = 0 }
        }
        let format = ImageFormat.sniff(response.data) ?? .png
        self.init(
            image: DecodedImage(
                bitmap: bitmap, info: ImageInfo(format: format, storedSize: bitmap.size, hasAlpha: true)),
            source: response.source, scale: 1, details: response.details, data: response.data)
    }
}
