import TintypeBase

extension MemoryCache {
    /// The settings of a ``MemoryCache``. Limits can be changed later on the cache itself.
    public struct Configuration: Sendable {
        /// The largest number of entries; `nil` (the default) and 0: no limit.
        public var countLimit: Int?
        /// The largest sum of costs; `nil` and 0: no limit. Default ``MemoryPressureMonitor/defaultMemoryLimit``.
        public var costLimit: Int?
        /// The share (0…1) of the cost limit that one entry may cost. Default 0.25.
        public var entryCostFraction: Double
        /// How long entries live; `nil` (the default): until evicted.
        public var timeToLive: Duration?
        /// Whether a hit starts the time to live again. Default ``CacheExpiration/sinceStored``.
        public var expiration: CacheExpiration
        /// How often a timer removes expired entries, as long as there are entries that can expire; zero: never.
        /// Default 2 minutes.
        public var sweepInterval: Duration
        /// Default S3-FIFO with 25 % probation.
        public var policy: MemoryCachePolicy
        /// The clock of the times to live: the time since any fixed moment. Must be monotonic; called from any thread,
        /// never under the lock. Default the system's monotonic clock.
        public var now: @Sendable () -> Duration
        /// Called once for each value that leaves, after the lock, on the thread whose call made it leave. May use the
        /// cache.
        public var onEviction: (@Sendable (Key, Value, EvictionReason) -> Void)?

        public init(
            countLimit: Int? = nil,
            costLimit: Int? = MemoryPressureMonitor.defaultMemoryLimit,
            entryCostFraction: Double = 0.25,
            timeToLive: Duration? = nil,
            expiration: CacheExpiration = .sinceStored,
            sweepInterval: Duration = .seconds(120),
            policy: MemoryCachePolicy = .default,
            now: @escaping @Sendable () -> Duration = monotonicTime,
            onEviction: (@Sendable (Key, Value, EvictionReason) -> Void)? = nil
        ) {
            self.countLimit = countLimit
            self.costLimit = costLimit
            self.entryCostFraction = entryCostFraction
            self.timeToLive = timeToLive
            self.expiration = expiration
            self.sweepInterval = sweepInterval
            self.policy = policy
            self.now = now
            self.onEviction = onEviction
        }
    }

    /// The statistics of a ``MemoryCache``.
    public struct Statistics: Sendable, Hashable {
        public var hits = 0
        public var misses = 0
        /// Values that a limit, memory pressure or their age removed; not those removed or replaced by the caller.
        public var evictions = 0
        public var cost = 0
        public var count = 0

        /// Hits for each lookup, 0…1; `nil` before the first lookup.
        public var hitRatio: Double? { hits + misses > 0 ? Double(hits) / Double(hits + misses) : nil }
    }
}

/// The order in which a ``MemoryCache`` evicts entries.
public enum MemoryCachePolicy: Sendable, Hashable {
    /// S3-FIFO (Yang et al., SOSP 2023) with promotion on the first use.
    ///
    /// New entries pass through a probation list. Entries used there move to the main list. Keys evicted from probation
    /// are remembered for a while, and return straight to the main list. Many images that are seen once do not evict
    /// those in use. `probation` is the share (0…1) of the limit that the probation list may hold.
    case s3fifo(probation: Double)
    /// Strictly least recently used first. Better only where use goes back and forth over more than fits.
    case lru

    /// S3-FIFO with a probation share of 25 %.
    public static let `default` = MemoryCachePolicy.s3fifo(probation: 0.25)
}

/// The moment from which a time to live counts.
public enum CacheExpiration: Sendable, Hashable {
    /// Reading an entry does not prolong its life.
    case sinceStored
    /// Every hit starts the time to live again.
    case sinceLastAccess
}

/// The reason why a value left a ``MemoryCache``.
public enum EvictionReason: Sendable, Hashable {
    /// The cost or count limit was exceeded.
    case limit
    /// Its time to live was over.
    case expiry
    /// There was memory pressure: ``MemoryCache/handleMemoryPressure(_:)`` or an explicit trim.
    case pressure
    /// The caller removed it.
    case removed
    /// Another value was set for its key.
    case replaced
}
