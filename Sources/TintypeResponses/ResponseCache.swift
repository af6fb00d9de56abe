import TintypeBase
@_exported import TintypeCaching
@_exported import TintypeNetworking

/// A disk cache of JSON responses, so that the next start of the app has something to show at once.
///
///     let cache = try ResponseCache(ResponseCache.Configuration(version: "2.1"))
///     try await cache.save(json: ["name": "Ada"], for: "https://api.example.com/me")
///     let name = try await cache.json(for: "https://api.example.com/me")?["name"]
///
/// A response is found by method, URL, parameters, version and partition. Entries live in a namespace of
/// their own of the disk cache's store: checked, written whole or not at all, shared safely between processes. Changes
/// happen in the order of the calls.
///
/// The asynchronous methods throw typed errors. Their variants that end in `Synchronously` block the calling thread and
/// return true or false, a value or nil, for callers that do not need the error.
public final class ResponseCache: Sendable {
    public struct Configuration: Sendable {
        /// The folder of the namespaces; nil, the default, is `AppDirectories.caches`/tintype.
        public var root: URL?
        /// The folder below `root`: "responses" by default.
        public var namespace: String
        /// The version of the app; empty by default. A version does not see the responses of another;
        /// `removeOtherVersions()` deletes those.
        public var version: String
        /// The time until a response without a limit of its own expires; nil, the default: never.
        public var maximumAge: Duration?
        /// The most bytes on disk; 0, the default, is no limit.
        public var maximumByteCount: Int
        /// Honours `Cache-Control` and `Expires` of responses from the network: `no-store` is not stored, `max-age`
        /// becomes the expiry. False by default: `maximumAge` decides.
        public var respectsHTTPHeaders = false
        /// The downloader of requests; nil, the default: one of the cache's own, made at the first request.
        public var downloader: ImageDownloader?
        /// Timeouts, retries, limits, proxy and `blocksPrivateAddresses` of every request; URL and body are replaced.
        public var requestDefaults = DownloadRequest(url: "")
        /// Returns the time for storing and expiry.
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
    /// One thread, so that changes reach the disk in the order of the calls.
    let writer = WorkerPool(name: "tintype-json", width: 1)
    let transfers = CoalescedTransfers()
    let ownDownloader: Locked<ImageDownloader?>

    /// Creates a cache. A folder that cannot be used makes a cache that holds nothing, and saving throws the reason.
    ///
    /// - Throws: `CachingError.invalidNamespace` only.
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

    /// The reason why nothing can be stored at the moment; nil if storing works.
    public var unavailableReason: CachingError? { store.unavailableReason }

    func key(_ request: ResponseRequest) throws(ResponseCacheError) -> String {
        try request.key(version: configuration.version).description
    }
}

extension ResponseCache {
    /// Bytes of all responses on disk, headers included. In constant time where this process owns the index.
    public var byteCount: Int { store.byteCount }

    /// The number of stored responses.
    public var count: Int { store.count }

    /// The size in megabytes of 1024 × 1024 bytes.
    public var megabytes: Double { Double(byteCount) / 1_048_576 }

    /// The size as `512.0kb` below a megabyte and `1.5M` from there on, with one place: the form of
    /// XHNetworkCache, except that 1023.95 kB and more is `1.0M` and not `1024.0kb`.
    public var formattedSize: String { ResponseCache.formatted(byteCount: byteCount) }

    static func formatted(byteCount: Int) -> String {
        let kilobytes = tenths(byteCount, of: 1 << 10)
        if kilobytes < 10_240 { return "\(kilobytes / 10).\(kilobytes % 10)kb" }
        let megabytes = tenths(byteCount, of: 1 << 20)
        return "\(megabytes / 10).\(megabytes % 10)M"
    }

    /// Rounds as `%.1f` does: half a tenth goes to the even neighbour.
    private static func tenths(_ byteCount: Int, of unit: Int) -> Int {
        let count = max(0, byteCount)
        let whole = count / unit
        let scaled = (count % unit) * 10
        let (tenth, rest) = scaled.quotientAndRemainder(dividingBy: unit)
        let isUp = rest * 2 > unit || (rest * 2 == unit && (whole * 10 + tenth) % 2 == 1)
        return whole * 10 + tenth + (isUp ? 1 : 0)
    }

    /// The size in English with SI units and one place: `512 bytes`, `1.6 MB`.
    ///
    /// A no-break space keeps number and unit together.
    public var sizeDescription: String { ResponseCache.sizeDescription(byteCount: byteCount) }

    static func sizeDescription(byteCount: Int) -> String {
        let count = max(0, byteCount)
        if count < 1000 { return "\(count) \(count == 1 ? "byte" : "bytes")" }
        var unit = 1000
        var names = ["kB", "MB", "GB", "TB"][...]
        var value = tenths(count, of: unit)
        while value >= 10_000, names.count > 1 {
            unit *= 1000
            names = names.dropFirst()
            value = tenths(count, of: unit)
        }
        return "\(value / 10).\(value % 10)\u{A0}\(names.first ?? "")"
    }
}
