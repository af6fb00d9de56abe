/// The memory tier: whether it holds the image of a request, and whether that image may be used.
struct MemoryStage: Sendable {
    enum Lookup {
        case hit(CachedImage)
        /// The image may have changed: its file is to be looked at, or its server to be asked.
        case needsCheck(CachedImage)
        case miss
    }

    let cache: ImageMemoryCache?
    let policy: HTTPCachePolicy

    func lookUp(_ request: ResolvedRequest, _ mode: LoadMode? = nil) -> Lookup {
        guard request.readsMemory(in: mode ?? request.mode), let cached = image(for: request) else { return .miss }
        let isUsable = cached.details.fileStamp == nil && policy.isFresh(cached, for: request.base.headers)
        return isUsable ? .hit(cached) : .needsCheck(cached)
    }

    /// Looks once more for the key of a job, which another load may have stored since. A miss is not counted.
    func lookUpAgain(_ request: ResolvedRequest, key: ImageKey, _ mode: LoadMode) -> CachedImage? {
        guard request.readsMemory(in: mode), let cache, cache.contains(key), let cached = cache.value(for: key),
            request.mayUse(cached.details), cached.details.fileStamp == nil,
            policy.isFresh(cached, for: request.base.headers)
        else { return nil }
        return cached
    }

    /// The image of a request, whatever its age; nil if there is none, or if this request must not see it.
    func image(for request: ResolvedRequest) -> CachedImage? {
        guard let cached = cache?.value(for: request.imageKey), request.mayUse(cached.details) else { return nil }
        return cached
    }

    /// The image for callers that cannot wait: fresh, but that of a file is not compared with the file.
    func imageWithoutCheck(for request: ImageRequest, _ resolver: RequestResolver) -> DecodedImage? {
        let cached =
            if let key = resolver.plainKey(for: request) { cache?.value(for: key) } else {
                image(for: resolver.resolve(request))
            }
        guard let cached, policy.isFresh(cached, for: request.headers) else { return nil }
        return cached.image
    }

    func contains(_ request: ResolvedRequest) -> Bool {
        request.blocksPrivateAddresses ? image(for: request) != nil : cache?.contains(request.imageKey) == true
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

    /// Gives the cached image the details of the response that confirmed it.
    func refresh(_ request: ResolvedRequest, _ details: ImageDetails) {
        guard cache?.contains(request.imageKey) == true, let old = image(for: request) else { return }
        store(CachedImage(image: old.image, details: details), for: request.imageKey)
    }

    func remove(_ request: ResolvedRequest) { cache?.remove(request.imageKey) }
}

/// An image in memory, with what is known about its bytes.
public final class CachedImage: Sendable {
    public let image: DecodedImage
    public let details: ImageDetails

    public init(image: DecodedImage, details: ImageDetails = ImageDetails()) {
        self.image = image
        self.details = details
    }

    /// The bytes that it holds now: its pixels and, of an animation, the encoded bytes and the decoded frames.
    public var cost: Int {
        guard let animation = image.animation else { return image.bitmap.byteCount }
        let encoded = animation.encodedByteCount > 0 ? 0 : details.byteCount
        return image.bitmap.byteCount + animation.cost + encoded + details.frameByteCount
    }
}

/// The memory tier of a pipeline. Several pipelines may share one.
public typealias ImageMemoryCache = MemoryCache<ImageKey, CachedImage>
