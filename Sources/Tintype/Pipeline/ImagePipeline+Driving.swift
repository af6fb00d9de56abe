import TintypeBase

/// Loads that take more than one step: interceptors, alternatives, low-data mode, and images that the origin is asked
/// about although they are there.
extension ImagePipeline {
    func drive(_ task: ImageTask, _ load: Load) {
        let control = JobControl(task.state.withLock { $0.interest })
        let work = Task { [self] in
            do {
                let response = try await intercepted(task.request, isDataOnly: false) { [self] request in
                    try await anySource(request, taskID: task.id) { [self] load in
                        try await oneSource(load, task, control)
                    }
                }
                finish(task, load, response)
            } catch {
                task.end(.failure(PipelineError.wrap(error, source: load.name)))
            }
        }
        task.begin(
            ImageTask.Work(
                cancel: { work.cancel() },
                setInterest: { control.update($0, version: $1) }))
    }

    func intercepted(
        _ request: ImageRequest, isDataOnly: Bool,
        load: @escaping @Sendable (ImageRequest) async throws -> ImageResponse
    ) async throws -> ImageResponse {
        let chain = InterceptorChain(
            request: request, isDataOnly: isDataOnly, rest: configuration.interceptors[...], load: load)
        return try await chain.proceed(request)
    }

    /// The request's source, else its alternatives in order.
    func anySource<Response>(
        _ request: ImageRequest, taskID: UInt64, _ body: (Load) async throws -> Response
    ) async throws -> Response {
        var errors: [any Error] = []
        for (index, source) in await sources(of: request).enumerated() {
            var single = request
            single.alternatives = []
            if let source { single.source = .url(source) }
            do {
                let load = resolve(single, alternative: index > 0 ? source : nil, taskID: taskID)
                return try await body(load)
            } catch {
                let error = PipelineError.wrap(error, source: single.source.name)
                if error is CancellationError { throw error }
                errors.append(error)
            }
        }
        guard errors.count > 1 else { throw errors.first ?? PipelineError.notInCache(request.source.name) }
        throw PipelineError.allSourcesFailed(errors)
    }

    /// Nil stands for the request's own source. In low-data mode the small one goes first, unless the own one is cached.
    private func sources(of request: ImageRequest) async -> [String?] {
        var sources: [String?] = [nil] + request.alternatives.map { $0 }
        if let small = request.lowDataURL, isLowDataMode, await !cache.contains(request) { sources[0] = small }
        return sources
    }

    private func oneSource(_ load: Load, _ task: ImageTask, _ control: JobControl) async throws -> ImageResponse {
        try refuseLocalFile(load)
        let mode = load.variant.mode
        guard !load.options.contains(.fromCacheOnly), !load.options.contains(.fromLoaderOnly) else {
            if let response = memoryResponse(for: load) { return response }
            return try await joined(load, mode, task, control)
        }
        let cached = load.readsMemory(in: mode) ? memory.image(for: load) : nil
        if load.options.contains(.refreshCached), case .web = load.resource.kind {
            return try await refreshed(load, cached, task, control)
        }
        guard let cached else { return try await joined(load, mode, task, control) }
        if case .file(let path) = load.resource.kind {
            guard try await isUnchanged(cached, path, control) else {
                memoryCache?.remove(load.imageKey)
                return try await joined(load, mode, task, control)
            }
        } else if !isUsable(cached, load.request) {
            return try await revalidated(load, cached, task, control)
        }
        report(.memoryHit, load)
        return response(cached.image, .memory, cached.details, load)
    }

    private func isUnchanged(_ cached: CachedImage, _ path: String, _ control: JobControl) async throws -> Bool {
        guard let stamp = cached.details.fileStamp else { return true }
        return try await filePool.run(priority: control.interest.priority.rawValue) {
            try LocalFile.validator(path: path) == stamp
        }
    }

    /// Waits for the job of a load.
    func joined(_ load: Load, _ mode: FetchVariant.Mode, _ task: ImageTask?, _ control: JobControl) async throws
        -> ImageResponse
    {
        let result = try await jobResult(load, mode, task, control)
        guard case .image(let loaded) = result else { throw PipelineError.notInCache(load.name) }
        return response(loaded, load)
    }

    func jobResult(_ load: Load, _ mode: FetchVariant.Mode, _ task: ImageTask?, _ control: JobControl) async throws
        -> ImageJobResult
    {
        let count = load.processors.count
        var attempt = 1
        while true {
            do {
                return try await images.value(
                    for: load.jobKey(mode, processorCount: count), control: control, onEvent: { task?.receive($0) },
                    body: { [self] job in try await makeImage(job, load, mode, processorCount: count) })
            } catch PipelineError.failedRecently where load.options.contains(.retryFailed) && attempt < 3 {
                // The job belonged to somebody who does not ask again.
                attempt += 1
            }
        }
    }
}
