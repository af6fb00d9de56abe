import TintypeBase

/// Requests under way, by key: who asks for the same thing waits for the same request.
final class AnswerFlights: Sendable {
    typealias Waiter = CheckedContinuation<CachedResponse, any Error>

    private struct Flight {
        let number: Int
        var task: Task<Void, Never>?
        var waiters: [Int: Waiter] = [:]
    }

    private struct State {
        var flights: [String: Flight] = [:]
        var nextNumber = 0
        /// Waiters that were cancelled before they could be entered.
        var cancelled: Set<Int> = []
    }

    private let state = Locked(State())

    /// The answer of the running request for `key`, or of a new one. Cancelling one waiter ends only its wait;
    /// cancelling the last one ends the request.
    func value(for key: String, _ body: @escaping @Sendable () async throws -> CachedResponse) async throws
        -> CachedResponse
    {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        // A cancellation that comes with the answer finds nobody, and must leave no mark.
        defer { state.withLock { _ = $0.cancelled.remove(number) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                join(key, number, continuation, body)
            }
        } onCancel: {
            leave(key, number)
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
            let isNew = state.flights[key] == nil
            state.flights[key, default: Flight(number: number)].waiters[number] = waiter
            return isNew ? .start : .wait
        }
        switch next {
        case .wait: break
        case .cancelled: waiter.resume(throwing: CancellationError())
        case .start:
            let task = Task.detached { [self] in
                let result: Result<CachedResponse, any Error>
                do { result = .success(try await body()) } catch { result = .failure(error) }
                land(key, number, result)
            }
            let isNeeded = state.withLock { state in
                guard state.flights[key]?.number == number else { return false }
                state.flights[key]?.task = task
                return true
            }
            // It has landed already, which does not mind, or its last waiter has gone.
            if !isNeeded { task.cancel() }
        }
    }

    private func land(_ key: String, _ number: Int, _ result: Result<CachedResponse, any Error>) {
        let waiters = state.withLock { state -> [Waiter] in
            guard let flight = state.flights[key], flight.number == number else { return [] }
            state.flights[key] = nil
            return Array(flight.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    private func leave(_ key: String, _ number: Int) {
        let (waiter, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let waiter = state.flights[key]?.waiters.removeValue(forKey: number) else {
                state.cancelled.insert(number)
                return (nil, nil)
            }
            guard state.flights[key]?.waiters.isEmpty == true else { return (waiter, nil) }
            return (waiter, state.flights.removeValue(forKey: key)?.task)
        }
        task?.cancel()
        waiter?.resume(throwing: CancellationError())
    }
}
