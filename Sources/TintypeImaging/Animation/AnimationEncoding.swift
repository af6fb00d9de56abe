import TintypeBase

extension ImageCodecs {
    /// Encodes all frames of an animation, holding one or two of them at a time.
    ///
    /// - Parameters:
    ///   - animation: its frames are decoded one after the other.
    ///   - format: one whose encoder can animate.
    ///   - poster: a default image that is not a frame, where the format can hold one; see `poster(of:besides:)`.
    ///   - options: of the encoder.
    ///   - limits: how many pixels all frames may have together, as decoded and as encoded.
    ///   - transform: applied to each frame, and to the poster, before it is encoded; must give the same size for all.
    /// - Throws: what decoding, `transform`, encoding or the check of `ImagingCancellation` throws; `tooCostly` for more
    ///   pixels than the limit; `processorFailed` if the format cannot move.
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

    /// Converts a file to another format. An animation stays one if both formats can hold it; else the poster is taken.
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

    /// The default image of an APNG, if it is not what the first frame shows; nil for everything else.
    public func poster(
        of data: Data, besides animation: AnimatedImage, options: DecodeOptions = DecodeOptions()
    ) throws -> Bitmap? {
        guard animation.info.format == .png else { return nil }
        let poster = try decode(data, options: options).bitmap
        return poster.hasSamePixels(as: try animation.frame(at: 0)) ? nil : poster
    }
}

/// The frames of an animation one after the other. A sequence cannot throw: the first error ends it and is kept.
final class EncodableFrames: Sequence, IteratorProtocol {
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

extension Bitmap {
    func hasSamePixels(as other: Bitmap) -> Bool {
        guard size == other.size else { return false }
        return withUnsafeBytes { mine in
            other.withUnsafeBytes { theirs in
                (0..<height).allSatisfy { y in
                    mine[y * bytesPerRow..<y * bytesPerRow + width * 4].elementsEqual(
                        theirs[y * other.bytesPerRow..<y * other.bytesPerRow + width * 4])
                }
            }
        }
    }
}

/// Checks that the frames of an animation go together.
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
