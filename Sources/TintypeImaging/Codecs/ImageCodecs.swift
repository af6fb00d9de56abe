import TintypeBase

/// The decoders and encoders in use: finds the right one by the bytes, then does what is the same for all of them.
///
/// A value: add a decoder of your own to a copy and give the copy to a pipeline.
public struct ImageCodecs: Sendable {
    /// Asked in order; the first one whose format fits the bytes decodes them.
    public var decoders: [any ImageDecoder]
    public var encoders: [any ImageEncoder]

    public init(decoders: [any ImageDecoder], encoders: [any ImageEncoder]) {
        self.decoders = decoders
        self.encoders = encoders
    }

    /// Every codec of this build.
    public static let standard = ImageCodecs(decoders: standardDecoders, encoders: standardEncoders)

    public func decoder(for format: ImageFormat) -> (any ImageDecoder)? {
        decoders.first { $0.format == format }
    }

    public func encoder(for format: ImageFormat) -> (any ImageEncoder)? {
        encoders.first { $0.format == format }
    }

    /// Facts from the header; see `ImageDecoder.info`.
    public func info(_ data: Data, isComplete: Bool = true, limits: DecodeLimits = DecodeLimits()) throws -> ImageInfo {
        try decoder(data, isComplete: isComplete).info(data, isComplete: isComplete, limits: limits)
    }

    /// Decodes one image: the poster, or the frame that the options name.
    ///
    /// Checks the limits, decodes, scales to the target, and applies the orientation; `info` still says what the file
    /// says. Blocks the calling thread; the pipeline calls it on its decode threads.
    ///
    /// - Throws: `ImagingError`; `processorFailed` for a frame that the image does not have.
    public func decode(_ data: Data, options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        try finish(image(decoder(data, isComplete: true), data, options: options), options: options)
    }

    /// What is the same for every format: the target, then the orientation.
    func finish(_ output: DecoderOutput, options: DecodeOptions) throws -> DecodedImage {
        var bitmap = try scaled(output, options: options)
        if options.appliesOrientation { bitmap = try bitmap.oriented(output.info.orientation) }
        return DecodedImage(
            bitmap: bitmap, info: output.info, isPartial: output.isPartial, warnings: output.warnings)
    }

    private func image(_ decoder: any ImageDecoder, _ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        guard let index = options.frame else { return try decoder.decode(data, options: options) }
        guard let frames = try decoder.frames(data, options: options) else {
            guard index == 0 else { throw ImagingError.noSuchFrame(index, count: 1) }
            return try decoder.decode(data, options: options)
        }
        guard index >= 0, index < frames.info.frameCount else {
            throw ImagingError.noSuchFrame(index, count: frames.info.frameCount)
        }
        try options.limits.checkAnimation(
            frameCount: index + 1, pixelsPerFrame: frames.pixelsPerFrame, format: frames.info.format)
        return DecoderOutput(
            bitmap: try frames.frame(at: index), info: frames.info, isPartial: !frames.info.isFrameListComplete)
    }

    /// Brings what a decoder gave, which may be scaled already, to the target.
    private func scaled(_ output: DecoderOutput, options: DecodeOptions) throws -> Bitmap {
        let info = output.info
        guard !output.isAtTargetSize,
            let plan = try options.plan(storedSize: info.storedSize, orientation: info.orientation),
            output.bitmap.size != plan.output
        else { return output.bitmap }
        return try output.bitmap.resized(by: plan.forDecoded(output.bitmap.size))
    }

    /// The frames of an animation, or nil if the image does not move. They come at the target's size and turned, like
    /// the images that `decode` gives; `AnimatedImage.info` still says what the file says.
    public func animation(_ data: Data, options: DecodeOptions = DecodeOptions()) throws -> AnimatedImage? {
        try decoder(data, isComplete: true).frames(data, options: options).map {
            AnimatedImage(
                source: FittedFrames($0, codecs: self, options: options) ?? $0, encodedByteCount: data.count)
        }
    }

    public func encode(_ bitmap: Bitmap, as format: ImageFormat, options: EncodeOptions = EncodeOptions()) throws
        -> Data
    {
        guard let encoder = encoder(for: format) else { throw unavailable(format) }
        return try encoder.encode(bitmap, options: options)
    }

    private func decoder(_ data: Data, isComplete: Bool) throws -> any ImageDecoder {
        guard let format = ImageFormat.sniff(data) else {
            guard isComplete || !ImageFormat.needsMoreData(toSniff: data) else {
                let byteCount = max(ImageFormat.sniffByteCount, data.count * 4)
                throw ImagingError.needsMoreData(nil, byteCount: byteCount)
            }
            guard !data.isEmpty else { throw ImagingError.emptyBody }
            throw ImagingError.unsupportedFormat(ImageFormat.describeUnknown(data))
        }
        guard let decoder = decoder(for: format) else { throw unavailable(format) }
        return decoder
    }

    private func unavailable(_ format: ImageFormat) -> ImagingError {
        guard let trait = format.trait else { return .unsupportedFormat("no codec for \(format)") }
        return .codecUnavailable(format, trait: trait)
    }
}
