import TintypeBase

/// How pixels become bytes.
public struct EncodeOptions: Sendable, Hashable {
    /// 0…100, for lossy formats. 85 by default.
    public var quality = 85
    /// Without loss, where the format can do both (WebP, JXL, AVIF). False by default.
    public var isLossless = false
    /// What shows through transparent pixels in a format without alpha, as 0xRRGGBB. White by default.
    public var background: UInt32 = 0xFF_FFFF
    /// Effort from 0 (fastest) to 9 (smallest); nil, the default, is the encoder's own balance.
    public var effort: Int?

    public init() {}
}

/// One image of an animation to encode.
public struct EncodableFrame: Sendable {
    public var bitmap: Bitmap
    /// Seconds.
    public var duration: Double

    public init(bitmap: Bitmap, duration: Double) {
        self.bitmap = bitmap
        self.duration = duration
    }
}

/// Encodes one format. Stateless and `Sendable`.
public protocol ImageEncoder: Sendable {
    var format: ImageFormat { get }
    /// True if `encode(frames:)` writes an animation.
    var canAnimate: Bool { get }
    func encode(_ bitmap: Bitmap, options: EncodeOptions) throws -> Data
    /// - Parameters:
    ///   - frames: taken one at a time, all of the same size.
    ///   - loopCount: plays in total, 0 for ever.
    ///   - options: for all frames.
    func encode(frames: some Sequence<EncodableFrame>, loopCount: Int, options: EncodeOptions) throws -> Data
    /// - Parameters:
    ///   - frames: taken one at a time, all of the same size.
    ///   - poster: what a viewer that cannot animate shall show in place of the first frame. Only APNG can say that;
    ///     other formats leave it out.
    ///   - loopCount: plays in total, 0 for ever.
    ///   - options: for all frames.
    func encode(
        frames: some Sequence<EncodableFrame>, poster: Bitmap?, loopCount: Int, options: EncodeOptions
    ) throws -> Data
}

extension ImageEncoder {
    public var canAnimate: Bool { false }

    public func encode(frames: some Sequence<EncodableFrame>, loopCount: Int, options: EncodeOptions) throws -> Data {
        throw ImagingError.notEncodable("\(format) files cannot hold an animation")
    }

    public func encode(
        frames: some Sequence<EncodableFrame>, poster: Bitmap?, loopCount: Int, options: EncodeOptions
    ) throws -> Data {
        try encode(frames: frames, loopCount: loopCount, options: options)
    }
}
