import TintypeBase

/// Puts finished images into the caches that their waiters want them in, before any waiter is resumed.
///
/// A second load that starts in a completion finds the image in memory, and the bytes among the pending stores.
struct ResultStore: Sendable {
    let memory: MemoryStage
    let disk: DiskStage
    let now: @Sendable () -> Date

    func store(_ result: ImageResult, key: ImageKey, interest: Interest) {
        guard case .image(let loaded) = result, loaded.isStorable, !loaded.image.isPartial else { return }
        if interest.demand.contains(.memory), loaded.source != .memory { storeInMemory(loaded, key) }
        // Animations are not encoded again: their original takes the place of the result.
        let replacesResult = interest.demand.contains(.resultOnDisk) && loaded.image.animation != nil
        if interest.demand.contains(.originalOnDisk) || replacesResult, let fetched = loaded.fetched {
            disk.storeOriginal(fetched, loaded.origin)
        }
        if interest.demand.contains(.resultOnDisk) { storeResult(loaded, key) }
    }

    private func storeInMemory(_ loaded: LoadedImage, _ key: ImageKey) {
        var lifetime: Duration?
        switch loaded.expiry {
        case .after(let duration): lifetime = duration
        case .date(let date): lifetime = .seconds(date.timeIntervalSince(now()))
        case .never, nil: break
        }
        memory.store(CachedImage(image: loaded.image, details: loaded.details), for: key, timeToLive: lifetime)
    }

    private func storeResult(_ loaded: LoadedImage, _ key: ImageKey) {
        guard let queue = disk.queue, let serialize = loaded.serialize else { return }
        var metadata = loaded.fetched?.metadata ?? CacheEntryMetadata(storedAt: now())
        metadata.expiresAt = loaded.expiry?.date(from: now()) ?? metadata.expiresAt
        metadata.blocksPrivateAddresses = loaded.details.blocksPrivateAddresses
        metadata.status = loaded.details.status
        let info = loaded.originalInfo
        metadata.original = CacheEntryMetadata.Original(
            byteCount: loaded.details.byteCount, format: info.format.rawValue, width: info.storedSize.width,
            height: info.storedSize.height)
        let result = PendingResult(
            image: loaded.image, details: loaded.details, originalInfo: info, metadata: metadata, encode: serialize)
        queue.stage(.encode(result), for: key.string, origin: loaded.origin)
    }
}
