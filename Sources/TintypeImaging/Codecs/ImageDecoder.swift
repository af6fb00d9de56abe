import TintypeBase

/// Decodes one format. Stateless and `Sendable`: one value serves every thread.
///
/// `ImageCodecs` finds the decoder by the first bytes, scales what it returns to the target, and applies the orientation;
/// a decoder does neither, except that it may scale down by itself where that is cheap.
public protocol ImageDecoder: Sendable {
    var format: ImageFormat { get }

    /// Facts from the header; decodes no pixels.
    ///
    /// - Parameters:
    ///   - data: the file, or a prefix of it.
    ///   - isComplete: false if `data` is only a prefix.
    ///   - limits: what is refused.
    /// - Throws: `ImagingError`; `needsMoreData` if the prefix is too short, `truncated` if the whole file is.
    func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo

    /// The pixels of one image, not yet oriented, at the stored size or, if the options have a target, at any size
    /// that is at least as large as the target needs.
    func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput

    /// The frames of an animation, or nil if the image does not move.
    func frames(_ data: Data, options: DecodeOptions) throws -> (any FrameSource)?

    /// A decoder that takes the bytes as they arrive, or nil if the format has none.
    func incrementalDecoder(options: DecodeOptions) -> (any IncrementalDecoder)?
}

extension ImageDecoder {
    public func frames(_ data: Data, options: DecodeOptions) throws -> (any FrameSource)? { nil }
    public func incrementalDecoder(options: DecodeOptions) -> (any IncrementalDecoder)? { nil }
}

/// What one decoder hands to `ImageCodecs`.
public struct DecoderOutput: Sendable {
    public var bitmap: Bitmap
    public var info: ImageInfo
    public var isPartial: Bool
    public var warnings: [String]

    public init(bitmap: Bitmap, info: ImageInfo, isPartial: Bool = false, warnings: [String] = []) {
        self.bitmap = bitmap
        self.info = info
        self.isPartial = isPartial
        self.warnings = warnings
    }
}

/// Decodes an image that is still arriving. Used by one thread at a time.
public protocol IncrementalDecoder: AnyObject {
    /// Takes the next bytes. Throws `ImagingError` when the data is damaged beyond use.
    func append(_ data: Data) throws
    /// The image as far as it has come, not yet oriented; nil if nothing new can be shown since the last call.
    func preview() throws -> DecoderOutput?
}
