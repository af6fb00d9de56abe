/// What decoding gives: the pixels, the facts, and what was odd about them.
public struct DecodedImage: Sendable {
    /// The still image, or the poster of an animation.
    public var bitmap: Bitmap
    public var info: ImageInfo
    /// The frames, if the image moves and animation was asked for.
    public var animation: AnimatedImage?
    /// True if the bytes ended early and lenient decoding filled in the rest.
    public var isPartial: Bool
    /// Things that were ignored, each in one sentence: an unsuitable ICC profile, a chunk out of place.
    public var warnings: [String]

    public init(
        bitmap: Bitmap, info: ImageInfo, animation: AnimatedImage? = nil, isPartial: Bool = false,
        warnings: [String] = []
    ) {
        self.bitmap = bitmap
        self.info = info
        self.animation = animation
        self.isPartial = isPartial
        self.warnings = warnings
    }
}
