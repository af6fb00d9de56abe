import TintypeBase

/// Remembers for a short time which resources failed permanently, and how, so that a list that scrolls does not request
/// the same missing image again and again. Bounded; a success clears its entry.
final class FailureMemory: Sendable {
    struct Failure: Sendable {
        let error: any Error
        let end: Date
    }

    private struct State {
        var failures: [String: Failure] = [:]
        /// Keys in the order of their recording, with holes for those recorded again or cleared.
        var order: [(key: String, end: Date)] = []
    }

    private let state = Locked(State())
    private let duration: TimeInterval
    private let capacity: Int
    private let now: @Sendable () -> Date

    /// - Parameter duration: zero or less remembers nothing.
    init(duration: Duration, capacity: Int = 10_000, now: @escaping @Sendable () -> Date) {
        self.duration = duration.inSeconds
        self.capacity = max(1, capacity)
        self.now = now
    }

    /// The failure of this resource and the seconds until it is forgotten; nil if there is none.
    func failure(of key: String) -> (error: any Error, secondsLeft: Double)? {
        guard let failure = state.withLock({ $0.failures[key] }) else { return nil }
        let left = failure.end.timeIntervalSince(now())
        // More than the whole time is left only where the clock was set back.
        guard left > 0, left <= duration else {
            clear(key)
            return nil
        }
        return (failure.error, left)
    }

    func record(_ key: String, error: any Error) {
        guard duration > 0 else { return }
        let now = now()
        let end = now.addingTimeInterval(duration)
        state.withLock { state in
            state.failures[key] = Failure(error: error, end: end)
            state.order.append((key, end))
            var drop = 0
            while drop < state.order.count {
                let oldest = state.order[drop]
                let isCurrent = state.failures[oldest.key]?.end == oldest.end
                guard !isCurrent || oldest.end <= now || state.failures.count > capacity else { break }
                if isCurrent { state.failures[oldest.key] = nil }
                drop += 1
            }
            state.order.removeFirst(drop)
            if state.order.count > 2 * capacity {
                state.order.removeAll { state.failures[$0.key]?.end != $0.end }
            }
        }
    }

    func clear(_ key: String) {
        state.withLock { state in _ = state.failures.removeValue(forKey: key) }
    }

    func removeAll() { state.withLock { $0 = State() } }

    var count: Int { state.withLock { $0.failures.count } }
}
