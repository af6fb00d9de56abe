import TintypeBase

/// Remembers for a short time which resources failed permanently, and how.
///
/// A list that scrolls then does not request the same missing image again and again. Bounded; a success clears its entry.
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
    private let remembers: (@Sendable (any Error, ImageRequest, _ isPermanent: Bool) -> Bool)?

    /// - Parameters:
    ///   - duration: zero or less remembers nothing.
    ///   - remembers: decides in place of `isPermanent` whether a failure is recorded.
    init(
        duration: Duration, capacity: Int = 10_000, now: @escaping @Sendable () -> Date,
        remembers: (@Sendable (any Error, ImageRequest, _ isPermanent: Bool) -> Bool)? = nil
    ) {
        self.remembers = remembers
        self.duration = duration.inSeconds
        self.capacity = max(1, capacity)
        self.now = now
    }

    // MARK: Requests

    /// - Throws: ``PipelineError/failedRecently(_:failure:secondsLeft:)``.
    func check(_ request: ResolvedRequest) throws {
        guard !request.options.contains(.retryFailed), let failure = failure(of: request.failureKey) else { return }
        throw PipelineError.failedRecently(request.name, failure: failure.error, secondsLeft: failure.secondsLeft)
    }

    /// Records a failure, if it is to be remembered.
    func record(_ error: any Error, of request: ResolvedRequest, isPermanent: Bool) {
        guard remembers?(error, request.base, isPermanent) ?? isPermanent else { return }
        record(request.failureKey, error: PipelineError.wrap(error, source: request.name))
    }

    func clear(_ request: ResolvedRequest) { clear(request.failureKey) }

    // MARK: Keys

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
