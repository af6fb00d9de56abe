import TintypeBase

/// For callers without `async`.
extension ImagePipeline {
    /// Loads an image and calls back.
    ///
    /// - Parameters:
    ///   - request: what to load.
    ///   - executor: where all callbacks run.
    ///   - progress: how far the transfer is; not called for images from a cache.
    ///   - preview: with the option `progressive`, what has come so far.
    ///   - cached: with the option `refreshCached`, the cached image, at most once and before `completion`.
    ///   - completion: called exactly once, as the last of all, also for a cancelled load.
    @discardableResult
    public func loadImage(
        with request: ImageRequest, deliverOn executor: DeliveryExecutor = .immediate,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        preview: (@Sendable (DecodedImage) -> Void)? = nil,
        cached: (@Sendable (ImageResponse) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, any Error>) -> Void
    ) -> ImageTask {
        let gate = CallbackGate(executor: executor, progress: progress, preview: preview, cached: cached, completion)
        return makeTask(request) { task in
            task.listen(gate.receive, wantsProgress: progress != nil)
        }
    }
}

/// Keeps the callbacks of one load in order: nothing after the end, no progress that goes back.
private final class CallbackGate: Sendable {
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

    func receive(_ news: ImageTask.News) {
        executor.run { [self] in deliver(news) }
    }

    private func deliver(_ news: ImageTask.News) {
        let mayDeliver = state.withLock { state in
            guard !state.hasEnded else { return false }
            switch news {
            case .progress(let progress):
                guard progress.received > state.received else { return false }
                state.received = progress.received
            case .end: state.hasEnded = true
            case .preview, .first: break
            }
            return true
        }
        guard mayDeliver else { return }
        switch news {
        case .progress(let value): progress?(value)
        case .preview(let image): preview?(image)
        case .first(let response): cached?(response)
        case .end(let result): completion(result)
        }
    }
}
