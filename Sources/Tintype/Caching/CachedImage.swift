/// An image in memory, with what is known about its bytes.
public final class CachedImage: Sendable {
    public let image: DecodedImage
    public let details: ImageDetails

    public init(image: DecodedImage, details: ImageDetails = ImageDetails()) {
        self.image = image
        self.details = details
    }

    /// The bytes that it holds: its pixels, and the encoded bytes of an animation, which it decodes from.
    public var cost: Int {
        image.bitmap.byteCount + (image.animation == nil ? 0 : details.byteCount + details.frameByteCount)
    }
}

/// The memory tier of a pipeline. Several pipelines may share one.
public typealias ImageMemoryCache = MemoryCache<ImageKey, CachedImage>
