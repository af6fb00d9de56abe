import TintypeBase

extension DiskCache {
    /// The names and the format of the files of a cache.
    public enum Naming: Sendable, Hashable {
        /// The SHA-256 of the key, 160 bits in hexadecimal; a checked header with key and metadata before the bytes.
        case sha256
        /// The format of SDWebImage 3 to 5: the MD5 of the key and the extension of its path; the bytes alone.
        /// A look-up falls back to the name without the extension. For directories written by SDWebImage: such files
        /// have no checksum and no metadata but their date, and crafted keys can share an MD5.
        case sdWebImage
    }

    /// The settings of a ``DiskCache``.
    public struct Configuration: Sendable {
        /// The folder of the namespaces. Default: ``AppDirectories/caches``/tintype.
        public var root: URL?
        /// The folder of the cache below `root`; namespaces do not share entries. Default "default".
        public var namespace: String
        /// The age at which entries without a date of their own expire. Zero: at once; nil or negative: never.
        /// Default 7 days.
        public var maximumAge: Duration?
        /// The bytes above which a clean-up starts: expired entries are removed first, then the least recently used ones
        /// until **half** is left. 0: no limit. Default 1 GiB.
        public var maximumByteCount: Int
        /// The names and the format of the files. Default ``Naming/sha256``.
        public var naming: Naming
        /// Folders that are only read, in this order, after the cache's own, with either naming. They are never cleaned or
        /// counted.
        public var readOnlyPaths: [URL]
        /// The start of the maximum age. Default ``CacheExpiration/sinceStored``.
        public var expiration: CacheExpiration
        /// Returns the time for storing, expiry and last use. Called from any thread.
        public var now: @Sendable () -> Date
        /// Called once each time the folder becomes unusable, on the thread that detects it.
        public var onProblem: (@Sendable (CachingError) -> Void)?
        /// Called after each automatic clean-up, on its thread.
        public var onClean: (@Sendable (CleanResult) -> Void)?
        /// For tests.
        var files = FileLayer()
        /// The delay of the first removal of expired entries; nil: only when the limit is reached.
        var firstSweepDelay: Duration? = .seconds(5)
        /// The time between two later removals of expired entries.
        var sweepInterval = Duration.seconds(30 * 60)

        public init(
            root: URL? = nil,
            namespace: String = "default",
            maximumAge: Duration? = .seconds(7 * 24 * 60 * 60),
            maximumByteCount: Int = 1 << 30,
            naming: Naming = .sha256,
            readOnlyPaths: [URL] = [],
            expiration: CacheExpiration = .sinceStored,
            now: @escaping @Sendable () -> Date = { Date() },
            onProblem: (@Sendable (CachingError) -> Void)? = nil,
            onClean: (@Sendable (CleanResult) -> Void)? = nil
        ) {
            self.root = root
            self.namespace = namespace
            self.maximumAge = maximumAge
            self.maximumByteCount = maximumByteCount
            self.naming = naming
            self.readOnlyPaths = readOnlyPaths
            self.expiration = expiration
            self.now = now
            self.onProblem = onProblem
            self.onClean = onClean
        }
    }
}
