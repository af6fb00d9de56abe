import TintypeBase

/// From the request to the job, and from the job's end to the task.
extension ImagePipeline {
    /// Whether an image in memory is all that a request asks for: no observer or interceptor has to be told about it.
    func mayBeQuick(_ request: ImageRequest) -> Bool {
        configuration.interceptors.isEmpty && configuration.observer == nil
            && request.options.isDisjoint(with: [.fromLoaderOnly, .skipMemoryReads, .refreshCached, .includesData])
            && configuration.defaultOptions.isEmpty && !request.keys.keys(for: request).isFile
    }

    func start(_ task: ImageTask, _ load: Load, isInMemory: Bool) {
        let isShutDown = registry.withLock { registry in
            if !registry.isShutDown { registry.tasks[task.id] = task }
            return registry.isShutDown
        }
        report(.started, load)
        guard !isShutDown else {
            task.end(.failure(PipelineError.shutDown))
            return
        }
        let readsMemory = isInMemory && load.readsMemory(in: load.variant.mode)
        let cached = readsMemory ? memory.image(for: load) : nil
        if needsDriver(load, cached) {
            drive(task, load)
        } else if let cached {
            report(.memoryHit, load)
            task.end(.success(response(cached.image, .memory, cached.details, load)))
        } else {
            join(task, load, attempt: 1)
        }
    }

    /// Whether a load takes more than one step.
    private func needsDriver(_ load: Load, _ cached: CachedImage?) -> Bool {
        if !configuration.interceptors.isEmpty || !load.request.alternatives.isEmpty { return true }
        if load.options.contains(.refreshCached) && load.options.isDisjoint(with: [.fromLoaderOnly, .fromCacheOnly]) {
            return true
        }
        if load.request.lowDataURL != nil, isLowDataMode { return true }
        guard let cached else { return false }
        // A file may have changed, and an image may be too old for its headers: both take a look before it is used.
        return cached.details.fileStamp != nil || !isUsable(cached, load.request)
    }

    /// A response from memory that needs no checking; nil if there is none.
    func memoryResponse(for load: Load) -> ImageResponse? {
        guard load.readsMemory(in: load.variant.mode), let cached = memory.image(for: load),
            cached.details.fileStamp == nil, isUsable(cached, load.request)
        else { return nil }
        return response(cached.image, .memory, cached.details, load)
    }

    /// The straight way: one job, whose end is the task's end.
    private func join(_ task: ImageTask, _ load: Load, attempt: Int) {
        let mode = load.variant.mode
        let subscriber = JobTable<ImageJobKey, LoadEvent, ImageJobResult>.Subscriber(
            interest: task.state.withLock { $0.interest },
            onEvent: { task.receive($0) },
            onEnd: { [self] result in
                switch result {
                case .success(.image(let loaded)):
                    finish(task, load, response(loaded, load))
                case .success(.unchanged):
                    // Only loads that hold an image ask in a way that is answered like this.
                    task.end(.failure(PipelineError.notInCache(load.name)))
                case .failure(PipelineError.failedRecently)
                where load.options.contains(.retryFailed) && attempt < 3 && !task.isFinished:
                    // The job belonged to somebody who does not ask again.
                    join(task, load, attempt: attempt + 1)
                case .failure(let error): task.end(.failure(PipelineError.wrap(error, source: load.name)))
                }
            })
        let subscription = images.join(load.jobKey(mode, processorCount: load.processors.count), subscriber) {
            [self] job in
            try await makeImage(job, load, mode, processorCount: load.processors.count)
        }
        task.begin(
            ImageTask.Work(
                cancel: { subscription.cancel() },
                setInterest: { subscription.update($0, version: $1) }),
            order: attempt)
    }

    /// Ends a task, after the disk has what the request wants to wait for.
    func finish(_ task: ImageTask, _ load: Load, _ response: ImageResponse) {
        guard load.options.contains(.waitForStore), let staged else {
            task.end(.success(response))
            return
        }
        Task.detached {
            await staged.wait(for: load.originalKey)
            await staged.wait(for: load.imageKey.string)
            task.end(.success(response))
        }
    }

    func response(_ loaded: LoadedImage, _ load: Load) -> ImageResponse {
        var response = response(loaded.image, loaded.source, loaded.details, load)
        if load.options.contains(.includesData) { response.data = loaded.fetched?.data }
        return response
    }

    func response(
        _ image: DecodedImage, _ source: ImageResponse.Source, _ details: ImageDetails, _ load: Load
    ) -> ImageResponse {
        var details = details
        if source == .memory {
            // They tell about the transfer of the load that brought the image.
            details.metrics = nil
            details.attempts = 0
        }
        return ImageResponse(
            image: image, source: source, scale: load.request.scale ?? ImageScale.inName(of: load.request.source),
            details: details)
    }

    /// Called by each task when it ends.
    func didEnd(_ task: ImageTask, _ result: Result<ImageResponse, any Error>) {
        let waiters = registry.withLock { registry in
            registry.tasks[task.id] = nil
            return registry.takeIdleWaiters()
        }
        for waiter in waiters { waiter.resume() }
        guard let observer = configuration.observer else { return }
        let kind: ImageEvent.Kind =
            switch result {
            case .success(let response): .finished(response)
            case .failure(is CancellationError): .cancelled
            case .failure(let error): .failed(error)
            }
        let request = task.request
        observer(
            ImageEvent(
                EventOrigin(name: request.source.name, taskID: task.id, userInfo: request.userInfo), kind))
    }

    /// Nothing is made up for events that nobody listens to.
    @inline(__always)
    func report(_ kind: @autoclosure () -> ImageEvent.Kind, _ load: Load) {
        guard let observer = configuration.observer else { return }
        observer(ImageEvent(load.origin, kind()))
    }
}

extension ImagePipeline.Registry {
    mutating func takeIdleWaiters() -> [CheckedContinuation<Void, Never>] {
        guard tasks.isEmpty, otherLoads.isEmpty else { return [] }
        defer { idleWaiters = [] }
        return idleWaiters
    }
}
