import CGTK
import CTintypeGTK
import Tintype

/// A GdkPaintable that loads its image when it is drawn for the first time, so that a list of 10,000 rows loads only
/// what is really seen. Its size never changes: what arrives costs a redraw of its own area, and no layout.
///
///     let image = AsyncImagePaintable("https://example.com/icon.png", width: 48, height: 48)
///     gtk_picture_set_paintable(cell.opaque, paintable.pointer)
///
/// Give each row a new one when it is bound. The widget that shows the paintable retains it; when no widget does any more, its load is
/// cancelled. A row can never show the image of another one: there is nothing to be mixed up.
@MainActor public final class AsyncImagePaintable {
    private let reference: ObjectReference
    private let lazy: LazyPicture

    /// - Parameters:
    ///   - request: decoded to the size below, unless it has a target of its own.
    ///   - width: of the area, in application pixels; so is `height`.
    ///   - scale: device pixels for each application pixel: `gtk_widget_get_scale_factor`.
    ///   - completion: called on the main actor, once for each load that was not cancelled; for an image in memory while it is being drawn,
    ///     so it must not touch widgets.
    public init(
        _ request: ImageRequest, width: Int, height: Int, fit: ContentFit = .cover, scale: Int = 1,
        placeholder: Placeholder? = nil, failureImage: Placeholder? = nil, transition: ImageTransition = .none,
        indicator: ImageIndicator = .none, pipeline: ImagePipeline = .shared,
        completion: ((Result<ImageResponse, any Error>) -> Void)? = nil
    ) {
        let size = PixelSize(width: max(1, width), height: max(1, height))
        let picture: PicturePaintable
        (picture, reference) = PicturePaintable.make(fixedSize: size)
        var request = request
        let pixels = PixelSize(width: size.width * max(1, scale), height: size.height * max(1, scale))
        if request.target == nil { request.target = fit.target(pixels) }
        lazy = LazyPicture(
            request, picture, pipeline, fit: fit, scale: max(1, scale), failureImage: failureImage,
            transition: transition)
        lazy.indicator = indicator
        lazy.completion = completion
        picture.owner = lazy
        picture.onDraw = { [weak lazy] _, _ in lazy?.startIfNeeded() }
        if let placeholder, !request.options.contains(.delayPlaceholder) {
            picture.show(placeholder, fit: fit, scale: max(1, scale))
        }
        lazy.delayedPlaceholder = request.options.contains(.delayPlaceholder) ? placeholder : nil
    }

    /// The GdkPaintable. Valid until the main loop's next turn even without a reference to this object: Swift releases it before
    /// the C function that gets the pointer has added a reference of its own.
    public var pointer: OpaquePointer {
        DeliveryQueue.shared.submit { [reference] in withExtendedLifetime(reference) {} }
        return reference.opaque
    }

    public var state: ImageLoadState { lazy.state }

    /// The player of an animation that was loaded. It plays only while the paintable is drawn.
    public var player: AnimatedImagePlayer? { lazy.picture?.player }

    /// Told how far the transfer is, if it is set before the load begins.
    public var onProgress: ((TransferProgress) -> Void)? {
        get { lazy.progress }
        set { lazy.progress = newValue }
    }

    /// Loads again after a failure; no effect otherwise.
    public func retry() { lazy.retry() }

    /// Loads now, without waiting to be drawn.
    public func start() { lazy.startIfNeeded() }
}

/// How far the load of something on the screen is.
public enum ImageLoadState: Sendable {
    /// Nothing is wanted.
    case idle
    /// To be loaded once it is drawn, mapped or has a size.
    case waiting
    case loading
    case loaded(ImageResponse)
    case failed(any Error)

    public var isLoading: Bool { if case .loading = self { true } else { false } }
    public var isLoaded: Bool { if case .loaded = self { true } else { false } }
    public var isFailed: Bool { if case .failed = self { true } else { false } }
}

/// The part of an `AsyncImagePaintable` that lives as long as its GObject.
@MainActor final class LazyPicture {
    private(set) var state = ImageLoadState.waiting
    weak var picture: PicturePaintable?
    var indicator = ImageIndicator.none
    var delayedPlaceholder: Placeholder?
    var progress: ((TransferProgress) -> Void)?
    var completion: ((Result<ImageResponse, any Error>) -> Void)?

    private var request: ImageRequest
    private let pipeline: ImagePipeline
    private let fit: ContentFit
    private let scale: Int
    private let failureImage: Placeholder?
    private let transition: ImageTransition
    private var load: PictureLoad?

    init(
        _ request: ImageRequest, _ picture: PicturePaintable, _ pipeline: ImagePipeline, fit: ContentFit,
        scale: Int, failureImage: Placeholder?, transition: ImageTransition
    ) {
        self.request = request
        self.picture = picture
        self.pipeline = pipeline
        self.fit = fit
        self.scale = scale
        self.failureImage = failureImage
        self.transition = transition
    }

    func startIfNeeded() {
        guard case .waiting = state else { return }
        state = .loading
        let load = PictureLoad(request)
        self.load = load
        if progress != nil || indicator == .progress {
            load.onProgress = { [weak self] in self?.report($0) }
        }
        load.onPreview = { [weak self] image in
            guard let self else { return }
            picture?.show(image, scale: Double(scale), fit: fit, plays: false)
        }
        load.onEnd = { [weak self] in self?.end($0) }
        load.start(in: pipeline)
        if state.isLoading, indicator != .none { picture?.setIndicator(indicator) }
    }

    func retry() {
        guard case .failed = state else { return }
        state = .waiting
        request.options.insert(.retryFailed)
        startIfNeeded()
    }

    private func report(_ value: TransferProgress) {
        if indicator == .progress { picture?.setIndicator(.progress, fraction: value.fraction) }
        progress?(value)
    }

    private func end(_ result: Result<ImageResponse, any Error>) {
        load = nil
        picture?.setIndicator(.none)
        switch result {
        case .success(let response):
            state = .loaded(response)
            let isForced = request.options.contains(.forceTransition)
            if !request.options.contains(.avoidAutoSetImage) {
                picture?.show(
                    response.image, scale: Double(scale), fit: fit,
                    transition: response.source != .memory || isForced ? transition : .none)
            }
        case .failure(let error):
            state = .failed(error)
            if let shown = failureImage ?? delayedPlaceholder { picture?.show(shown, fit: fit, scale: scale) }
        }
        completion?(result)
    }
}
