import CGTK
import CTintypeGTK
import Tintype

/// The Swift side of a TintypePaintable: contents, transitions, animation, indicator.
///
/// The GObject owns this object, not the other way round: the widget that shows the paintable keeps both alive.
@MainActor final class PicturePaintable {
    /// Not retained; nil once the GObject is gone.
    private(set) var pointer: OpaquePointer?
    /// Lives as long as the GObject.
    var owner: AnyObject?
    /// Called each time before it is drawn, with the size in application pixels. Must not touch widgets.
    var onDraw: ((_ width: Double, _ height: Double) -> Void)?
    /// Told what is shown, each time it changes. For tests.
    var onChange: ((Content) -> Void)?

    /// What is shown.
    enum Content: Equatable { case nothing, placeholder, picture }

    private(set) var content = Content.nothing
    private(set) var player: AnimatedImagePlayer?
    var isInTransition: Bool { transition != nil }
    private var playerScale = 1.0
    private var playerFit = ContentFit.contain
    private var transition: (kind: ImageTransition, start: UInt64)?
    private var indicator = ImageIndicator.none
    private var indicatorValue = 0.0
    private var lastDraw: UInt64 = 0
    private var isDrawnSinceChange = false

    /// After this time without being drawn an animation gives its frames back.
    private static let patience: UInt64 = 1_000_000_000
    private static let frameInterval: UInt64 = 16_000_000
    private static let activityInterval: UInt64 = 80_000_000

    private init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// - Parameter size: the intrinsic size, if it never changes.
    static func make(fixedSize size: PixelSize? = nil) -> (PicturePaintable, ObjectReference) {
        let pointer = tintype_paintable_new(
            gint(size?.width ?? 0), gint(size?.height ?? 0), gboolean(size == nil ? 0 : 1))
        let reference = ObjectReference(consuming: UnsafeMutableRawPointer(pointer))
        let paintable = PicturePaintable(pointer)
        tintype_paintable_set_draw_func(
            pointer,
            { data, width, height in
                guard let data else { return }
                let paintable = Unmanaged<PicturePaintable>.fromOpaque(data).takeUnretainedValue()
                MainActor.assumeIsolated { paintable.willDraw(width, height) }
            }, Unmanaged.passRetained(paintable).toOpaque(),
            { data in
                guard let data else { return }
                let paintable = Unmanaged<PicturePaintable>.fromOpaque(data).takeRetainedValue()
                MainActor.assumeIsolated { paintable.didLosePointer() }
            })
        return (paintable, reference)
    }

    private func didLosePointer() {
        pointer = nil
        player = nil
        owner = nil
        onDraw = nil
    }

    // MARK: Contents

    /// The room that was asked for whatever is shown: no change of contents costs a layout then. Nil follows the contents.
    func setArea(_ size: PixelSize?) {
        guard let pointer else { return }
        tintype_paintable_set_area(pointer, gint(size?.width ?? 0), gint(size?.height ?? 0))
    }

    func showNothing() { set(nil, .contain, nil, .nothing) }

    func show(_ placeholder: Placeholder?, fit: ContentFit, scale: Int) {
        guard let content = placeholder?.content(fit: fit, scale: scale) else { return showNothing() }
        show(content.paintable, fit: content.fit, as: .placeholder)
    }

    /// - Parameter reference: of a GdkPaintable; its own size becomes the intrinsic size.
    func show(_ reference: ObjectReference, fit: ContentFit, as content: Content) {
        let paintable = reference.opaque
        let size = PixelSize(
            width: Int(gdk_paintable_get_intrinsic_width(paintable)),
            height: Int(gdk_paintable_get_intrinsic_height(paintable)))
        // A plain colour has no size of its own.
        withExtendedLifetime(reference) { set(paintable, fit, size.area <= 1 ? nil : size, content) }
    }

    /// - Parameter scale: pixels for each application pixel.
    func show(
        _ image: DecodedImage, scale: Double, fit: ContentFit, transition kind: ImageTransition = .none,
        plays: Bool = true
    ) {
        guard let pointer else { return }
        if !kind.isNone, ImageTransition.areAllowed {
            tintype_paintable_begin_transition(pointer, kind.drawn)
            transition = (kind, monotonicNanoseconds())
            PaintableTimer.shared.schedule(self, at: monotonicNanoseconds() + Self.frameInterval)
        } else {
            endTransition()
        }
        set(image.bitmap, scale, fit)
        guard plays, let animation = image.animation else { return }
        player = AnimatedImagePlayer(animation)
        playerScale = scale
        playerFit = fit
    }

