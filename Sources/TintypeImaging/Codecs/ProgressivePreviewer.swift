import TintypeBase

/// Turns the bytes of one arriving image into previews, at a measured pace.
///
/// The first preview comes as soon as there is something to see, the others at least `interval` after the one before,
/// always from all bytes that are there by then. Decoding runs on a thread of its own, one preview at a time, each
/// costs at most one decode, and while nobody wants previews nothing is decoded. A preview is never older than the one
/// before it, and none comes once `finish` has called back.
///
/// The previews carry orientation, colour conversion and target size like the final image. Safe to use from any thread.
public final class ProgressivePreviewer: Sendable {
    private struct DecoderBox: @unchecked Sendable {
        // Used only by the job that `isWorking` stands for.
        let decoder: ProgressiveImageDecoder
    }

    private struct State {
        /// Bytes that the decoder has not been given.
        var pending: [Data] = []
        var isWorking = false
        var isWaiting = false
        var isFinished = false
        var isDelivering = false
        /// What `finish` is to call when the preview that is being delivered is over.
        var onFinish: (@Sendable () -> Void)?
        var lastPreview: Duration?
        var cannotPreview = false
    }

    private static let threads = WorkerPool(name: "tt-previews", width: 1)

    private let box: DecoderBox
    private let interval: Duration
    private let clock: AnimationClock
    private let isWanted: @Sendable () -> Bool
    private let deliver: @Sendable (DecodedImage) -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - codecs: whose decoders are asked.
    ///   - options: of decoding, as for the whole image.
    ///   - interval: the least time between two previews; half a second by default.
    ///   - clock: measures the interval.
    ///   - isWanted: asked before anything is decoded; call `wake()` when it has become true.
    ///   - deliver: called with each preview, on a decode thread, never twice at a time.
    public init(
        codecs: ImageCodecs = .standard, options: DecodeOptions = DecodeOptions(),
        interval: Duration = .milliseconds(500), clock: AnimationClock = .continuous,
        isWanted: @escaping @Sendable () -> Bool = { true },
        deliver: @escaping @Sendable (DecodedImage) -> Void
    ) {
        box = DecoderBox(decoder: ProgressiveImageDecoder(codecs: codecs, options: options))
        self.interval = interval
        self.clock = clock
        self.isWanted = isWanted
        self.deliver = deliver
    }

    /// False once it is known that this image gives no (more) previews: bytes need not be handed over any longer.
    public var canPreview: Bool { state.withLock { !$0.cannotPreview && !$0.isFinished } }

    /// Takes the next bytes, in order; returns at once.
    public func append(_ data: Data) {
        state.withLock { state in
            if !state.cannotPreview, !state.isFinished { state.pending.append(data) }
        }
        wake()
    }

    /// Looks whether a preview is wanted and due.
    public func wake() {
        guard isWanted() else { return }
        let now = clock.now()
        enum Next {
            case nothing, work
            case wait(Duration)
        }
        let next = state.withLock { state -> Next in
            guard !state.isFinished, !state.cannotPreview, !state.pending.isEmpty, !state.isWorking else {
                return .nothing
            }
            if let last = state.lastPreview, now - last < interval {
                guard !state.isWaiting else { return .nothing }
                state.isWaiting = true
                return .wait(interval - (now - last))
            }
            state.isWorking = true
            return .work
        }
        switch next {
        case .nothing: break
        case .work: Self.threads.submit { [self] in work() }
        case .wait(let duration):
            // What has come in the meantime is shown even if no more comes.
            Task { [weak self, clock] in
                do { try await clock.sleep(duration) } catch {
                    // Never cancelled by us; a test's clock may end.
                }
                self?.state.withLock { $0.isWaiting = false }
                self?.wake()
            }
        }
    }

    /// No preview is delivered from the moment that `body` is called: at once, or if one is being delivered right now,
    /// when that is over. Called once. For handing out the final image.
    public func finish(_ body: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            state.isFinished = true
            state.pending = []
            if state.isDelivering { state.onFinish = body }
            return !state.isDelivering
        }
        if isIdle { body() }
    }

    private func work() {
        let (chunks, isFinished) = state.withLock { state in
            defer { state.pending = [] }
            return (state.pending, state.isFinished)
        }
        var preview: DecodedImage?
        var isOver = isFinished
        if !isFinished {
            do {
                for chunk in chunks { try box.decoder.append(chunk) }
                preview = try box.decoder.preview()
                isOver = !box.decoder.canPreview
            } catch {
                // Damage is reported by the decode of the whole image; previews just end.
                isOver = true
            }
        }
        show(preview, isOver: isOver)
        wake()
    }

    private func show(_ preview: DecodedImage?, isOver: Bool) {
        let now = clock.now()
        let isShown = state.withLock { state in
            state.cannotPreview = isOver
            guard preview != nil, !state.isFinished else { return false }
            state.lastPreview = now
            state.isDelivering = true
            return true
        }
        if isShown, let preview { deliver(preview) }
        let onFinish = state.withLock { state in
            state.isWorking = false
            state.isDelivering = false
            defer { state.onFinish = nil }
            return state.onFinish
        }
        onFinish?()
    }
}
