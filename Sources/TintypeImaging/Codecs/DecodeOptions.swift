/// How bytes become a bitmap. Every option changes pixels, so all are a part of the cache key.
///
/// ```swift
/// import TintypeImaging
///
/// var options = DecodeOptions()
/// options.target = ResizeTarget(width: 320, height: 240)
/// options.limits.maximumPixelCount = 25_000_000
/// ```
public struct DecodeOptions: Sendable, Hashable {
    /// The size to decode to, cheaper than decoding and resizing. Nil, the default, keeps the size.
    public var target: ResizeTarget?
    public var limits = DecodeLimits()
    /// False, the default: a truncated image throws `truncated`. True: the part that is there is returned, and
    /// `DecodedImage.isPartial` is set.
    public var isLenient = false
    /// True, the default: the EXIF orientation is applied to the pixels.
    public var appliesOrientation = true
    /// The frame of an animation; nil, the default, is the poster (frame 0, or an APNG's default image).
    public var frame: Int?
    /// The size in pixels for which a vector image is drawn, or an entry of an icon is chosen; nil is its own size.
    public var preferredSize: PixelSize?

    public init() {}
}

/// Bounds that are checked as soon as the header is read, before memory is allocated.
public struct DecodeLimits: Sendable, Hashable {
    /// Pixels of one frame. 100 million by default.
    public var maximumPixelCount = 100_000_000
    /// Frames of one animation. 10,000 by default.
    public var maximumFrameCount = 10_000
    /// Pixels of all frames of an animation together, for operations on all of them such as encoding, and of the frames
    /// up to a requested one. 4 billion by default.
    public var maximumAnimationPixelCount = 4_000_000_000
    /// Bytes of one inflated metadata block (ICC profile, EXIF, text). 16 MiB by default.
    public var maximumMetadataByteCount = 16 << 20

    public init() {}

    /// Throws `ImagingError.tooCostly` if the frames together have more pixels than the limit.
    package func checkAnimation(frameCount: Int, pixelsPerFrame: Int, format: ImageFormat) throws {
        let (total, overflow) = frameCount.multipliedReportingOverflow(by: pixelsPerFrame)
        guard !overflow, total <= maximumAnimationPixelCount else {
            throw ImagingError.tooCostly(
                format, "\(frameCount) frames of \(pixelsPerFrame) pixels; the limit is \(maximumAnimationPixelCount)")
        }
    }

    /// Throws `ImagingError.imageTooLarge` for a size over the limit, and `corrupt` for an empty one.
    public func check(_ size: PixelSize, format: ImageFormat) throws {
        guard size.width > 0, size.height > 0 else {
            throw ImagingError.corrupt(format, "its size is \(size)")
        }
        guard size.area <= maximumPixelCount else {
            throw ImagingError.imageTooLarge(width: size.width, height: size.height, limit: maximumPixelCount)
        }
    }

    /// Returns whether an ICC profile may have this length, and adds a warning if not.
    func acceptsProfile(byteCount: Int, warnings: inout [String]) -> Bool {
        if byteCount <= maximumMetadataByteCount { return true }
        warnings.append("the ICC profile was ignored: it is \(byteCount) bytes long")
        return false
    }
}
