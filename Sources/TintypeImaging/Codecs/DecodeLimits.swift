/// Bounds that are checked from headers, before memory is allocated.
public struct DecodeLimits: Sendable, Hashable {
    /// Pixels of one frame. 100 million by default.
    public var maximumPixelCount = 100_000_000
    /// Frames of one animation. 10,000 by default.
    public var maximumFrameCount = 10_000
    /// Pixels of all frames of an animation together, for what goes through all of them, such as encoding it anew; and
    /// of the frames up to the one that is asked for. 4 billion by default.
    public var maximumAnimationPixelCount = 4_000_000_000
    /// Bytes of one inflated metadata block (ICC profile, EXIF, text). 16 MiB by default.
    public var maximumMetadataByteCount = 16 << 20

    public init() {}

    /// Throws `ImagingError.tooCostly` if so many frames of this size have more pixels than an animation may.
    public func checkAnimation(frameCount: Int, pixelsPerFrame: Int, format: ImageFormat) throws {
        let (total, overflow) = frameCount.multipliedReportingOverflow(by: pixelsPerFrame)
        guard !overflow, total <= maximumAnimationPixelCount else {
            throw ImagingError.tooCostly(
                format, "\(frameCount) frames of \(pixelsPerFrame) pixels; the limit is \(maximumAnimationPixelCount)")
        }
    }

    /// Throws `ImagingError.imageTooLarge` for sizes over the limit, and `corrupt` for empty ones.
    public func check(_ size: PixelSize, format: ImageFormat) throws {
        guard size.width > 0, size.height > 0 else {
            throw ImagingError.corrupt(format, "its size is \(size)")
        }
        guard size.area <= maximumPixelCount else {
            throw ImagingError.imageTooLarge(width: size.width, height: size.height, limit: maximumPixelCount)
        }
    }
}
