import Synchronization

/// The keys of one request, computed at their first use.
final class RequestKeys: Sendable {
    private final class Box: Sendable {
        let resource: Resource
        let image: ImageKey

        init(_ resource: Resource, _ image: ImageKey) {
            self.resource = resource
            self.image = image
        }
    }

    private let box = AtomicLazyReference<Box>()

    var isComputed: Bool { box.load() != nil }

    /// What the request is about, and its key without any key filter or delegate.
    func keys(for request: ImageRequest) -> (resource: Resource, image: ImageKey) {
        if let box = box.load() { return (box.resource, box.image) }
        let resource = Resource(request.source, cacheKey: request.cacheKey)
        let stored = box.storeIfNil(Box(resource, request.imageKey(resource: resource.key)))
        return (stored.resource, stored.image)
    }
}
