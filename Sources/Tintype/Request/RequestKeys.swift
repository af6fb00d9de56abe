import Synchronization

/// The keys of one request, computed at their first use.
final class RequestKeys: Sendable {
    /// What the request is about, and its key without any key filter or delegate.
    final class Box: Sendable {
        let resource: Resource
        let image: ImageKey
        let isFile: Bool

        init(_ resource: Resource, _ image: ImageKey) {
            self.resource = resource
            self.image = image
            if case .file = resource.kind { isFile = true } else { isFile = false }
        }
    }

    private let box = AtomicLazyReference<Box>()

    var isComputed: Bool { box.load() != nil }

    func keys(for request: ImageRequest) -> Box {
        if let box = box.load() { return box }
        let resource = Resource(request.source, cacheKey: request.cacheKey)
        return box.storeIfNil(Box(resource, request.imageKey(resource: resource.key)))
    }
}
