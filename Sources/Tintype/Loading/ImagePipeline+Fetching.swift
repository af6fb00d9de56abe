import TintypeBase

/// The jobs that bring bytes.
extension ImagePipeline {
    typealias FetchJob = JobTable<FetchKey, LoadEvent, FetchedData>.Job

    /// The bytes of a load, for a job that makes an image of them.
    func fetch(_ job: ImageJob, _ load: Load, _ mode: FetchVariant.Mode) async throws -> FetchedData {
        try await fetch(load, mode, control: job.control, onEvent: events(of: job, load))
    }

    func fetch(
        _ load: Load, _ mode: FetchVariant.Mode, control: JobControl, onEvent: @escaping @Sendable (LoadEvent) -> Void
    ) async throws -> FetchedData {
        switch load.resource.kind {
        case .invalid(let error): throw error
        case .image: throw PipelineError.notInCache(load.name)
        case .file(let path):
            try refuseLocalFile(load)
            return try await readFile(path, load, control)
        case .data(let url): return try await decodeDataURL(url, load, control)
        case .web, .bytes:
            guard mode != .memoryOnly else { throw PipelineError.notInCache(load.name) }
            return try await fetches.value(
                for: load.fetchKey(mode), control: control,
                mapInterest: {
                    Interest(priority: $0.priority, demand: $0.demand.intersection([.progress, .previews]))
                },
                onEvent: onEvent,
                body: { [self] job in try await fetchRemote(job, load, mode) })
        }
    }

    private func fetchRemote(_ job: FetchJob, _ load: Load, _ mode: FetchVariant.Mode) async throws -> FetchedData {
        if mode == .normal || mode == .ignoringDisk, let data = liveData.data(for: load.fetchKey(.normal)) {
            return data
        }
        let entry = mode == .ignoringDisk ? nil : await originalEntry(load)
        let answer = cacheAnswer(entry, load, mode)
        switch answer {
        case .use(let entry, let isStale):
            report(.diskHit(isStale: isStale), load)
            if isStale, mode == .normal { refreshInBackground(load) }
            return fetchedData(entry, isStale: isStale)
        case .ask where mode == .cacheOnly: throw PipelineError.notInCache(load.name)
        case .ask(let known):
            if !load.options.contains(.retryFailed), let failure = failures.failure(of: load.failureKey) {
                throw PipelineError.failedRecently(load.name, failure: failure.error, secondsLeft: failure.secondsLeft)
            }
            if let delegate = configuration.delegate, !delegate.pipeline(self, shouldDownload: load.request) {
                throw PipelineError.blocked("the delegate forbids downloading \(load.name)")
            }
            try Task.checkCancellation()
            let data = try await askOrigin(job, load, known, mode)
            if data.source != .disk, !data.isUnchanged { liveData.insert(data, for: load.fetchKey(.normal)) }
            return data
        }
    }

    private func askOrigin(_ job: FetchJob, _ load: Load, _ known: CacheEntry?, _ mode: FetchVariant.Mode) async throws
        -> FetchedData
    {
        if case .bytes(let bring) = load.resource.kind {
            let data = try await bring()
            guard !data.isEmpty else { throw ImagingError.emptyBody }
            return FetchedData(
                data: data, diskKey: load.originalKey, source: .closure, details: localDetails(data.count),
                metadata: metadata(load, nil), needsStore: true)
        }
        do {
            return try await download(job, load, known, mode)
        } catch {
            if PipelineError.wrap(error, source: "") is CancellationError { throw CancellationError() }
            if let known, let stale = staleAnswer(known, load, mode, error) { return stale }
            if let error = error as? NetworkingError {
                rememberFailure(error, load, isPermanent: error.status == 404 || error.status == 410)
            }
            throw error
        }
    }

    func rememberFailure(_ error: any Error, _ load: Load, isPermanent: Bool) {
        let remembers =
            configuration.delegate?.pipeline(
                self, shouldRemember: error, for: load.request, isPermanent: isPermanent) ?? isPermanent
        if remembers { failures.record(load.failureKey, error: PipelineError.wrap(error, source: load.name)) }
    }

    // MARK: Local sources

    func refuseLocalFile(_ load: Load) throws {
        guard load.isUntrustedFile else { return }
        throw NetworkingError.blockedAddress(host: load.name, address: "a file of this machine")
    }

    private func readFile(_ path: String, _ load: Load, _ control: JobControl) async throws -> FetchedData {
        let limit = load.request.network.maximumBodyByteCount ?? configuration.requestDefaults.maximumBodyByteCount
        let (data, stamp) = try await filePool.run(priority: control.interest.priority.rawValue) {
            try LocalFile.read(path: path, maximumByteCount: limit)
        }
        var details = localDetails(data.count)
        details.fileStamp = stamp
        return FetchedData(data: data, diskKey: load.originalKey, source: .file, details: details)
    }

    private func decodeDataURL(_ url: DataURL, _ load: Load, _ control: JobControl) async throws -> FetchedData {
        let data = try await decodePool.run(priority: control.interest.priority.rawValue) { try url.data() }
        return FetchedData(
            data: data, diskKey: load.originalKey, source: .data, details: localDetails(data.count))
    }

    /// Of bytes that came from no network.
    private func localDetails(_ byteCount: Int) -> ImageDetails {
        var details = ImageDetails(byteCount: byteCount, date: configuration.now())
        details.blocksPrivateAddresses = true
        return details
    }

    // MARK: Disk

    /// Whether the disk, or a pending store, holds a key for this load.
    func isOnDisk(_ key: String, _ load: Load) async -> Bool {
        switch staged?.change(for: key) {
        case .store(_, let metadata): return load.mayUse(metadata)
        case .encode(let result): return load.mayUse(result.metadata)
        case .remove: return false
        case .metadata, nil: break
        }
        // A cache that fails is a cache that misses.
        guard let diskCache, (try? await diskCache.contains(key)) == true else { return false }
        guard load.blocksPrivateAddresses else { return true }
        guard let entry = await entry(for: key, load) else { return false }
        return !entry.isExpired && load.mayUse(entry.metadata)
    }

    /// The entry of a key: what is being written, else what the disk holds, expired or not. A cache that fails is a
    /// cache that misses.
    func entry(for key: String, _ load: Load) async -> CacheEntry? {
        switch staged?.change(for: key) {
        case .store(let data, let metadata):
            return CacheEntry(key: key, data: data, metadata: metadata, isExpired: false)
        case .remove, .encode: return nil
        case .metadata, nil: break
        }
        guard let diskCache else { return nil }
        do {
            return try await diskCache.entry(for: key, allowExpired: true)
        } catch {
            report(.storeFailed(key: key, error), load)
            return nil
        }
    }
}
