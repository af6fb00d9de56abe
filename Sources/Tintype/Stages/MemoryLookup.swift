/// The memory tier as loads see it.
struct MemoryLookup: Sendable {
    let cache: ImageMemoryCache?

    /// The image in memory, whatever its age; nil if there is none, or if this load must not see it.
    func image(for load: Load) -> CachedImage? {
        guard let cached = cache?.value(for: load.imageKey), load.mayUse(cached.details) else { return nil }
        return cached
    }

    /// Stores an image. The cost of an animation follows its decoded frames.
    func store(_ cached: CachedImage, for key: ImageKey, timeToLive: Duration? = nil) {
        guard let cache else { return }
        cache.set(cached, for: key, cost: cached.cost, timeToLive: timeToLive)
        // Only the cache holds `stored` for long: a replaced or evicted image no longer changes the cost of the key.
        guard let animation = cached.image.animation, let stored = cache.value(for: key), stored === cached else {
            return
        }
        animation.observeCost { [weak cache, weak stored] _ in
            guard let cache, let stored else { return }
            cache.updateCost(stored.cost, for: key)
        }
    }
}

extension Load {
    /// A request with `blocksPrivateAddresses` never gets what was loaded without that rule.
    func mayUse(_ details: ImageDetails) -> Bool {
        !blocksPrivateAddresses || (details.blocksPrivateAddresses && !isUntrustedFile)
    }

    /// The same for an entry on disk; entries of versions without the mark count as loaded without the rule.
    func mayUse(_ metadata: CacheEntryMetadata) -> Bool { !blocksPrivateAddresses || metadata.blocksPrivateAddresses }

    /// A text from an untrusted input must not name a file of this machine, where requests keep away from private
    /// addresses. ``ImageSource/file(path:)`` is the caller's own choice and stays allowed.
    var isUntrustedFile: Bool {
        guard blocksPrivateAddresses, case .file = resource.kind, case .url = request.source else { return false }
        return true
    }
}
