/// The box that an image is scaled to, and how it fits there. The box applies to the image with its orientation applied.
/// Every parameter changes pixels, so all are a part of the cache key.
///
/// | fit | one side given | both given, enlarging allowed | both given, no enlarging |
/// |---|---|---|---|
/// | contain | the other by the proportions | the largest size inside the box | never larger than the image |
/// | cover | the other by the proportions | exactly the box | the box, cut to the image's own size |
/// | fill | the other by the proportions | exactly the box | each side at most the image's own |
///
/// Sizes are rounded to the nearest pixel and are never 0.
public struct ResizeTarget: Sendable, Hashable {
    /// How an image fits into the box.
    public enum Fit: String, Sendable, Hashable, CaseIterable {
        /// Scales the whole image into the box and keeps its proportions.
        case contain
        /// Fills the box, keeps the proportions, and crops the rest as `gravity` says.
        case cover
        /// Fills the box without keeping the proportions.
        case fill
    }

    /// Pixels; nil follows from the proportions. At least one side must be given.
    public var width: Int?
    public var height: Int?
    public var fit: Fit
    /// False leaves an image that is smaller than the box as it is.
    public var allowsUpscaling: Bool
    public var filter: ResampleFilter
    /// The part that `cover` keeps. `.center` by default.
    public var gravity: Gravity
    /// True averages light instead of sRGB numbers, so that fine patterns keep their brightness when they shrink. About four
    /// times slower. False by default.
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

    /// Creates a box in points of a screen with `scale` pixels per point.
    ///
    /// With a side or scale that is not a positive number, every use of the target throws `processorFailed`.
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

/// The part of an image that is kept where it does not fit.
public enum Gravity: String, Sendable, Hashable, CaseIterable {
    case center, top, bottom, left, right
    case topLeft = "top-left"
    case topRight = "top-right"
    case bottomLeft = "bottom-left"
    case bottomRight = "bottom-right"
    /// The part with the most edges, saturated colours and skin tones.
    case attention

    /// The fraction of the rest that is cut off at the left and at the top.
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
