/// Why a value left a ``MemoryCache``.
public enum EvictionReason: Sendable, Hashable {
    /// The cost or count limit needed its room.
    case limit
    /// Its time to live was over.
    case expiry
    /// Memory is short: a memory-pressure reaction or an explicit trim.
    case pressure
    /// `remove`, `removeAll`.
    case removed
    /// Another value was set for its key.
    case replaced
    /// The value had given up its content (``DiscardableContent``).
    case discarded
}
