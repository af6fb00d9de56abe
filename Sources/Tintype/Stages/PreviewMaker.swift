import TintypeBase

/// Decodes the bytes of an image that have arrived so far: one preview at a time, and not more often than configured.
final class PreviewMaker: Sendable {
    private struct State {
        /// Bytes that the decoder has.
        var count = 0
        var last: ContinuousClock.Instant?
        /// A run is going on, or waits for its time. The thread that sets it owns the decoder.
        var isBusy = false
        var hasMore = false
        /// The format shows nothing before its end, or the bytes are damaged.
        var isOver = false
    }

    private struct DecoderBox: @unchecked Sendable {
        // Used only by the run that has set `isBusy`.
        let decoder: ProgressiveImageDecoder
    }

    private let state = Locked(State())
    private let box: DecoderBox
    private let decoder: DecodeStage
    private let control: WorkControl
    private let interval: Duration
    private let deliver: @Sendable (DecodedImage) -> Void

    private init(
        _ request: ResolvedRequest, _ decoder: DecodeStage, _ control: WorkControl, interval: Duration,
        deliver: @escaping @Sendable (DecodedImage) -> Void
    ) {
        box = DecoderBox(
            decoder: ProgressiveImageDecoder(codecs: request.codecs, options: request.base.decodeOptions))
        self.decoder = decoder
        self.control = control
        self.interval = interval
        self.deliver = deliver
    }

    /// Passes events on, and turns partial bodies into previews while a waiter wants them.
    static func decoding(
        _ request: ResolvedRequest, _ decoder: DecodeStage, _ control: WorkControl, interval: Duration,
        send: @escaping @Sendable (LoadEvent) -> Void
    ) -> @Sendable (LoadEvent) -> Void {
        let shared = Locked<PreviewMaker?>(nil)
        return { event in
            guard case .partialBody(let body) = event else { return send(event) }
            guard control.interest.demand.contains(.previews) else { return }
            let maker = shared.withLock { maker in
                if let maker { return maker }
                let made = PreviewMaker(request, decoder, control, interval: interval) { send(.preview($0)) }
                maker = made
                return made
            }
            maker.update(body)
        }
    }

    /// Passes events on, with a processor run over the previews. While one is being processed, others are dropped.
    static func processing(
        with processor: any ImageProcessor, _ decoder: DecodeStage, _ control: WorkControl,
        send: @escaping @Sendable (LoadEvent) -> Void
    ) -> @Sendable (LoadEvent) -> Void {
        let isBusy = Locked(false)
        return { event in
            guard case .preview(let image) = event else { return send(event) }
            let mayRun = isBusy.withLock { isBusy in
                defer { isBusy = true }
                return !isBusy
            }
            guard mayRun else { return }
            decoder.pool.submit(priority: control.interest.priority.rawValue) {
                // A preview that cannot be processed is no loss: the image itself reports the error.
                if let preview = try? processor.processed(image) { send(.preview(preview)) }
                isBusy.withLock { $0 = false }
            }
        }
    }

    /// Called when more bytes have arrived.
    private func update(_ body: PartialBody) {
        let wait = state.withLock { state -> Duration? in
            guard !state.isOver else { return nil }
            guard !state.isBusy else {
                state.hasMore = true
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
        decoder.pool.submit(priority: control.interest.priority.rawValue) { [self] in
            let bytes = body.bytes(after: state.withLock { $0.count })
            var preview: DecodedImage?
            var isOver = false
            do {
                try box.decoder.append(bytes)
                preview = try box.decoder.preview()
                isOver = !box.decoder.canPreview
            } catch {
                // The load itself decodes all the bytes and reports the error.
                isOver = true
            }
            let hasMore = state.withLock { state in
                state.count += bytes.count
                state.isBusy = false
                state.isOver = isOver
                // A preview that could not be made yet does not make the next one wait.
                if preview != nil { state.last = .now }
                defer { state.hasMore = false }
                return state.hasMore
            }
            if let preview { deliver(preview) }
            if hasMore { update(body) }
        }
    }
}
