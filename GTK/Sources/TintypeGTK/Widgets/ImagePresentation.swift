import Tintype

/// How an image is shown, beyond what `ImageOptions` says.
public struct ImagePresentation: Sendable {
    /// To which size the image is decoded, unless the request has a target of its own.
    public enum Sizing: Sendable, Hashable {
        /// To the room of the widget, in device pixels. A widget that has no size yet waits for its first layout; one whose
        /// size comes from its image gets the original's. When the widget has grown, the image is decoded anew.
        case automatic
        case original
        /// Application pixels.
        case fixed(width: Int, height: Int)
    }

    public var sizing = Sizing.automatic
    /// Set on widgets that have such a property; nil, the default, leaves it as it is.
    public var contentFit: ContentFit?
    public var indicator = ImageIndicator.none
    /// Shown when the load has failed. Without one the placeholder stays.
    public var failureImage: Placeholder?
    /// A click on the failed image loads again; the completion is called again then. False by default.
    public var retriesOnTap = false
    /// Loads when the widget is drawn for the first time: for cells of lists, which are bound long before they are seen.
    /// False by default.
    public var startsWhenDrawn = false
    /// A load stops while the widget is not mapped, and begins again when it is. True by default.
    public var cancelsWhenUnmapped = true
    /// False shows the poster only.
    public var playsAnimations = true

    public init() {}
}

/// Why an image was not set, besides what a load itself throws.
public enum ImageDisplayError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another image, or none, was set on the same widget before this one came.
    case superseded
    /// Nil was set.
    case noRequest
    /// The widget was destroyed before the image came.
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
