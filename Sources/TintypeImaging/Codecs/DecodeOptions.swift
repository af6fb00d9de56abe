/// How bytes become a bitmap. A part of the cache key: everything here can change pixels.
public struct DecodeOptions: Sendable, Hashable {
    /// Decode straight to this size, cheaper than decoding and resizing. Nil, the default, keeps the size.
    public var target: ResizeTarget?
    public var limits = DecodeLimits()
    /// False, the default: an image that is cut short throws `truncated`. True: what is there is returned, and
    /// `DecodedImage.isPartial` says so.
    public var isLenient = false
    /// True, the default: the EXIF orientation is applied to the pixels.
    public var appliesOrientation = true
    /// Which frame of an animation; nil, the default, is the poster (frame 0, or an APNG's default image).
    public var frame: Int?
    /// The size that vector images and icons with several entries are wanted for, in pixels; nil: their own size.
    public var preferredSize: PixelSize?

    public init() {}
}
