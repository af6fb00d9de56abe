import TintypeBase

extension ImageCodecs {
    /// Encodes all frames of an animation, holding one or two of them at a time.
    ///
    /// - Parameters:
    ///   - animation: its frames are decoded one after the other.
    ///   - format: one whose encoder can animate.
    ///   - poster: a default image that is not a frame, where the format can hold one; see `poster(of:besides:)`.
    ///   - options: of the encoder.
    ///   - limits: the number of pixels that all frames may have together, as decoded and as encoded.
    ///   - transform: applied to each frame and to the poster before encoding; must return the same size for all.
    /// - Throws: the errors of decoding, `transform`, encoding and the check of `ImagingCancellation`; `tooCostly` for more
    ///   pixels than the limit; `notEncodable` if the format cannot hold an animation.
    public func encode(
        _ animation: AnimatedImage, as format: ImageFormat, poster: Bitmap? = nil,
        options: EncodeOptions = EncodeOptions(), limits: DecodeLimits = DecodeLimits(),
        transform: ((Bitmap) throws -> Bitmap)? = nil
    ) throws -> Data {
        guard let encoder = encoder(for: format) else {
            throw ImagingError.notEncodable("this build cannot write \(format) files")
        }
        try limits.checkAnimation(
            frameCount: animation.frameCount, pixelsPerFrame: animation.pixelsPerFrame, format: animation.info.format)
        let frames = EncodableFrames(animation, limits: limits, transform: transform)
        let data: Data
        do {
            data = try encoder.encode(
                frames: frames, poster: poster.map { try transform?($0) ?? $0 },
                loopCount: animation.info.loopCount ?? 1, options: options)
        } catch {
            throw frames.failure ?? error
        }
        if let failure = frames.failure { throw failure }
        return data
    }

    /// Converts a file to another format. An animation stays one if both formats can hold it; otherwise the poster is
    /// converted.
    public func transcode(
        _ data: Data, to format: ImageFormat, decoding: DecodeOptions = DecodeOptions(),
        encoding: EncodeOptions = EncodeOptions()
    ) throws -> Data {
        if decoding.frame == nil, encoder(for: format)?.canAnimate == true,
            let animation = try animation(data, options: decoding)
        {
            let poster = try poster(of: data, besides: animation, options: decoding)
            return try encode(animation, as: format, poster: poster, options: encoding, limits: decoding.limits)
        }
        return try encode(decode(data, options: decoding).bitmap, as: format, options: encoding)
    }

    /// Decodes the default image of an APNG if it differs from the first frame; nil for everything else.
    package func poster(
        of data: Data, besides animation: AnimatedImage, options: DecodeOptions = DecodeOptions()
    ) throws -> Bitmap? {
        guard animation.info.format == .png else { return nil }
        let poster = try decode(data, options: options).bitmap
        return poster.hasSamePixels(as: try animation.frame(at: 0)) ? nil : poster
    }
}

/// The frames of an animation, one after the other. A sequence cannot throw: the first error ends it and is stored.
private final class EncodableFrames: Sequence, IteratorProtocol {
    private let animation: AnimatedImage
    private let limits: DecodeLimits
    private let transform: ((Bitmap) throws -> Bitmap)?
    private var index = 0
    private(set) var failure: (any Error)?

    init(_ animation: AnimatedImage, limits: DecodeLimits, transform: ((Bitmap) throws -> Bitmap)?) {
        self.animation = animation
        self.limits = limits
        self.transform = transform
    }

    func next() -> EncodableFrame? {
        guard failure == nil, index < animation.frameCount else { return nil }
        defer { index += 1 }
        do {
            try ImagingCancellation.check()
            let frame = try animation.frame(at: index)
            let bitmap = try transform?(frame) ?? frame
            if index == 0 {
                try limits.checkAnimation(
                    frameCount: animation.frameCount, pixelsPerFrame: bitmap.size.area, format: animation.info.format)
            }
            let frames = animation.info.frames
            return EncodableFrame(
                bitmap: bitmap,
                duration: frames.indices.contains(index) ? frames[index].duration : 0.1)
        } catch {
            failure = error
            return nil
        }
    }
}

/// Checks that the frames of an animation have the same size.
struct AnimationFrameCheck {
    private(set) var size: PixelSize?
    private(set) var count = 0
    let format: ImageFormat
    let maximumSide: Int

    init(_ format: ImageFormat, maximumSide: Int) {
        self.format = format
        self.maximumSide = maximumSide
    }

    mutating func check(_ bitmap: Bitmap) throws {
        count += 1
        guard bitmap.width <= maximumSide, bitmap.height <= maximumSide else {
            throw ImagingError.notEncodable(
                "a \(format) can be \(maximumSide) pixels wide and high, not \(bitmap.size); scale it down first")
        }
        if let size, size != bitmap.size {
            throw ImagingError.notEncodable(
                "frame \(count - 1) is \(bitmap.size), the first one \(size); all must be of one size")
        }
        size = bitmap.size
    }

    func finish() throws {
        if count == 0 { throw ImagingError.notEncodable("an animation without frames cannot be encoded") }
    }
}
