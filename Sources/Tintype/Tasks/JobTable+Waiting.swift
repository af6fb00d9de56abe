import TintypeBase

extension JobTable {
    /// Waits for a job from inside the body of another: the upper job's interest travels down, its cancellation too.
    ///
    /// - Parameters:
    ///   - control: of the waiting job.
    ///   - mapInterest: what of the upper job's interest this one shares; called at each change.
    /// - Throws: what the job throws; `CancellationError` at once when the waiting task is cancelled.
    func value(
        for key: Key, control: JobControl, mapInterest: @escaping @Sendable (Interest) -> Interest = { $0 },
        onEvent: (@Sendable (Event) -> Void)? = nil, body: @escaping Body
    ) async throws -> Value {
        let wait = JobWait<Value, Subscription>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard wait.begin(continuation) else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                let subscriber = Subscriber(
                    interest: mapInterest(control.interest), onEvent: onEvent, onEnd: { wait.end($0) })
                let subscription = join(key, subscriber, body: body)
                let observer = control.observe { interest, version in
                    // Version 0 is the interest just given.
                    if version > 0 { subscription.update(mapInterest(interest), version: version) }
                }
                wait.didJoin(subscription, cancel: { $0.cancel() }, cleanUp: { control.stopObserving(observer) })
            }
        } onCancel: {
            wait.cancel()
        }
    }
}

/// The waiting side of one `JobTable.value(for:)`: makes sure that the continuation is resumed exactly once.
private final class JobWait<Value: Sendable, Subscription: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var leave: (@Sendable () -> Void)?
        var cleanUp: (@Sendable () -> Void)?
        var isCancelled = false
        var hasEnded = false
    }

    private let state = Locked(State())

    /// False if the waiting task was cancelled before it began.
    func begin(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.continuation = continuation
            return true
        }
    }

    func didJoin(
        _ subscription: Subscription, cancel: @escaping @Sendable (Subscription) -> Void,
        cleanUp: @escaping @Sendable () -> Void
    ) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded {
                state.leave = { cancel(subscription) }
                state.cleanUp = cleanUp
            }
            return state.hasEnded
        }
        guard hasEnded else { return }
        cancel(subscription)
        cleanUp()
    }

    func end(_ result: Result<Value, any Error>) { finish(result, leaves: false) }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        finish(.failure(CancellationError()), leaves: true)
    }

    private func finish(_ result: Result<Value, any Error>, leaves: Bool) {
        let ended = state.withLock { state -> State? in
            guard !state.hasEnded, state.continuation != nil else { return nil }
            let ended = state
            state = State(isCancelled: state.isCancelled, hasEnded: true)
            return ended
        }
        guard let ended else { return }
        if leaves { ended.leave?() }
        ended.cleanUp?()
        ended.continuation?.resume(with: result)
    }
}
