import TintypeBase

/// Loads of bytes alone.
extension ImagePipeline {
    /// The original bytes of a request, as they came: from disk, else from the source. Nothing is decoded; the transfer
    /// and the disk cache are shared with loads of images. Bytes that do not begin like an image are given, but not
    /// stored.
    ///
    /// - Throws: `PipelineError`, or `CancellationError` if the calling task was cancelled.
    public func data(for request: ImageRequest) async throws -> DataResponse {
        var errors: [any Error] = []
        for (index, source) in ([nil] + request.alternatives.map { $0 as String? }).enumerated() {
            var single = request
            single.alternatives = []
            if let source { single.source = .url(source) }
            let load = resolve(single, alternative: index > 0 ? source : nil)
            do {
                return try await registered { [self] in try await data(of: load) }
            } catch {
                let error = PipelineError.wrap(error, source: load.name)
                if error is CancellationError { throw error }
                errors.append(error)
            }
        }
        throw errors.count == 1 ? errors[0] : PipelineError.allSourcesFailed(errors)
    }

    private func data(of load: Load) async throws -> DataResponse {
        let interest = interest(of: load)
        let control = JobControl(interest)
        var fetched = try await fetch(load, load.variant.mode, control: control) { _ in }
        if try await !looksLikeImage(fetched, load, control) {
            if fetched.source == .disk {
                staged?.stage(.remove, for: fetched.diskKey, origin: load.origin)
                guard load.variant.mode != .cacheOnly else { throw PipelineError.notInCache(load.name) }
                fetched = try await fetch(load, .ignoringDisk, control: control) { _ in }
            }
            if try await !looksLikeImage(fetched, load, control) { fetched.markUndecodable() }
        }
        if fetched.source == .network, !fetched.isUndecodable { failures.clear(load.failureKey) }
        if interest.demand.contains(.originalOnDisk), fetched.claimStore(), let metadata = fetched.metadata {
            staged?.stage(.store(fetched.data, metadata), for: fetched.diskKey, origin: load.origin)
            if load.options.contains(.waitForStore) { await staged?.wait(for: fetched.diskKey) }
        }
        return DataResponse(data: fetched.data, source: fetched.source, details: fetched.details)
    }

    private func looksLikeImage(_ fetched: FetchedData, _ load: Load, _ control: JobControl) async throws -> Bool {
        let (codecs, limits, data) = (load.codecs, load.request.decodeOptions.limits, fetched.data)
        return try await runDecode(load, control, holdsImage: false) { _ in
            do {
                _ = try codecs.info(data, isComplete: true, limits: limits)
                return true
            } catch let error as ImagingError {
                return !error.isFault(of: data)
            }
        }
    }

    /// Runs a load that has no `ImageTask` in a task of its own, which `cancelAll()` reaches.
    func registered<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task.detached { try await body() }
        let entry = registry.withLock { registry -> UInt64? in
            guard !registry.isShutDown else { return nil }
            registry.nextOtherLoad += 1
            registry.otherLoads[registry.nextOtherLoad] = { task.cancel() }
            return registry.nextOtherLoad
        }
        guard let id = entry else {
            task.cancel()
            throw PipelineError.shutDown
        }
        defer {
            let waiters = registry.withLock { registry in
                registry.otherLoads[id] = nil
                return registry.takeIdleWaiters()
            }
            for waiter in waiters { waiter.resume() }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
