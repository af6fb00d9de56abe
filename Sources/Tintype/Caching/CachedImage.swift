/// An image in memory, with what is known about its bytes.
public final class CachedImage: Sendable {
    public let image: DecodedImage
    public let details: ImageDetails

    public init(image: DecodedImage, details: ImageDetails = ImageDetails()) {
        self.image = image
        self.details = details
    }

    /// The bytes that it holds now: its pixels and, of an animation, the encoded bytes and the decoded frames.
    public var cost: Int {
        guard let animation = image.animation else { return image.bitmap.byteCount }
        let encoded = animation.encodedByteCount > 0 ? 0 : details.byteCount
        return image.bitmap.byteCount + animation.cost + encoded + details.frameByteCount
    }
}

/// The memory tier of a pipeline. Several pipelines may share one.
public typealias ImageMemoryCache = MemoryCache<ImageKey, CachedImage>
