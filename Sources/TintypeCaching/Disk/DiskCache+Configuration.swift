import TintypeBase

extension DiskCache {
    /// How the files of a cache are named and what they hold.
    public enum Naming: Sendable, Hashable {
        /// The SHA-256 of the key, 160 bits in hexadecimal; a checked header with key and metadata before the bytes.
        case sha256
        /// As SDWebImage 3 to 5 does it: the MD5 of the key and the extension of its path; the bytes alone.
        /// A look-up falls back to the name without the extension. For directories written by SDWebImage: such files
        /// have no checksum and no metadata but their date, and crafted keys can share an MD5.
        case sdWebImage
    }

    /// How a ``DiskCache`` behaves.
    public struct Configuration: Sendable {
        /// Where the namespaces lie. Default: ``AppDirectories/caches``/tintype.
        public var root: URL?
        /// Names the cache below `root`; two namespaces never see each other's entries. Default "default".
        public var namespace: String
        /// Entries without a date of their own expire at this age; equality counts as expired. Zero: at once;
        /// nil or negative: never. Default 7 days.
        public var maximumAge: Duration?
        /// When the files hold more than this many bytes, a clean-up begins: expired entries are removed first, then the
        /// least recently used until **half** is left. 0: no limit. Default 1 GiB.
        public var maximumByteCount: Int
        public var naming: Naming
        /// Directories that are only read, in this order, after the cache's own. Either naming is understood.
        /// They are never cleaned or counted.
        public var readOnlyPaths: [URL]
        /// From when on the maximum age counts. Default ``CacheExpiration/sinceStored``: reading moves no expiry.
        public var expiration: CacheExpiration
        /// The clock of storing, expiry and last use. Called from any thread.
        public var now: @Sendable () -> Date
        /// Called once each time the folder stops being usable, not for each failed call; on the thread that found out.
        public var onProblem: (@Sendable (CachingError) -> Void)?
        /// Called after each clean-up that the cache started by itself, on the thread that did it.
        public var onClean: (@Sendable (CleanResult) -> Void)?
        /// For tests.
        var files = FileLayer()
        /// When expired entries are removed the first time; nil: only when the limit is reached.
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