    private func set(_ bitmap: Bitmap, _ scale: Double, _ fit: ContentFit) {
        let texture = bitmap.makeTexture()
        let size = PixelSize(
            width: Self.points(bitmap.width, scale), height: Self.points(bitmap.height, scale))
        withExtendedLifetime(texture) { set(texture.opaque, fit, size, .picture) }
    }

    private static func points(_ pixels: Int, _ scale: Double) -> Int {
        scale > 0 && scale.isFinite ? max(1, Int((Double(pixels) / scale).rounded(.up))) : pixels
    }

    private func set(_ paintable: OpaquePointer?, _ fit: ContentFit, _ size: PixelSize?, _ content: Content) {
        guard let pointer else { return }
        player = nil
        if content != .picture { endTransition() }
        self.content = content
        tintype_paintable_set_content(pointer, paintable, fit.drawn, gint(size?.width ?? 0), gint(size?.height ?? 0))
        onChange?(content)
    }

    private func endTransition() {
        guard transition != nil else { return }
        transition = nil
        if let pointer { tintype_paintable_set_progress(pointer, 1) }
    }

    // MARK: Indicator

    /// - Parameter fraction: the part that has arrived, if it is known.
    func setIndicator(_ indicator: ImageIndicator, fraction: Double? = nil) {
        let shown: ImageIndicator = indicator == .progress && fraction == nil ? .activity : indicator
        if shown == .progress { indicatorValue = fraction ?? 0 }
        self.indicator = shown
        drawIndicator()
    }

    private func drawIndicator() {
        guard let pointer else { return }
        let kind =
            switch indicator {
            case .none: TINTYPE_INDICATOR_NONE
            case .activity: TINTYPE_INDICATOR_ACTIVITY
            case .progress: TINTYPE_INDICATOR_PROGRESS
            }
        tintype_paintable_set_indicator(pointer, kind, indicatorValue)
    }

    // MARK: Time

    private func willDraw(_ width: Double, _ height: Double) {
        let now = monotonicNanoseconds()
        lastDraw = now
        isDrawnSinceChange = true
        onDraw?(width, height)
        if let player {
            if player.status == .stopped || player.status == .paused { player.play() }
            if player.status == .playing { PaintableTimer.shared.schedule(self, at: due(player, now)) }
        }
        if indicator == .activity { PaintableTimer.shared.schedule(self, at: now + Self.activityInterval) }
    }

    private func due(_ player: AnimatedImagePlayer, _ now: UInt64) -> UInt64 {
        // A frame that is due and not decoded yet is asked for again in a moment.
        let wait = player.timeToNextFrame().map { max($0, .milliseconds(8)) } ?? .milliseconds(100)
        let (seconds, attoseconds) = wait.components
        return now + UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }

    /// Brings everything to this moment. Returns when it wants to be called again.
    func tick(_ now: UInt64) -> UInt64? {
        guard pointer != nil else { return nil }
        return [advanceTransition(now), advanceAnimation(now), advanceIndicator(now)].compactMap { $0 }.min()
    }

    private func advanceTransition(_ now: UInt64) -> UInt64? {
        guard let transition, let pointer else { return nil }
        let passed = Double(now - min(now, transition.start)) / 1e9
        let progress = ImageTransition.eased(passed / transition.kind.duration)
        if progress >= 1 {
            endTransition()
            return nil
        }
        tintype_paintable_set_progress(pointer, progress)
        return now + Self.frameInterval
    }

    /// Every change invalidates, so the next visible paint draws; what is not drawn does not go on.
    private func advanceAnimation(_ now: UInt64) -> UInt64? {
        guard let player, let pointer, player.status == .playing else { return nil }
        guard isDrawnSinceChange else {
            if now - min(now, lastDraw) < Self.patience { return lastDraw + Self.patience }
            player.pause(releasingFrames: true)
            return nil
        }
        if let frame = player.advance() {
            isDrawnSinceChange = false
            let texture = frame.bitmap.makeTexture()
            let width = Self.points(frame.bitmap.width, playerScale)
            let height = Self.points(frame.bitmap.height, playerScale)
            withExtendedLifetime(texture) {
                tintype_paintable_set_content(pointer, texture.opaque, playerFit.drawn, gint(width), gint(height))
            }
        }
        return player.status == .playing ? due(player, now) : nil
    }

    private func advanceIndicator(_ now: UInt64) -> UInt64? {
        guard indicator == .activity, now - min(now, lastDraw) < Self.patience else { return nil }
        let step = now / Self.activityInterval
        // A turn each second, in steps.
        indicatorValue = Double(step) * Double(Self.activityInterval) / 1e9
        drawIndicator()
        return (step + 1) * Self.activityInterval
    }
}
