import TintypeBase

/// How pixels become bytes.
public struct EncodeOptions: Sendable, Hashable {
    /// 0…100, for lossy formats. 85 by default.
    public var quality = 85
    /// True encodes without loss where the format has both (WebP, JPEG XL, AVIF). False by default.
    public var isLossless = false
    /// The colour behind transparent pixels in a format without alpha, as 0xRRGGBB. White by default.
    public var background: UInt32 = 0xFF_FFFF
    /// Effort from 0 (fastest) to 9 (smallest); nil, the default, is the encoder's own balance.
    public var effort: Int?

    public init() {}
}

/// One frame of an animation to encode.
public struct EncodableFrame: Sendable {
    public var bitmap: Bitmap
    /// Seconds.
    public var duration: Double

    public init(bitmap: Bitmap, duration: Double) {
        self.bitmap = bitmap
        self.duration = duration
    }
}

/// An encoder of one format. Stateless: one value serves every thread.
public protocol ImageEncoder: Sendable {
    var format: ImageFormat { get }
    /// True if the encoder writes animations.
    var canAnimate: Bool { get }
    func encode(_ bitmap: Bitmap, options: EncodeOptions) throws -> Data
    /// Encodes an animation.
    /// - Parameters:
    ///   - frames: read one at a time, all of the same size.
    ///   - poster: the image for viewers that cannot animate, if it is not the first frame. Only APNG can hold one; other
    ///     formats ignore it.
    ///   - loopCount: the number of loops, 0 is forever.
    ///   - options: for all frames.
    func encode(
        frames: some Sequence<EncodableFrame>, poster: Bitmap?, loopCount: Int, options: EncodeOptions
    ) throws -> Data
}

extension ImageEncoder {
    public var canAnimate: Bool { false }

    public func encode(
        frames: some Sequence<EncodableFrame>, poster: Bitmap?, loopCount: Int, options: EncodeOptions
    ) throws -> Data {
        throw ImagingError.notEncodable("\(format) files cannot hold an animation")
    }

    /// Encodes an animation whose first frame is the poster.
    public func encode(frames: some Sequence<EncodableFrame>, loopCount: Int, options: EncodeOptions) throws -> Data {
        try encode(frames: frames, poster: nil, loopCount: loopCount, options: options)
    }
}
