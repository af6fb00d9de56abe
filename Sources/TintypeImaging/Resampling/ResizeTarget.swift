/// The box that an image is scaled to, and how it fits there. The box is meant for the image as it is shown, with
/// its orientation applied. A part of the cache key: everything here changes pixels.
///
/// | fit | one side given | both given, enlarging allowed | both given, no enlarging |
/// |---|---|---|---|
/// | contain | the other by the proportions | the largest size inside the box | never larger than the image |
/// | cover | the other by the proportions | exactly the box | the box, cut to the image's own size |
/// | fill | the other by the proportions | exactly the box | each side at most the image's own |
///
/// Sizes are rounded to the nearest pixel and are never 0.
public struct ResizeTarget: Sendable, Hashable {
    public enum Fit: String, Sendable, Hashable, CaseIterable {
        /// The whole image inside the box, its proportions kept.
        case contain
        /// The box filled, the proportions kept, what sticks out cut off as `gravity` says.
        case cover
        /// The box filled, the proportions given up.
        case fill
    }

    /// Pixels; nil leaves the side to the proportions. At least one side must be given.
    public var width: Int?
    public var height: Int?
    public var fit: Fit
    /// False: an image smaller than the box stays as it is.
    public var allowsUpscaling: Bool
    public var filter: ResampleFilter
    /// The part that `cover` keeps. `.center` by default.
    public var gravity: Gravity
    /// True: light is averaged rather than sRGB numbers, so that fine patterns of light and dark keep their brightness
    /// when they shrink. Some four times slower. False by default, as everywhere.
    public var isLinearLight: Bool

    public init(
        width: Int?, height: Int?, fit: Fit = .contain, allowsUpscaling: Bool = true,
        filter: ResampleFilter = .lanczos3, gravity: Gravity = .center, isLinearLight: Bool = false
    ) {
        self.width = width
        self.height = height
        self.fit = fit
        self.allowsUpscaling = allowsUpscaling
        self.filter = filter
        self.gravity = gravity
        self.isLinearLight = isLinearLight
    }

    /// A box in points of a screen that shows `scale` pixels for each of them.
    ///
    /// A side or a scale that is not a positive number gives a target that every use refuses with `processorFailed`.
    public init(
        pointWidth: Double?, pointHeight: Double?, scale: Double, fit: Fit = .contain, allowsUpscaling: Bool = true,
        filter: ResampleFilter = .lanczos3, gravity: Gravity = .center
    ) {
        func pixels(_ points: Double) -> Int {
            guard points > 0, scale > 0, (points * scale).isFinite else { return 0 }
            return max(1, Int(exactly: (points * scale).rounded()) ?? .max)
        }
        self.init(
            width: pointWidth.map(pixels), height: pointHeight.map(pixels), fit: fit, allowsUpscaling: allowsUpscaling,
            filter: filter, gravity: gravity)
    }
}

/// Which part of an image is kept where it does not fit.
public enum Gravity: String, Sendable, Hashable, CaseIterable {
    case center, top, bottom, left, right
    case topLeft = "top-left"
    case topRight = "top-right"
    case bottomLeft = "bottom-left"
    case bottomRight = "bottom-right"
    /// The part where most happens: edges, saturated colours and skin tones count.
    case attention

    /// The share of what does not fit that is cut off at the left and at the top.
    var offset: (x: Double, y: Double) {
        let x =
            switch self {
            case .left, .topLeft, .bottomLeft: 0.0
            case .right, .topRight, .bottomRight: 1.0
            case .center, .top, .bottom, .attention: 0.5
            }
        let y =
            switch self {
            case .top, .topLeft, .topRight: 0.0
            case .bottom, .bottomLeft, .bottomRight: 1.0
            case .center, .left, .right, .attention: 0.5
            }
        return (x, y)
    }
}
