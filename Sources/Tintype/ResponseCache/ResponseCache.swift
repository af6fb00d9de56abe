import TintypeBase

/// Keeps JSON responses on disk, so that the next start of the app has something to show at once.
///
///     let cache = try ResponseCache(ResponseCache.Configuration(version: "2.1"))
///     try await cache.save(json: ["name": "Ada"], for: "https://api.example.com/me")
///     let name = try await cache.json(for: "https://api.example.com/me")?["name"]
///
/// A response is found by method, URL, parameters, version and partition (`ResponseKey`). Entries live in a namespace of
/// their own of the disk cache's store: checked, written whole or not at all, shared safely between processes. Changes
/// happen in the order of their calls.
///
/// The asynchronous forms throw typed errors. Their twins that end in `Synchronously` block the calling thread and
/// return true or false, a value or nil, for callers that would do nothing else with an error.
public final class ResponseCache: Sendable {
    public struct Configuration: Sendable {
        /// Where the namespaces lie; nil, the default, is `AppDirectories.caches`/tintype.
        public var root: URL?
        /// "responses" by default.
        public var namespace: String
        /// The version of the app. Responses of one version are invisible to every other; `removeOtherVersions()` deletes
        /// them. Empty by default.
        public var version: String
        /// When responses expire that bring no other limit; nil, the default: never.
        public var maximumAge: Duration?
        /// Bytes on disk; 0, the default, is no limit.
        public var maximumByteCount: Int
        /// Honours `Cache-Control` and `Expires` of responses from the network: `no-store` is not stored, `max-age`
        /// becomes the expiry. False by default: `maximumAge` decides.
        public var respectsHTTPHeaders = false
        /// What fetches; nil, the default: a downloader of the cache's own, made at the first request.
        public var downloader: ImageDownloader?
        /// Timeouts, retries, limits, proxy, `blocksPrivateAddresses` of every request; its URL and body are replaced.
        public var requestDefaults = DownloadRequest(url: "")
        /// The clock of storing and expiry.
        public var now: @Sendable () -> Date

        public init(
            root: URL? = nil, namespace: String = "responses", version: String = "", maximumAge: Duration? = nil,
            maximumByteCount: Int = 0, now: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.root = root
            self.namespace = namespace
            self.version = version
            self.maximumAge = maximumAge
            self.maximumByteCount = maximumByteCount
            self.now = now
        }
    }

    public let configuration: Configuration
    let store: DiskCache
    /// One thread: what is changed later is on disk later.
    let writer = WorkerPool(name: "tintype-json", width: 1)
    let transfers = CoalescedTransfers()
    let ownDownloader: Locked<ImageDownloader?>

    /// - Throws: `CachingError.invalidNamespace` only. A folder that cannot be used makes a cache that holds nothing;
    ///   saving then fails and says why.
    public init(_ configuration: Configuration = Configuration()) throws(CachingError) {
        self.configuration = configuration
        ownDownloader = Locked(configuration.downloader)
        store = try DiskCache(
            DiskCache.Configuration(
                root: configuration.root, namespace: configuration.namespace, maximumAge: configuration.maximumAge,
                maximumByteCount: configuration.maximumByteCount, now: configuration.now))
    }

    /// The folder that holds the responses.
    public var path: String { store.path }

    /// Why nothing can be stored at the moment; nil while all is well.
    public var unavailableReason: CachingError? { store.unavailableReason }

    func key(_ request: ResponseRequest) throws(ResponseCacheError) -> String {
        try request.key(version: configuration.version).description
    }
}
