/// Which entry a ``MemoryCache`` evicts when a limit is reached.
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

/// Why a value left a ``MemoryCache``.
public enum EvictionReason: Sendable, Hashable {
    /// The cost or count limit was exceeded.
    case limit
    /// Its time to live was over.
    case expiry
    /// Memory was short: ``MemoryCache/handleMemoryPressure(_:)`` or an explicit trim.
    case pressure
    /// The caller removed it.
    case removed
    /// Another value was set for its key.
    case replaced
    /// The value had discarded its content (``DiscardableContent``).
    case discarded
}
