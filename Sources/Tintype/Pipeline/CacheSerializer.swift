import TintypeBase

/// Turns a processed image into bytes for the disk cache. What it writes must be decodable by the request's codecs.
public protocol CacheSerializer: Sendable {
    /// The bytes to store, or nil to store nothing. Runs on a decode thread.
    ///
    /// - Parameter image: the result of a load.
    /// - Parameter codecs: of the pipeline, or of the request.
    /// - Parameter original: facts about the bytes that the image was made from.
    func data(for image: DecodedImage, original: ImageInfo, codecs: ImageCodecs) throws -> Data?
}

/// JPEG of quality 85, or PNG where the image has alpha or came as PNG. Animations are not stored processed.
public struct StandardCacheSerializer: CacheSerializer {
    /// Effort 1 by default: a cached result is encoded once for each miss, and speed counts more than size.
    public var options = EncodeOptions()

    public init() { options.effort = 1 }

    public func data(for image: DecodedImage, original: ImageInfo, codecs: ImageCodecs) throws -> Data? {
        guard image.animation == nil, !image.isPartial else { return nil }
        let format: ImageFormat = image.bitmap.isOpaque && original.format != .png ? .jpeg : .png
        return try codecs.encode(image.bitmap, as: format, options: options)
    }
}
