import Tintype

/// Display options of an image, in addition to `ImageOptions`.
public struct ImagePresentation: Sendable {
    /// The size to which the image is decoded, unless the request has a target.
    public enum Sizing: Sendable, Hashable {
        /// The area of the widget in device pixels. A widget without a size waits for its first layout; one whose size follows
        /// the image gets the original size. The image is decoded again when the widget has grown.
        case automatic
        case original
        /// Application pixels.
        case fixed(width: Int, height: Int)
    }

    public var sizing = Sizing.automatic
    /// The content fit of widgets that have such a property; nil, the default, does not change it.
    public var contentFit: ContentFit?
    public var indicator = ImageIndicator.none
    /// The image after a failure; the placeholder stays if it is nil.
    public var failureImage: Placeholder?
    /// Whether a click on the failed image retries, which calls the completion again. False by default.
    public var retriesOnTap = false
    /// Whether to load when the widget is drawn for the first time, for list cells, which are bound long before they are
    /// visible. False by default.
    public var startsWhenDrawn = false
    /// Whether a load stops while the widget is not mapped and starts again when it is. True by default.
    public var cancelsWhenUnmapped = true
    /// Whether animations play; false shows only the poster.
    public var playsAnimations = true

    public init() {}
}

/// The reasons why an image was not set, besides the errors of a load.
public enum ImageDisplayError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another image, or none, was set on the widget before this one arrived.
    case superseded
    /// Nil was set.
    case noRequest
    /// The widget was destroyed before the image arrived.
    case widgetDestroyed

    public var code: String { self == .noRequest ? "invalidURL" : "cancelled" }

    public var description: String {
        switch self {
        case .superseded: "another image was set on the widget before this one was loaded"
        case .noRequest: "no image was requested; the widget shows its placeholder"
        case .widgetDestroyed: "the widget was destroyed before the image was loaded"
        }
    }
}
