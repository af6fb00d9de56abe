import TintypeBase

/// Fetches the original bytes of a request: from disk, else from the server, a file, a `data:` URL or a closure.
///
/// Loads of one resource share the work.
final class FetchStage: Sendable {
    private typealias Work = CoalescedWork<FetchKey, LoadEvent, FetchedData>

    private let work = Work()
    private let bytesInUse = BytesInUse()
    private let disk: DiskStage
    private let download: DownloadStage
    private let policy: HTTPCachePolicy
    private let failures: FailureMemory
    private let decoder: DecodeStage
    private let filePool: WorkerPool
    private let events: EventReporter

    init(
        disk: DiskStage, download: DownloadStage, policy: HTTPCachePolicy, failures: FailureMemory,
        decoder: DecodeStage, filePool: WorkerPool, events: EventReporter
    ) {
        self.disk = disk
        self.download = download
        self.policy = policy
        self.failures = failures
        self.decoder = decoder
        self.filePool = filePool
        self.events = events
    }

    var runningCount: Int { work.runningCount }
    func waitUntilIdle() async { await work.waitUntilIdle() }

    /// Fetches bytes and uses them. An entry on disk that is no image is removed and fetched again.
    ///
    /// - Parameter use: throws an `ImagingError` for which the bytes are to blame, if they are no image.
    func fetch<Value: Sendable>(
        _ request: ResolvedRequest, _ mode: LoadMode, control: WorkControl,
        onEvent: (@Sendable (LoadEvent) -> Void)? = nil, use: (FetchedData) async throws -> Value
    ) async throws -> Value {
        let fetched = try await fetch(request, mode, control, onEvent)
        do {
            return try await use(fetched)
        } catch let error as ImagingError where fetched.source == .disk && error.isFault(of: fetched.data) {
            events.report(.removedUndecodable(key: fetched.diskKey, error), request.origin)
            disk.remove(fetched.diskKey, request.origin)
            guard mode != .cacheOnly else { throw PipelineError.notInCache(request.name) }
            return try await use(fetch(request, .ignoringDisk, control, onEvent))
        }
    }

    private func fetch(
        _ request: ResolvedRequest, _ mode: LoadMode, _ control: WorkControl,
        _ onEvent: (@Sendable (LoadEvent) -> Void)?
    ) async throws -> FetchedData {
        switch request.resource.kind {
        case .invalid(let error): throw error
        case .image: throw PipelineError.notInCache(request.name)
        case .file(let path):
            guard !request.isUntrustedFile else {
                throw NetworkingError.blockedAddress(host: request.name, address: "a file of this machine")
            }
            return try await readFile(path, request, control)
        case .data(let url):
            let data = try await decoder.run(control) { try url.data() }
            return FetchedData(
                data, diskKey: request.originalKey, source: .data, details: localDetails(data.count))
        case .web, .bytes:
            guard mode != .memoryOnly else { throw PipelineError.notInCache(request.name) }
            return try await work.value(
                for: request.fetchKey(mode), control: control,
                mapInterest: {
                    Interest(priority: $0.priority, demand: $0.demand.intersection([.progress, .previews]))
                },
                onEvent: onEvent, body: { [self] job in try await fetch(request, mode, job) })
        }
    }

    private func fetch(_ request: ResolvedRequest, _ mode: LoadMode, _ job: Work.Job) async throws -> FetchedData {
        if mode == .normal || mode == .ignoringDisk, let data = bytesInUse.data(for: request.fetchKey(.normal)) {
            return data
        }
        let entry = mode == .ignoringDisk ? nil : await disk.original(request)
        switch policy.decision(on: entry, request, mode) {
        case .use(let entry, let isStale):
            events.report(.diskHit(isStale: isStale), request.origin)
            return FetchedData(entry, isStale: isStale, needsRefresh: isStale && mode == .normal)
        case .send where mode == .cacheOnly: throw PipelineError.notInCache(request.name)
        case .send(let known):
            try failures.check(request)
            try Task.checkCancellation()
            let data = try await fetchFromSource(request, known, mode, job)
            if data.source != .disk, !data.isUnchanged { bytesInUse.insert(data, for: request.fetchKey(.normal)) }
            return data
        }
    }

    private func fetchFromSource(_ request: ResolvedRequest, _ known: CacheEntry?, _ mode: LoadMode, _ job: Work.Job)
        async throws -> FetchedData
    {
        switch request.resource.kind {
        case .bytes(let load):
            let data = try await load()
            guard !data.isEmpty else { throw ImagingError.emptyBody }
            return FetchedData(
                data, diskKey: request.originalKey, source: .closure, details: localDetails(data.count),
                metadata: policy.metadata(request, nil), needsStore: true)
        case .web(let url):
            do {
                return try await download.download(
                    url, request, known: known, mode, control: job.control, send: { job.send($0) })
            } catch {
                if PipelineError.wrap(error, source: "") is CancellationError { throw CancellationError() }
                if let known, policy.mayReplace(known, mode, after: error) {
                    events.report(.refreshFailed(error), request.origin)
                    return FetchedData(known, isStale: true)
                }
                if let error = error as? NetworkingError {
                    failures.record(error, of: request, isPermanent: error.status == 404 || error.status == 410)
                }
                throw error
            }
        case .file, .data, .image, .invalid: throw PipelineError.notInCache(request.name)
        }
    }

    // MARK: Local sources

    /// Whether a file is still as it was when an image was made of it.
    func isUnchanged(_ cached: CachedImage, _ request: ResolvedRequest, _ control: WorkControl) async throws -> Bool {
        guard case .file(let path) = request.resource.kind, let stamp = cached.details.fileStamp else { return true }
        return try await filePool.run(priority: control.interest.priority.rawValue) {
            try LocalFile.validator(path: path) == stamp
        }
    }

    private func readFile(_ path: String, _ request: ResolvedRequest, _ control: WorkControl) async throws
        -> FetchedData
    {
        let limit = request.base.network.maximumBodyByteCount ?? policy.builder.maximumBodyByteCount
        let (data, stamp) = try await filePool.run(priority: control.interest.priority.rawValue) {
            try LocalFile.read(path: path, maximumByteCount: limit)
        }
        var details = localDetails(data.count)
        details.fileStamp = stamp
        return FetchedData(data, diskKey: request.originalKey, source: .file, details: details)
    }

    /// Of bytes that came from no network.
    private func localDetails(_ byteCount: Int) -> ImageDetails {
        var details = ImageDetails(byteCount: byteCount, date: policy.now())
        details.blocksPrivateAddresses = true
        return details
    }
}

/// The bytes that are in use right now, by resource. Holds nothing alive.
private final class BytesInUse: Sendable {
    private struct Entry {
        weak var data: FetchedData?
    }

    private struct State {
        var entries: [FetchKey: Entry] = [:]
        var sweepCount = 64
    }

    private let state = Locked(State())

    func data(for key: FetchKey) -> FetchedData? {
        guard let data = state.withLock({ $0.entries[key]?.data }), !data.isUndecodable else { return nil }
        return data
    }

    func insert(_ data: FetchedData, for key: FetchKey) {
        state.withLock { state in
            state.entries[key] = Entry(data: data)
            guard state.entries.count > state.sweepCount else { return }
            state.entries = state.entries.filter { $0.value.data != nil }
            state.sweepCount = max(64, 2 * state.entries.count)
        }
    }
}
