import TintypeBase

/// Decides about single loads. Every method has a default; all are called on no particular thread and must not block it.
public protocol ImagePipelineDelegate: AnyObject, Sendable {
    /// Asked when no cache holds the image, before the origin is. No fails the load with `blocked`. Yes by default.
    func pipeline(_ pipeline: ImagePipeline, shouldDownload request: ImageRequest) -> Bool

    /// Runs over the decoded image before the request's own processors; its identifier is a part of the key, for
    /// look-ups, prefetching and removal alike. Nil by default.
    func pipeline(_ pipeline: ImagePipeline, processorFor request: ImageRequest) -> (any ImageProcessor)?

    /// The request as it will be sent: add a token, change the URL. The cache key does not follow.
    func pipeline(_ pipeline: ImagePipeline, willSend request: DownloadRequest, for image: ImageRequest) async throws
        -> DownloadRequest

    /// The bytes as they will be decoded and stored, for instance decrypted. Called for bytes from the network.
    func pipeline(
        _ pipeline: ImagePipeline, didReceive data: Data, _ response: DownloadResponse, for image: ImageRequest
    ) async throws -> Data

    /// Whether a failure is remembered, so that the resource is not asked again for a while. Asked for every failed
    /// download; `isPermanent` is the answer without a delegate.
    func pipeline(
        _ pipeline: ImagePipeline, shouldRemember error: any Error, for request: ImageRequest, isPermanent: Bool
    ) -> Bool
}

extension ImagePipelineDelegate {
    public func pipeline(_ pipeline: ImagePipeline, shouldDownload request: ImageRequest) -> Bool { true }

    public func pipeline(_ pipeline: ImagePipeline, processorFor request: ImageRequest) -> (any ImageProcessor)? { nil }

    public func pipeline(
        _ pipeline: ImagePipeline, willSend request: DownloadRequest, for image: ImageRequest
    ) async throws -> DownloadRequest { request }

    public func pipeline(
        _ pipeline: ImagePipeline, didReceive data: Data, _ response: DownloadResponse, for image: ImageRequest
    ) async throws -> Data { data }

    public func pipeline(
        _ pipeline: ImagePipeline, shouldRemember error: any Error, for request: ImageRequest, isPermanent: Bool
    ) -> Bool { isPermanent }
}

/// Makes the cache key of a URL, for instance without its query. Asked in every look-up, so it must be quick.
public protocol CacheKeyFilter: Sendable {
    /// - Parameter url: in its encoded form, one for all spellings.
    func cacheKey(for url: String) -> String
}

/// A key filter from a closure.
public struct ClosureCacheKeyFilter: CacheKeyFilter {
    private let filter: @Sendable (String) -> String

    public init(_ filter: @escaping @Sendable (String) -> String) { self.filter = filter }

    public func cacheKey(for url: String) -> String { filter(url) }
}
