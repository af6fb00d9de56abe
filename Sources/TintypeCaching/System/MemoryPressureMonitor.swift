import TintypeBase

/// How short memory is, in the words of Linux' pressure stall information.
public enum MemoryPressureLevel: Sendable, Hashable, CaseIterable {
    /// Some work waits for memory: give back what is easy to get again.
    case some
    /// Everything waits for memory, or a limit is about to be hit: give back all that can be given.
    case full
}

/// Watches for short memory, which Linux does not announce by itself.
///
/// ```swift
/// let monitor = MemoryPressureMonitor()
/// monitor.start { level in cache.handleMemoryPressure(level) }
/// ```
///
/// Where the kernel lets this process set a trigger on its pressure stall information (PSI: 100 ms of waiting in 2 s),
/// that wakes the monitor, and so does a change of the events of its control group (version 2). Otherwise, and for
/// group limits that no trigger covers, it looks at the available memory every few seconds. It stops when it is released.
public final class MemoryPressureMonitor: Sendable {
    /// min(15 % of the memory of the machine or of the control group's limit, 768 MiB).
    public static let defaultMemoryLimit = memoryLimit(of: MemoryFacts())

    static func memoryLimit(of facts: MemoryFacts) -> Int {
        min(Int(Double(min(facts.physical, facts.groupLimit ?? .max)) * 0.15), 768 << 20)
    }

    /// What wakes a running monitor.
    package struct Sources: OptionSet, Sendable, Hashable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package static let pressureStallInformation = Sources(rawValue: 1)
        package static let controlGroupEvents = Sources(rawValue: 2)
        package static let polling = Sources(rawValue: 4)
    }

    private struct State {
        var handler: (@Sendable (MemoryPressureLevel) -> Void)?
        var stopPipe: Int32 = -1
        var sources: Sources = []
        /// Counts the starts, so that the thread of an older one stays silent.
        var run = 0
    }

    private let state = Locked(State())
    private let facts: MemoryFacts
    private let pollingInterval: Duration

    /// - Parameter pollingInterval: how often to look where nothing wakes the monitor; at least 10 ms. Default 5 s.
    public convenience init(pollingInterval: Duration = .seconds(5)) {
        self.init(pollingInterval: pollingInterval, facts: MemoryFacts())
    }

    init(pollingInterval: Duration, facts: MemoryFacts) {
        self.pollingInterval = max(pollingInterval, .milliseconds(10))
        self.facts = facts
    }

    deinit { stop() }

    /// What this monitor relies on; empty while it does not run.
    package var sources: Sources { state.withLock { $0.sources } }

    /// Starts to watch, or changes the handler of a running watch.
    ///
    /// - Parameter handler: called on the monitor's own thread, never more often than once a second for one level;
    ///   it may block for a while.
    public func start(handler: @escaping @Sendable (MemoryPressureLevel) -> Void) {
        let run = state.withLock { state -> Int? in
            let isRunning = state.handler != nil
            state.handler = handler
            guard !isRunning else { return nil }
            state.run += 1
            return state.run
        }
        guard let run else { return }
        var pipes: [Int32] = [-1, -1]
        // Without a pipe the watch ends at its next look instead of at once.
        if pipe(&pipes) != 0 { pipes = [-1, -1] }
        for file in pipes where file >= 0 { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
        let watch = MemoryPressureWatch(facts: facts, stop: pipes[0], interval: pollingInterval)
        state.withLock { state in
            state.stopPipe = pipes[1]
            state.sources = watch.sources
        }
        startDetachedThread(name: "tintype-memory", stackSize: 256 << 10) { [weak self] in
            watch.run { level in
                guard let self else { return false }
                let handler = self.state.withLock { $0.run == run ? $0.handler : nil }
                guard let handler else { return false }
                if let level { handler(level) }
                return true
            }
        }
    }

    public func stop() {
        let pipe = state.withLock { state -> Int32 in
            state.handler = nil
            state.sources = []
            defer { state.stopPipe = -1 }
            return state.stopPipe
        }
        // The watching thread sees the other end hang up.
        if pipe >= 0 { close(pipe) }
    }

    /// Passes a level to the handler on the calling thread: for hosts that learn of it in another way.
    public func report(_ level: MemoryPressureLevel) {
        state.withLock { $0.handler }?(level)
    }
}
