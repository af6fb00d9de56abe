/// Who is evicted from a ``MemoryCache`` when a limit is reached.
public enum MemoryCachePolicy: Sendable, Hashable {
    /// S3-FIFO (Yang et al., SOSP 2023) with promotion on the first re-reference: new entries pass through a
    /// probation queue, entries used there move to the main queue, keys evicted from probation are remembered
    /// for a while and come back straight into the main queue. A long run of images that are seen once does
    /// not flush those in use. `probation` is the share (0…1) of the limit that the probation queue may hold.
    case s3fifo(probation: Double)
    /// Strictly least recently used first. Better only where use goes back and forth over more than fits.
    case lru

    /// S3-FIFO with a probation share of 25 %.
    public static let `default` = MemoryCachePolicy.s3fifo(probation: 0.25)
}

/// From when on a time to live counts.
public enum CacheExpiration: Sendable, Hashable {
    /// Reading an entry does not keep it alive.
    case sinceStored
    /// Every hit starts the time to live again.
    case sinceLastAccess
}
