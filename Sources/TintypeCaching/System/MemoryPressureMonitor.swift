import TintypeBase

/// The level of memory pressure, as in Linux' pressure stall information.
public enum MemoryPressureLevel: Sendable, Hashable, CaseIterable {
    /// Some work waits for memory: free what is easy to load again.
    case some
    /// All work waits for memory, or a limit is almost reached: free everything possible.
    case full
}

/// A monitor of memory pressure, which Linux does not report by itself.
///
/// ```swift
/// let monitor = MemoryPressureMonitor()
/// monitor.start { level in cache.handleMemoryPressure(level) }
/// ```
///
/// A trigger on the pressure stall information (PSI: 100 ms of waiting in 2 s) wakes the monitor where the kernel allows
/// it, and so does a change of the events of its control group (version 2). Otherwise, and for group limits without a
/// trigger, it polls the available memory. It stops when it is released.
public final class MemoryPressureMonitor: Sendable {
    /// The default limit of memory caches: 15 % of the memory of the machine or of the control group's limit, at most
    /// 768 MiB.
    public static let defaultMemoryLimit = memoryLimit(of: MemoryFacts())

    static func memoryLimit(of facts: MemoryFacts) -> Int {
        min(Int(Double(min(facts.physical, facts.groupLimit ?? .max)) * 0.15), 768 << 20)
    }

    /// The sources that wake a running monitor.
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

    /// Creates a monitor.
    ///
    /// - Parameter pollingInterval: The time between polls, if nothing wakes the monitor; at least 10 ms. Default 5 s.
    public convenience init(pollingInterval: Duration = .seconds(5)) {
        self.init(pollingInterval: pollingInterval, facts: MemoryFacts())
    }

    init(pollingInterval: Duration, facts: MemoryFacts) {
        self.pollingInterval = max(pollingInterval, .milliseconds(10))
        self.facts = facts
    }

    deinit { stop() }

    /// The sources of a running monitor; empty if it does not run.
    package var sources: Sources { state.withLock { $0.sources } }

    /// Starts the monitor, or changes the handler of a running one.
    ///
    /// - Parameter handler: Called on the monitor's thread, at most once a second for each level. It may block.
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

    /// Stops the monitor.
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

    /// Passes a level to the handler on the calling thread, for other sources of memory pressure.
    public func report(_ level: MemoryPressureLevel) {
        state.withLock { $0.handler }?(level)
    }
}
