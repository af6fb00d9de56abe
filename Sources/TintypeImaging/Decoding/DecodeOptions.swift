/// How bytes become a bitmap. A part of the cache key: everything here can change pixels.
public struct DecodeOptions: Sendable, Hashable {
    /// Decode straight to this size, cheaper than decoding and resizing. Nil, the default, keeps the size.
    public var target: ResizeTarget?
    public var limits = DecodeLimits()
    /// False, the default: a picture that is cut short throws `truncated`. True: what is there is returned, and
    /// `DecodedImage.isPartial` says so.
    public var isLenient = false
    /// True, the default: the EXIF orientation is applied to the pixels.
    public var appliesOrientation = true
    /// Which frame of an animation; nil, the default, is the poster (frame 0, or an APNG's default image).
    public var frame: Int?
    /// The size that vector pictures and icons with several entries are wanted for, in pixels; nil: their own size.
    public var preferredSize: PixelSize?

    public init() {}
}

/// The box that a picture is scaled to, and how it fits there.
public struct ResizeTarget: Sendable, Hashable {
    public enum Fit: String, Sendable, Hashable, CaseIterable {
        /// The whole picture inside the box, its proportions kept.
        case contain
        /// The box filled, the proportions kept, what sticks out cut off evenly.
        case cover
        /// The box filled, the proportions given up.
        case fill
    }

    /// Pixels; nil leaves the side to the proportions. At least one side must be given.
    public var width: Int?
    public var height: Int?
    public var fit: Fit
    /// False: a picture smaller than the box stays as it is.
    public var allowsUpscaling: Bool
    public var filter: ResampleFilter

    public init(
        width: Int?, height: Int?, fit: Fit = .contain, allowsUpscaling: Bool = true, filter: ResampleFilter = .lanczos3
    ) {
        self.width = width
        self.height = height
        self.fit = fit
        self.allowsUpscaling = allowsUpscaling
        self.filter = filter
    }
}

/// The reconstruction filter of the resampler.
public enum ResampleFilter: String, Sendable, Hashable, CaseIterable {
    case nearest, box, bilinear
    case catmullRom = "catmull-rom"
    case mitchell, lanczos3
}
