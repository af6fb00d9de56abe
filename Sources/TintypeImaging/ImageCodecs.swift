#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
        try decoder(data).info(data, isComplete: isComplete, limits: limits)
    }

    /// Decodes one picture: the poster, or the frame that the options name.
    /// Blocks the calling thread; the pipeline calls it on its decode threads.
    public func decode(_ data: Data, options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        let output = try decoder(data).decode(data, options: options)
        return DecodedImage(
            bitmap: output.bitmap, info: output.info, isPartial: output.isPartial, warnings: output.warnings)
    }

    /// The frames of an animation, or nil if the picture does not move.
    public func animation(_ data: Data, options: DecodeOptions = DecodeOptions()) throws -> AnimatedImage? {
        try decoder(data).frames(data, options: options).map { AnimatedImage(source: $0) }
    }

    public func encode(_ bitmap: Bitmap, as format: ImageFormat, options: EncodeOptions = EncodeOptions()) throws
        -> Data
    {
        guard let encoder = encoder(for: format) else { throw unavailable(format) }
        return try encoder.encode(bitmap, options: options)
    }

    private func decoder(_ data: Data) throws -> any ImageDecoder {
        guard !data.isEmpty else { throw ImagingError.emptyBody }
        guard let format = ImageFormat.sniff(data) else {
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
