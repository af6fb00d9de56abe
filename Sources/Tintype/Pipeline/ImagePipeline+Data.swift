import TintypeBase

/// Loads of bytes alone.
extension ImagePipeline {
    /// The original bytes of a request, as they came: from disk, else from the source. Nothing is decoded; the transfer
    /// and the disk cache are shared with loads of images. Bytes that do not begin like an image are given, but not
    /// stored.
    ///
    /// - Throws: `PipelineError`, or `CancellationError` if the calling task was cancelled.
    public func data(for request: ImageRequest) async throws -> DataResponse {
        let taskID = ImageTask.makeID()
        let load: @Sendable (ImageRequest) async throws -> DataResponse = { [self] request in
            try await anySource(request, taskID: taskID) { [self] load in try await refreshedData(of: load) }
        }
        return try await registered { [self] in
            do {
                guard !configuration.interceptors.isEmpty else { return try await load(request) }
                let response = try await intercepted(request, isDataOnly: true) { request in
                    try ImageResponse(standingFor: try await load(request))
                }
                return try await dataResponse(response, request)
            } catch {
                throw PipelineError.wrap(error, source: request.source.name)
            }
        }
    }

    /// An interceptor that answers with an image of its own has no bytes: they are made.
    private func dataResponse(_ response: ImageResponse, _ request: ImageRequest) async throws -> DataResponse {
        if let data = response.data {
            return DataResponse(data: data, source: response.source, details: response.details)
        }
        let serializer = request.serializer ?? configuration.serializer
        let codecs = request.codecs?.codecs ?? configuration.codecs
        let image = response.image
        let data = try await decodePool.run { try serializer.data(for: image, original: image.info, codecs: codecs) }
        guard let data else { throw ImagingError.notEncodable("an interceptor gave an image that has no encoded form") }
        return DataResponse(data: data, source: response.source, details: response.details)
    }

    /// With the option `refreshCached`, the server decides whether the bytes on disk are still right.
    private func refreshedData(of load: Load) async throws -> DataResponse {
        guard load.options.contains(.refreshCached), load.readsDisk, load.variant.mode == .normal,
            case .web = load.resource.kind
        else { return try await data(of: load, load.variant.mode) }
        var known: DataResponse
        do {
            known = try await data(of: load, .cacheOnly)
        } catch PipelineError.notInCache {
            return try await data(of: load, .normal)
        }
        if let freshness = known.details.freshness, freshness.isExplicitlyFresh(at: nowInSeconds) { return known }
        do {
            return try await data(of: load, .revalidating, known: known)
        } catch {
            if PipelineError.wrap(error, source: load.name) is CancellationError { throw error }
            report(.refreshFailed(error), load)
            known.details.isStale = true
            return known
        }
    }

    /// - Parameter known: in mode `revalidating`, the bytes that the server may confirm.
    private func data(of load: Load, _ mode: FetchVariant.Mode, known: DataResponse? = nil) async throws -> DataResponse
    {
        let interest = interest(of: load)
        let control = JobControl(interest)
        var fetched = try await fetch(load, mode, control: control) { _ in }
        if fetched.isUnchanged, let known {
            return DataResponse(data: known.data, source: known.source, details: fetched.details)
        }
        if try await !looksLikeImage(fetched, load, control) {
            if fetched.source == .disk {
                staged?.stage(.remove, for: fetched.diskKey, origin: load.origin)
                guard mode != .cacheOnly else { throw PipelineError.notInCache(load.name) }
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
        let task = Task { try await body() }
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

extension ImageResponse {
    /// For interceptors, which see responses with an image.
    fileprivate init(standingFor response: DataResponse) throws {
        let bitmap = try Bitmap(width: 1, height: 1, isOpaque: false) { bytes, _ in
            for index in 0..<4 { bytes[index] = 0 }
        }
        let format = ImageFormat.sniff(response.data) ?? .png
        self.init(
            image: DecodedImage(
                bitmap: bitmap, info: ImageInfo(format: format, storedSize: bitmap.size, hasAlpha: true)),
            source: response.source, scale: 1, details: response.details)
        data = response.data
    }
}
