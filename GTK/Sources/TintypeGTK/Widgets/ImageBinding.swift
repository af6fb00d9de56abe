import CGTK
import Tintype

/// The state of `setImage` for a widget: the requested image and its load. It lives as long as the widget.
@MainActor public final class ImageBinding {
    struct Call {
        var request: ImageRequest?
        var placeholder: Placeholder?
        var transition: ImageTransition
        var presentation: ImagePresentation
        var pipeline: ImagePipeline
        var progress: ((TransferProgress) -> Void)?
        var completions: [(Result<ImageResponse, any Error>) -> Void]

        /// Two calls with equal identities request the same image.
        struct Identity: Hashable {
            var key: ImageKey?
            var options: ImageOptions
            var sizing: ImagePresentation.Sizing
            var pipeline: ObjectIdentifier
        }

        func sharesResource(with other: Call?) -> Bool {
            guard let request, let other, let otherRequest = other.request, pipeline === other.pipeline else {
                return false
            }
            return pipeline.cache.dataKey(for: request) == pipeline.cache.dataKey(for: otherRequest)
        }

        var identity: Identity {
            Identity(
                key: request.map { pipeline.cache.imageKey(for: $0) }, options: request?.options ?? [],
                sizing: presentation.sizing, pipeline: ObjectIdentifier(pipeline))
        }
    }

    enum Phase {
        case idle
        /// Waits for the first draw, or for a size.
        case waiting
        case loading(PictureLoad)
        /// Stopped because the widget is not mapped.
        case suspended
        case loaded(ImageResponse)
        case failed(any Error)
    }

    let display: any ImageDisplaying
    let picture: PicturePaintable
    private let reference: ObjectReference
    var call: Call?
    var identity: Call.Identity?
    var phase = Phase.idle
    /// The size of the loading or shown image; nil is the original size.
    var decodedArea: PixelSize?
    var isShowingOwnChange = false
    /// Whether the current call has set our paintable on the widget.
    var hasRevealed = false
    var hasRetryClick = false
    var isGone = false
    var tickID: guint = 0
    /// Superseded loads of the same resource. They keep the download running until the new load has joined it.
    var predecessors: [PictureLoad] = []
    /// The progress of the current load; nil before its first report.
    public internal(set) var progress: TransferProgress?

    init(_ display: any ImageDisplaying) {
        self.display = display
        (picture, reference) = PicturePaintable.make()
        picture.onDraw = { [weak self] width, _ in self?.willDraw(width) }
        connect()
    }

    // MARK: For the caller

    /// The request that was set last.
    public var request: ImageRequest? { call?.request }

    public var state: ImageLoadState {
        switch phase {
        case .idle: .idle
        case .waiting, .suspended: .waiting
        case .loading: .loading
        case .loaded(let response): .loaded(response)
        case .failed(let error): .failed(error)
        }
    }

    /// The player of the shown animation, which plays only while it is drawn.
    public var player: AnimatedImagePlayer? { picture.player }

    /// Loads again after a failure; no effect otherwise.
    public func retry() {
        guard case .failed = phase, call?.request != nil else { return }
        call?.request?.options.insert(.retryFailed)
        prepare()
    }

    /// Cancels the load. The shown image stays, and the completion gets `superseded`.
    public func cancel() {
        let ended = detach()
        phase = .idle
        predecessors = []
        picture.setIndicator(.none)
        ended.end(with: ImageDisplayError.superseded)
    }

    // MARK: Setting

    /// The state that a new call ends.
    struct Ended {
        var load: PictureLoad?
        var completions: [(Result<ImageResponse, any Error>) -> Void]

        /// Deferred: a completion may set the next image, and must not see this call half done.
        @MainActor func end(with error: any Error) {
            load?.cancel()
            guard !completions.isEmpty else { return }
            let completions = completions
            DeliveryQueue.shared.submit { for completion in completions { completion(.failure(error)) } }
        }
    }

    var isShown: Bool { display.shownPaintable == picture.pointer }

    func set(_ new: Call) {
        let newIdentity = new.identity
        if call?.request != nil, identity == newIdentity, join(new) { return }
        let sharesResource = new.sharesResource(with: call)
        var ended = detach()
        call = new
        identity = newIdentity
        hasRevealed = false
        updateArea()
        if new.request == nil {
            phase = .idle
            picture.setIndicator(.none)
            showPlaceholder()
            finish(.failure(ImageDisplayError.noRequest))
        } else {
            prepare()
        }
        if sharesResource, !state.isLoaded, let load = ended.load {
            load.mute()
            predecessors.append(load)
            ended.load = nil
        } else {
            predecessors = []
        }
        ended.end(with: ImageDisplayError.superseded)
    }

    /// Whether the new call requests the shown or loading image.
    private func join(_ new: Call) -> Bool {
        let avoidsSetting = new.request?.options.contains(.avoidAutoSetImage) == true
        guard isShown || avoidsSetting else { return false }
        switch phase {
        case .idle, .failed: return false
        case .waiting, .suspended, .loading:
            if let progress = new.progress { call?.progress = progress }
            call?.completions += new.completions
            call?.transition = new.transition
        case .loaded(let response):
            for completion in new.completions { completion(.success(response)) }
        }
        return true
    }

    func detach() -> Ended {
        var load: PictureLoad?
        if case .loading(let running) = phase { load = running }
        defer { call?.completions = [] }
        return Ended(load: load, completions: call?.completions ?? [])
    }

    /// Each completion is called once, and again after each retry by a click.
    func finish(_ result: Result<ImageResponse, any Error>) {
        let completions = call?.completions ?? []
        let mayRetry = if case .failure = result { call?.presentation.retriesOnTap == true } else { false }
        if !mayRetry { call?.completions = [] }
        for completion in completions { completion(result) }
    }
}
