import TintypeBase

/// A transfer. It ends exactly once: with a body and a response, or with a ``NetworkingError``.
///
/// All members may be used from any thread.
public final class HTTPTransfer: Sendable {
    struct Delivery: Sendable {
        let data: Data
        let response: DownloadResponse
    }

    struct Shared {
        var outcome: Result<Delivery, NetworkingError>?
        var waiters: [Int: CheckedContinuation<Delivery, any Error>] = [:]
        /// Waiters whose task was cancelled before they were added.
        var cancelledWaiters: Set<Int> = []
        var nextNumber = 0
        var priority: TransferPriority
        var hookTask: Task<Void, Never>?
        var progress: TransferProgress?
        var observers: [Int: AsyncStream<TransferProgress>.Continuation] = [:]
        /// The size of a body that was streamed and not kept.
        var bodyByteCount: Int?
        var attempts = 0
        var channel = ChunkChannel()
    }

    let id: UInt64
    let request: DownloadRequest
    let engine: CurlEngine
    let shared: Locked<Shared>
    let enqueuedAt = monotonicNanoseconds()

    init(id: UInt64, request: DownloadRequest, engine: CurlEngine) {
        self.id = id
        self.request = request
        self.engine = engine
        var state = Shared(priority: request.priority)
        state.channel.holdsForReader = !request.keepsBody
        shared = Locked(state)
    }

    /// The priority among the transfers that wait. Without effect on a running transfer.
    public var priority: TransferPriority {
        get { shared.withLock { $0.priority } }
        set {
            let isChanged = shared.withLock { state in
                defer { state.priority = newValue }
                return state.priority != newValue && state.outcome == nil
            }
            if isChanged { engine.post(.priorityChanged(self)) }
        }
    }

    /// The number of attempts so far, without redirects.
    public var attempts: Int { shared.withLock { $0.attempts } }

    /// Whether the transfer has ended.
    public var isFinished: Bool { shared.withLock { $0.outcome != nil } }

    /// Returns the body and the response. May be called any number of times.
    ///
    /// - Throws: ``NetworkingError``; `CancellationError` if the waiting task is cancelled. The transfer goes on then:
    ///   ``cancel()`` stops it.
    public func result() async throws -> (Data, DownloadResponse) {
        let number = shared.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let delivery = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let ready: Result<Delivery, any Error>? = shared.withLock { state in
                    if let outcome = state.outcome { return outcome.mapError { $0 } }
                    if state.cancelledWaiters.remove(number) != nil { return .failure(CancellationError()) }
                    state.waiters[number] = continuation
                    return nil
                }
                if let ready { continuation.resume(with: ready) }
            }
        } onCancel: {
            let continuation = shared.withLock { state in
                if let waiting = state.waiters.removeValue(forKey: number) { return Optional(waiting) }
                if state.outcome == nil { state.cancelledWaiters.insert(number) }
                return nil
            }
            continuation?.resume(throwing: CancellationError())
        }
        return (delivery.data, delivery.response)
    }

    /// Ends the transfer with ``NetworkingError/cancelled``. Does nothing if it has ended.
    public func cancel() {
        if end(.failure(.cancelled)) { engine.post(.cancel(self)) }
    }

    /// Delivers the outcome to all waiters; only the first call counts and returns true.
    @discardableResult
    func end(_ outcome: Result<Delivery, NetworkingError>) -> Bool {
        var waiters: [CheckedContinuation<Delivery, any Error>] = []
        var observers: [AsyncStream<TransferProgress>.Continuation] = []
        var final: TransferProgress?
        var hookTask: Task<Void, Never>?
        var chunkWaiter: ChunkChannel.Waiter?
        let isFirst = shared.withLock { state in
            guard state.outcome == nil else { return false }
            state.outcome = outcome
            waiters = Array(state.waiters.values)
            observers = Array(state.observers.values)
            hookTask = state.hookTask
            state.waiters = [:]
            state.observers = [:]
            state.hookTask = nil
            if case .success(let delivery) = outcome {
                final = state.finalProgress(delivery)
            }
            chunkWaiter = state.channel.finish(outcome)
            return true
        }
        guard isFirst else { return false }
        for observer in observers {
            if let final { observer.yield(final) }
            observer.finish()
        }
        if case .failure(.cancelled) = outcome { hookTask?.cancel() }
        chunkWaiter?.resume()
        let result = outcome.mapError { $0 as any Error }
        for waiter in waiters { waiter.resume(with: result) }
        return true
    }

    /// Keeps the task of a hook, so that cancelling the transfer cancels it. Cancels it if the transfer has ended.
    func setHookTask(_ task: Task<Void, Never>) {
        let isTooLate = shared.withLock { state in
            if state.outcome == nil { state.hookTask = task }
            return state.outcome != nil
        }
        if isTooLate { task.cancel() }
    }
}

extension HTTPTransfer {
    /// Calls the request modifier, then enqueues its result.
    func modify(with modifier: @escaping @Sendable (DownloadRequest) async throws -> DownloadRequest?) {
        let original = request
        setHookTask(
            Task {
                do {
                    guard var changed = try await modifier(original) else {
                        end(.failure(.refused(by: "request modifier", reason: "it returned no request")))
                        return
                    }
                    changed.hooks = changed.hooks.falling(back: original.hooks)
                    engine.post(.submit(self, changed))
                } catch {
                    end(.failure(.fromHook("request modifier", error)))
                }
            })
    }
}

extension NetworkingError {
    /// Returns the error of a hook as an error of this layer.
    static func fromHook(_ name: String, _ error: any Error) -> NetworkingError {
        switch error {
        case let error as NetworkingError: error
        case is CancellationError: .cancelled
        default: .refused(by: name, reason: "\(error)")
        }
    }
}
