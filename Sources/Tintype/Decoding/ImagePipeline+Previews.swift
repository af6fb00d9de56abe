import TintypeBase

extension ImagePipeline {
    /// Hands on what a transfer reports, and turns its bytes into previews while somebody wants them.
    func events(of job: ImageJob, _ load: Load) -> @Sendable (LoadEvent) -> Void {
        let previews = Locked<PreviewMaker?>(nil)
        return { [self] event in
            guard case .partialBody(let body) = event else {
                job.send(event)
                return
            }
            guard job.control.interest.demand.contains(.previews) else { return }
            let maker = previews.withLock { maker in
                if let maker { return maker }
                let made = PreviewMaker(
                    decoder: ProgressiveImageDecoder(codecs: load.codecs, options: load.request.decodeOptions),
                    pool: decodePool, interval: configuration.progressivePreviewInterval,
                    priority: { job.control.interest.priority.rawValue }, deliver: { job.send(.preview($0)) })
                maker = made
                return made
            }
            maker.update(body)
        }
    }
}

/// Decodes what has come of an image, on the decode threads: never twice at a time, and not more often than asked for.
private final class PreviewMaker: Sendable {
    private struct State {
        /// Bytes that the decoder has.
        var count = 0
        var last: ContinuousClock.Instant?
        /// A run is going on, or waits for its time. Whoever sets it owns the decoder.
        var isBusy = false
        var hasNews = false
        /// The format shows nothing before its end, or the bytes are damaged.
        var isOver = false
    }

    private struct DecoderBox: @unchecked Sendable {
        // Used only by the run that has set `isBusy`.
        let decoder: ProgressiveImageDecoder
    }

    private let state = Locked(State())
    private let box: DecoderBox
    private let pool: WorkerPool
    private let interval: Duration
    private let priority: @Sendable () -> Int
    private let deliver: @Sendable (DecodedImage) -> Void

    init(
        decoder: ProgressiveImageDecoder, pool: WorkerPool, interval: Duration, priority: @escaping @Sendable () -> Int,
        deliver: @escaping @Sendable (DecodedImage) -> Void
    ) {
        box = DecoderBox(decoder: decoder)
        self.pool = pool
        self.interval = interval
        self.priority = priority
        self.deliver = deliver
    }

    /// More bytes are there.
    func update(_ body: PartialBody) {
        let wait = state.withLock { state -> Duration? in
            guard !state.isOver else { return nil }
            guard !state.isBusy else {
                state.hasNews = true
                return nil
            }
            state.isBusy = true
            guard let last = state.last else { return .zero }
            return max(.zero, interval - last.duration(to: .now))
        }
        guard let wait else { return }
        guard wait > .zero else { return run(body) }
        Task.detached { [self] in
            try await Task.sleep(for: wait)
            run(body)
        }
    }

    private func run(_ body: PartialBody) {
        pool.submit(priority: priority()) { [self] in
            let news = body.bytes(after: state.withLock { $0.count })
            var preview: DecodedImage?
            var isOver = false
            do {
                try box.decoder.append(news)
                preview = try box.decoder.preview()
                isOver = !box.decoder.canPreview
            } catch {
                // The load itself decodes all the bytes, and reports what is wrong with them.
                isOver = true
            }
            let hasNews = state.withLock { state in
                state.count += news.count
                state.isBusy = false
                state.isOver = isOver
                // A preview that could not be made yet does not make the next one wait.
                if preview != nil { state.last = .now }
                defer { state.hasNews = false }
                return state.hasNews
            }
            if let preview { deliver(preview) }
            if hasNews { update(body) }
        }
    }
}
