import TintypeBase

/// A decoder of one format. Stateless: one value serves every thread.
///
/// `ImageCodecs` finds the decoder by the first bytes, scales its output to the target, and applies the orientation. A
/// decoder need do neither, but may scale by itself where that is cheap.
public protocol ImageDecoder: Sendable {
    var format: ImageFormat { get }

    /// Reads the header; decodes no pixels.
    ///
    /// - Parameters:
    ///   - data: the file, or a prefix of it.
    ///   - isComplete: false if `data` is only a prefix.
    ///   - limits: the bounds to check.
    /// - Throws: `ImagingError`; `needsMoreData` if the prefix is too short, `truncated` if the whole file is.
    func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo

    /// Decodes one image, not yet oriented, at the stored size or, if the options have a target, at any size that is at
    /// least as large as the target needs.
    func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput

    /// Returns the frames of an animation, or nil for a still.
    func frames(_ data: Data, options: DecodeOptions) throws -> (any FrameSource)?

    /// Returns a decoder that takes the bytes as they arrive, or nil if the format has none.
    func incrementalDecoder(options: DecodeOptions) -> (any IncrementalDecoder)?
}

extension ImageDecoder {
    public func frames(_ data: Data, options: DecodeOptions) throws -> (any FrameSource)? { nil }
    public func incrementalDecoder(options: DecodeOptions) -> (any IncrementalDecoder)? { nil }
}

/// The result of one decoder.
public struct DecoderOutput: Sendable {
    public var bitmap: Bitmap
    public var info: ImageInfo
    /// True if the bytes ended early and lenient decoding filled in the rest.
    public var isPartial: Bool
    /// True if the bitmap already has the size that the options ask for. Otherwise `ImageCodecs` plans the resize.
    public var isAtTargetSize: Bool
    /// What was ignored, each in one sentence: an unsuitable ICC profile, a chunk out of place.
    public var warnings: [String]

    public init(
        bitmap: Bitmap, info: ImageInfo, isPartial: Bool = false, isAtTargetSize: Bool = false, warnings: [String] = []
    ) {
        self.bitmap = bitmap
        self.info = info
        self.isPartial = isPartial
        self.isAtTargetSize = isAtTargetSize
        self.warnings = warnings
    }
}

/// A decoded image and what is known about it.
public struct DecodedImage: Sendable {
    /// The still image, or the poster of an animation.
    public var bitmap: Bitmap
    public var info: ImageInfo
    /// The frames, if the image is animated and animation was requested.
    public var animation: AnimatedImage?
    /// True if the bytes ended early and lenient decoding filled in the rest.
    public var isPartial: Bool
    /// What was ignored, each in one sentence.
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

/// A decoder of an image that is still arriving. Used by one thread at a time.
public protocol IncrementalDecoder: AnyObject {
    /// Takes the next bytes. Throws `ImagingError` when the data is damaged beyond use.
    func append(_ data: Data) throws
    /// Returns the image as far as it has arrived, not yet oriented; nil if nothing is new since the last call.
    func preview() throws -> DecoderOutput?
}
