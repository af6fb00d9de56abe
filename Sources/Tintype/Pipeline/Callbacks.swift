import TintypeBase

/// Where callbacks run.
public struct DeliveryExecutor: Sendable {
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter run: gets each callback and runs it soon, in the order given: on the main loop of a toolkit, a
    ///   queue, an actor.
    public init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.run = run }

    /// On the thread where the load makes progress, at once; the callback must be quick. A memory hit calls back before
    /// the call returns.
    public static let immediate = DeliveryExecutor { $0() }

    /// On the main actor, one after the other.
    public static let mainActor: DeliveryExecutor = {
        let (stream, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        Task { @MainActor in
            for await callback in stream { callback() }
        }
        return DeliveryExecutor { continuation.yield($0) }
    }()
}

/// Keeps the callbacks of one load in order: nothing after the end, no progress that goes back.
final class CallbackGate: Sendable {
    private struct State {
        var hasEnded = false
        var received = -1
    }

    private let state = Locked(State())
    private let executor: DeliveryExecutor
    private let progress: (@Sendable (TransferProgress) -> Void)?
    private let preview: (@Sendable (DecodedImage) -> Void)?
    private let cached: (@Sendable (ImageResponse) -> Void)?
    private let completion: @Sendable (Result<ImageResponse, any Error>) -> Void

    init(
        executor: DeliveryExecutor, progress: (@Sendable (TransferProgress) -> Void)?,
        preview: (@Sendable (DecodedImage) -> Void)?, cached: (@Sendable (ImageResponse) -> Void)?,
        _ completion: @escaping @Sendable (Result<ImageResponse, any Error>) -> Void
    ) {
        self.executor = executor
        self.progress = progress
        self.preview = preview
        self.cached = cached
        self.completion = completion
    }

    func receive(_ update: ImageTask.Update) {
        executor.run { [self] in deliver(update) }
    }

    private func deliver(_ update: ImageTask.Update) {
        let mayDeliver = state.withLock { state in
            guard !state.hasEnded else { return false }
            switch update {
            case .progress(let progress):
                guard progress.received > state.received else { return false }
                state.received = progress.received
            case .end: state.hasEnded = true
            case .preview, .first: break
            }
            return true
        }
        guard mayDeliver else { return }
        switch update {
        case .progress(let value): progress?(value)
        case .preview(let image): preview?(image)
        case .first(let response): cached?(response)
        case .end(let result): completion(result)
        }
    }
}
