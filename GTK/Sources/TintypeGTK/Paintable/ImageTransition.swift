import CGTK
import CTintypeGTK

/// How an image takes the place of what was shown. Images from memory come in without one, unless the option
/// `forceTransition` is set; so does everything while the desktop's setting "enable animations" is off.
public struct ImageTransition: Sendable, Hashable {
    public enum Edge: String, Sendable, Hashable, CaseIterable { case left, right, top, bottom }

    enum Kind: Sendable, Hashable {
        case none, crossFade
        case slide(Edge)
        case reveal, zoom, flip
    }

    let kind: Kind
    /// Seconds.
    public let duration: Double

    private init(_ kind: Kind, _ duration: Double) {
        self.kind = kind
        self.duration = duration.isFinite ? max(0, duration) : 0
    }

    public static let none = ImageTransition(.none, 0)
    public static let crossFade = crossFade(duration: 0.25)

    /// - Parameter duration: seconds.
    public static func crossFade(duration: Double) -> ImageTransition { ImageTransition(.crossFade, duration) }
    /// The new image pushes the old one out.
    public static func slide(from edge: Edge, duration: Double = 0.3) -> ImageTransition {
        ImageTransition(.slide(edge), duration)
    }
    /// The new image is uncovered from left to right.
    public static func reveal(duration: Double = 0.3) -> ImageTransition { ImageTransition(.reveal, duration) }
    /// The new image grows to its size while it fades in.
    public static func zoom(duration: Double = 0.3) -> ImageTransition { ImageTransition(.zoom, duration) }
    /// A card that turns about its upright axis.
    public static func flip(duration: Double = 0.4) -> ImageTransition { ImageTransition(.flip, duration) }

    var isNone: Bool { kind == .none || duration == 0 }

    var drawn: TintypeTransition {
        switch kind {
        case .none: TINTYPE_TRANSITION_NONE
        case .crossFade: TINTYPE_TRANSITION_CROSS_FADE
        case .slide(.right): TINTYPE_TRANSITION_SLIDE_LEFT
        case .slide(.left): TINTYPE_TRANSITION_SLIDE_RIGHT
        case .slide(.bottom): TINTYPE_TRANSITION_SLIDE_UP
        case .slide(.top): TINTYPE_TRANSITION_SLIDE_DOWN
        case .reveal: TINTYPE_TRANSITION_REVEAL
        case .zoom: TINTYPE_TRANSITION_ZOOM
        case .flip: TINTYPE_TRANSITION_FLIP
        }
    }

    /// Fast at first, gentle at the end.
    static func eased(_ progress: Double) -> Double {
        let left = 1 - min(1, max(0, progress))
        return 1 - left * left * left
    }

    /// The desktop's setting for people whom movement disturbs.
    @MainActor static var areAllowed: Bool {
        guard let settings = gtk_settings_get_default() else { return true }
        var value = GValue()
        g_value_init(&value, GType(5 << 2))
        defer { g_value_unset(&value) }
        g_object_get_property(
            UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self),
            "gtk-enable-animations", &value)
        return g_value_get_boolean(&value) != 0
    }
}
