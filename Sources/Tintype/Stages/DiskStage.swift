import TintypeBase

/// The disk tier: what the disk holds or is about to hold for a request.
///
/// Several responses of one URL are stored side by side where `Vary` tells them apart (RFC 9111 §4.1): the first one
/// under the key of the original, the others under keys derived from it.
struct DiskStage: Sendable {
    private static let maximumVariants = 8

    let cache: DiskCache?
    /// The changes that wait to be written; nil without a cache.
    let queue: StoreQueue?
    private let policy: HTTPCachePolicy
    private let events: EventReporter

    init(_ configuration: ImagePipeline.Configuration, policy: HTTPCachePolicy, events: EventReporter) {
        cache = configuration.diskCache
        queue = configuration.diskCache.map { cache in
            StoreQueue(
                cache: cache,
                gate: StoreGate(
                    byteLimit: configuration.pendingStoreByteLimit, width: 2 * max(1, configuration.decodeThreads)),
                encodeThreads: configuration.decodeThreads, events: events)
        }
        self.policy = policy
        self.events = events
    }

    // MARK: Reading

    /// Whether the disk, or a pending store, holds the result or the original bytes of a request.
    func contains(_ request: ResolvedRequest) async -> Bool {
        if await contains(request.originalKey, request) { return true }
        return await contains(request.imageKey.string, request)
    }

    private func contains(_ key: String, _ request: ResolvedRequest) async -> Bool {
        switch queue?.change(for: key) {
        case .store(_, let metadata): return request.mayUse(metadata)
        case .encode(let result): return request.mayUse(result.metadata)
        case .remove: return false
        case .metadata, nil: break
        }
        guard await isStored(key) else { return false }
        guard request.blocksPrivateAddresses else { return true }
        guard let entry = await entry(for: key, request) else { return false }
        return !entry.isExpired && request.mayUse(entry.metadata)
    }

    /// A cache that fails is a cache that misses.
    private func isStored(_ key: String) async -> Bool { (try? await cache?.contains(key)) == true }

    /// The entry of a key, pending or stored, expired or not. A cache that fails is a cache that misses.
    func entry(for key: String, _ request: ResolvedRequest) async -> CacheEntry? {
        switch queue?.change(for: key) {
        case .store(let data, let metadata):
            return CacheEntry(key: key, data: data, metadata: metadata, isExpired: false)
        case .remove, .encode: return nil
        case .metadata, nil: break
        }
        do {
            return try await cache?.entry(for: key, allowExpired: true)
        } catch {
            events.report(.storeFailed(key: key, error), request.origin)
            return nil
        }
    }

    /// The original bytes, if they may be used without asking the server.
    func usableOriginal(_ request: ResolvedRequest) async -> CacheEntry? {
        guard let entry = await entry(for: request.originalKey, request), !entry.isExpired,
            request.mayUse(entry.metadata)
        else { return nil }
        return entry
    }

    /// The stored original that was sent for header fields like those of this request; any other, if there is none.
    func original(_ request: ResolvedRequest) async -> CacheEntry? {
        guard let first = await entry(for: request.originalKey, request) else { return nil }
        guard policy.respectsHeaders, case .web = request.resource.kind else { return first }
        let headers = policy.builder.headers(request.base.headers)
        if FreshnessPolicy.matches(headers, varyingFields: first.metadata.vary) { return first }
        for key in variantKeys(request) {
            if let variant = await entry(for: key, request),
                FreshnessPolicy.matches(headers, varyingFields: variant.metadata.vary)
            {
                return variant
            }
        }
        return first
    }

    enum StoredResult {
        case pending(PendingResult)
        case stored(CacheEntry)
    }

    /// The fresh result of an earlier load; nil if there is none.
    func result(_ request: ResolvedRequest) async -> StoredResult? {
        let key = request.imageKey.string
        if case .encode(let pending)? = queue?.change(for: key) {
            let entry = CacheEntry(key: key, data: Data(), metadata: pending.metadata, isExpired: false)
            return policy.isFresh(entry, request) ? .pending(pending) : nil
        }
        guard await isStored(key), let entry = await entry(for: key, request), policy.isFresh(entry, request) else {
            return nil
        }
        return .stored(entry)
    }

    // MARK: Writing

    /// Where a response is stored: in the place of the same variant, else in a free one, else in that of the oldest.
    func storageKey(_ request: ResolvedRequest, _ metadata: CacheEntryMetadata) async -> String {
        guard policy.respectsHeaders, !metadata.vary.isEmpty,
            let first = await entry(for: request.originalKey, request), !first.metadata.vary.isEmpty,
            first.metadata.vary != metadata.vary
        else { return request.originalKey }
        var free: String?
        var oldest = (key: request.originalKey, storedAt: first.metadata.storedAt)
        for key in variantKeys(request) {
            guard let variant = await entry(for: key, request) else {
                free = free ?? key
                continue
            }
            if variant.metadata.vary == metadata.vary { return key }
            if variant.metadata.storedAt < oldest.storedAt { oldest = (key, variant.metadata.storedAt) }
        }
        return free ?? oldest.key
    }

    /// Enqueues the write of original bytes, unless another load has done so or they must not be stored.
    func storeOriginal(_ fetched: FetchedData, _ origin: EventOrigin) {
        guard let queue, fetched.claimStore(), let metadata = fetched.metadata else { return }
        queue.stage(.store(fetched.data, metadata), for: fetched.diskKey, origin: origin)
    }

    /// Enqueues new metadata for an entry.
    func update(_ metadata: CacheEntryMetadata, for key: String, _ origin: EventOrigin) {
        queue?.stage(.metadata(metadata), for: key, origin: origin)
    }

    /// Enqueues a removal.
    func remove(_ key: String, _ origin: EventOrigin) { queue?.stage(.remove, for: key, origin: origin) }

    /// Removes the result of a request and all variants of its original bytes; returns when they are gone.
    func remove(_ request: ResolvedRequest) async {
        for key in [request.originalKey, request.imageKey.string] + variantKeys(request) {
            remove(key, request.origin)
        }
        await waitForStores(of: request)
    }

    /// Returns when what is pending for a request is on disk, or has failed to get there.
    func waitForStores(of request: ResolvedRequest) async {
        await queue?.wait(for: request.originalKey)
        await queue?.wait(for: request.imageKey.string)
    }

    private func variantKeys(_ request: ResolvedRequest) -> [String] {
        (1..<DiskStage.maximumVariants).map { "\(request.originalKey)#vary\($0)" }
    }
}
