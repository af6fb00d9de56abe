import TintypeBase

/// The running transfers by key: equal requests wait for the same transfer.
final class CoalescedTransfers: Sendable {
    typealias Waiter = CheckedContinuation<CachedResponse, any Error>

    private struct Transfer {
        let number: Int
        var task: Task<Void, Never>?
        var waiters: [Int: Waiter] = [:]
    }

    private struct State {
        var transfers: [String: Transfer] = [:]
        var nextNumber = 0
        /// Waiters that were cancelled before they were added.
        var cancelled: Set<Int> = []
    }

    private let state = Locked(State())

    /// Returns the response of the running request for `key`, or of a new one. Cancelling one waiter ends only its wait;
    /// cancelling the last one cancels the request.
    func value(for key: String, _ body: @escaping @Sendable () async throws -> CachedResponse) async throws
        -> CachedResponse
    {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        // A cancellation that comes together with the response finds no waiter; its number must not stay.
        defer { state.withLock { _ = $0.cancelled.remove(number) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                join(key, number, continuation, body)
            }
        } onCancel: {
            cancelWait(key, number)
        }
    }

    private func join(
        _ key: String, _ number: Int, _ waiter: Waiter, _ body: @escaping @Sendable () async throws -> CachedResponse
    ) {
        enum Next {
            case wait, start, cancelled
        }
        let next = state.withLock { state -> Next in
            if state.cancelled.remove(number) != nil { return .cancelled }
            let isNew = state.transfers[key] == nil
            state.transfers[key, default: Transfer(number: number)].waiters[number] = waiter
            return isNew ? .start : .wait
        }
        switch next {
        case .wait: break
        case .cancelled: waiter.resume(throwing: CancellationError())
        case .start:
            let task = Task.detached { [self] in
                let result: Result<CachedResponse, any Error>
                do { result = .success(try await body()) } catch { result = .failure(error) }
                finish(key, number, result)
            }
            let isNeeded = state.withLock { state in
                guard state.transfers[key]?.number == number else { return false }
                state.transfers[key]?.task = task
                return true
            }
            // It has finished already, where cancelling has no effect, or its last waiter was cancelled.
            if !isNeeded { task.cancel() }
        }
    }

    private func finish(_ key: String, _ number: Int, _ result: Result<CachedResponse, any Error>) {
        let waiters = state.withLock { state -> [Waiter] in
            guard let transfer = state.transfers[key], transfer.number == number else { return [] }
            state.transfers[key] = nil
            return Array(transfer.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    private func cancelWait(_ key: String, _ number: Int) {
        let (waiter, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let waiter = state.transfers[key]?.waiters.removeValue(forKey: number) else {
                state.cancelled.insert(number)
                return (nil, nil)
            }
            guard state.transfers[key]?.waiters.isEmpty == true else { return (waiter, nil) }
            return (waiter, state.transfers.removeValue(forKey: key)?.task)
        }
        task?.cancel()
        waiter?.resume(throwing: CancellationError())
    }
}
