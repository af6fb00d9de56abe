/// How short memory is, in the words of Linux' pressure stall information.
public enum MemoryPressureLevel: Sendable, Hashable, CaseIterable {
    /// Some work waits for memory: give back what is easy to get again.
    case some
    /// Everything waits for memory, or a limit is about to be hit: give back all that can be given.
    case full
}

/// Watches for short memory.
public final class MemoryPressureMonitor: Sendable {
    public static let defaultMemoryLimit = 256 << 20
}
