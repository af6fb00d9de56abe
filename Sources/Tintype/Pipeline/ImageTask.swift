import TintypeBase

/// A running load, which ends exactly once: with a response, an error, or cancelled.
public final class ImageTask: Sendable {
    /// Unique in the process.
    public let id: UInt64
    public let request: ImageRequest

    struct State {
        var result: Result<ImageResponse, any Error>?
        var interest: Interest
        var interestVersion: UInt64 = 0
        /// Stops what runs for this task; called once, when it is cancelled.
        var work: Work?
        var waiters: [UInt64: CheckedContinuation<ImageResponse, any Error>] = [:]
        var nextWaiter: UInt64 = 0
        var progress: [AsyncStream<TransferProgress>.Continuation] = []
        var previews: [AsyncStream<DecodedImage>.Continuation] = []
        var responses: [AsyncThrowingStream<ImageResponse, any Error>.Continuation] = []
        var listeners: [@Sendable (Update) -> Void] = []
        var lastProgress: TransferProgress?
        var lastPreview: DecodedImage?
        var firstResponse: ImageResponse?
    }

    /// What listeners are told.
    enum Update: Sendable {
        case progress(TransferProgress)
        case preview(DecodedImage)
        /// The cached image of a load that goes on.
        case first(ImageResponse)
        case end(Result<ImageResponse, any Error>)
    }

    /// What a running task waits for.
    struct Work: Sendable {
        var cancel: @Sendable () -> Void
        var setInterest: @Sendable (Interest, UInt64) -> Void
    }

    let state: Locked<State>
    private let didEnd: @Sendable (ImageTask, Result<ImageResponse, any Error>) -> Void

    private static let nextID = Locked<UInt64>(1)

    static func makeID() -> UInt64 {
        nextID.withLock { id in
            defer { id += 1 }
            return id
        }
    }

    init(
        id: UInt64, request: ImageRequest, interest: Interest,
        didEnd: @escaping @Sendable (ImageTask, Result<ImageResponse, any Error>) -> Void
    ) {
        self.id = id
        self.request = request
        self.didEnd = didEnd
        state = Locked(State(interest: interest))
    }

    // MARK: Result

    /// The image; see `response`.
    public var image: DecodedImage {
        get async throws { try await response.image }
    }

    /// The final response. Cancelling the Swift task that waits here cancels the load, for all its waiters.
    ///
    /// - Throws: `PipelineError`, or `CancellationError`.
    public var response: ImageResponse {
        get async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let result = state.withLock { state -> Result<ImageResponse, any Error>? in
                        if let result = state.result { return result }
                        state.waiters[state.nextWaiter] = continuation
                        state.nextWaiter += 1
                        return nil
                    }
                    if let result { continuation.resume(with: result) }
                }
            } onCancel: {
                cancel()
            }
        }
    }

    /// Whether the load has ended.
    public var isFinished: Bool { state.withLock { $0.result != nil } }

    /// Ends the load with `CancellationError`, at once. Work that other loads share goes on. No effect on a
    /// load that has ended.
    public func cancel() { end(.failure(CancellationError())) }

    /// Can be changed while the load runs. Work shared with other loads runs at the highest priority of them all.
    public var priority: ImagePriority {
        get { state.withLock { $0.interest.priority } }
        set { changeInterest { $0.priority = newValue } }
    }

    // MARK: For the pipeline

    var interest: Interest { state.withLock { $0.interest } }

    /// Hands over what runs for this task. It is cancelled at once if the task has ended in the meantime.
    func begin(_ work: Work) {
        let (hasEnded, interest, version) = state.withLock { state in
            if state.result == nil { state.work = work }
            return (state.result != nil, state.interest, state.interestVersion)
        }
        if hasEnded {
            work.cancel()
        } else if version > 0 {
            work.setInterest(interest, version)
        }
    }

    func changeInterest(_ change: (inout Interest) -> Void) {
        let (work, interest, version) = state.withLock { state -> (Work?, Interest, UInt64) in
            let old = state.interest
            change(&state.interest)
            guard state.interest != old, state.result == nil else { return (nil, old, 0) }
            state.interestVersion += 1
            return (state.work, state.interest, state.interestVersion)
        }
        work?.setInterest(interest, version)
    }

    /// Calls `listener` with all updates, and with the end, now if the task has ended.
    func listen(_ listener: @escaping @Sendable (Update) -> Void, wantsProgress: Bool = false) {
        let result = state.withLock { state in
            if state.result == nil { state.listeners.append(listener) }
            return state.result
        }
        if let result {
            listener(.end(result))
        } else if wantsProgress {
            changeInterest { $0.demand.insert(.progress) }
        }
    }

    /// The first call ends the task; later ones do nothing.
    @discardableResult func end(_ result: Result<ImageResponse, any Error>) -> Bool {
        let ended = state.withLock { state -> State? in
            guard state.result == nil else { return nil }
            let ended = state
            state = State(
                result: result, interest: state.interest, lastProgress: state.lastProgress,
                lastPreview: nil, firstResponse: state.firstResponse)
            return ended
        }
        guard let ended else { return false }
        // A successful end comes from the work itself; there is nothing left to cancel then.
        if case .failure = result { ended.work?.cancel() }
        didEnd(self, result)
        for stream in ended.progress { stream.finish() }
        for stream in ended.previews { stream.finish() }
        for stream in ended.responses {
            switch result {
            case .success(let response):
                if ended.firstResponse == nil || !response.isRepeated { stream.yield(response) }
                stream.finish()
            case .failure(let error): stream.finish(throwing: error)
            }
        }
        for listener in ended.listeners { listener(.end(result)) }
        for waiter in ended.waiters.sorted(by: { $0.key < $1.key }) { waiter.value.resume(with: result) }
        return true
    }
}

extension ImageTask: Hashable {
    public static func == (left: ImageTask, right: ImageTask) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
