import TintypeBase

/// Puts finished images where their waiters want them, before any waiter is called: who asks again in a completion
/// finds the image in memory, and the bytes among the staged writes.
struct ResultKeeper: Sendable {
    let memoryCache: ImageMemoryCache?
    let staged: StagedWrites?
    let decodePool: WorkerPool
    let now: @Sendable () -> Date

    func keep(_ result: ImageJobResult, key: ImageKey, interest: Interest) {
        guard case .image(let loaded) = result, loaded.isStorable, !loaded.image.isPartial else { return }
        if interest.demand.contains(.memory), loaded.source != .memory {
            keepInMemory(loaded, key)
        }
        guard let staged else { return }
        if interest.demand.contains(.originalOnDisk), let fetched = loaded.fetched, fetched.claimStore(),
            let metadata = fetched.metadata
        {
            staged.stage(.store(fetched.data, metadata), for: fetched.diskKey)
        }
        if interest.demand.contains(.resultOnDisk) { keepResult(loaded, key, staged) }
    }

    private func keepInMemory(_ loaded: LoadedImage, _ key: ImageKey) {
        let cached = CachedImage(image: loaded.image, details: loaded.details)
        var lifetime: Duration?
        switch loaded.expiry {
        case .after(let duration): lifetime = duration
        case .date(let date): lifetime = .seconds(date.timeIntervalSince(now()))
        case .never, nil: break
        }
        memoryCache?.set(cached, for: key, cost: cached.cost, timeToLive: lifetime)
    }

    private func keepResult(_ loaded: LoadedImage, _ key: ImageKey, _ staged: StagedWrites) {
        guard let serialize = loaded.serialize else { return }
        var metadata = loaded.fetched?.metadata ?? CacheEntryMetadata(storedAt: now())
        metadata.expiresAt = loaded.expiry?.date(from: now()) ?? metadata.expiresAt
        let pool = decodePool
        let priority = ImagePriority.low.rawValue
        staged.stage(.encoded({ try await pool.run(priority: priority, serialize) }, metadata), for: key.string)
    }
}
