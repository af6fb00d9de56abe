import TintypeBase

/// Shows an image while its bytes arrive. Used by one thread at a time.
///
/// Finds the format by the first bytes, then gives previews scaled to the target and turned by the orientation, as
/// `ImageCodecs.decode` does for whole files. The final image is the business of `decode`.
public final class ProgressiveImageDecoder {
    private let codecs: ImageCodecs
    private let options: DecodeOptions
    private var head = Data()
    private var isDecided = false
    private var decoder: (any IncrementalDecoder)?

    public init(codecs: ImageCodecs = .standard, options: DecodeOptions = DecodeOptions()) {
        self.codecs = codecs
        self.options = options
    }

    /// False once it is known that this image cannot be shown before all of it is there; further bytes need not come.
    public var canPreview: Bool { !isDecided || decoder != nil }

    /// Takes the next bytes.
    /// - Throws: `ImagingError` when the data is damaged beyond use, or larger than the limits.
    public func append(_ data: Data) throws {
        guard !isDecided else { return try decoder?.append(data) ?? () }
        head.append(data)
        guard let format = ImageFormat.sniff(head) else {
            if !ImageFormat.needsMoreData(toSniff: head) { decide(nil) }
            return
        }
        decide(codecs.decoder(for: format)?.incrementalDecoder(options: options))
        let first = head
        head = Data()
        try decoder?.append(first)
    }

    private func decide(_ decoder: (any IncrementalDecoder)?) {
        isDecided = true
        self.decoder = decoder
        if decoder == nil { head = Data() }
    }

    /// The image as far as it has come; nil if nothing new can be shown since the last call. Costs up to a decode of
    /// the whole image.
    public func preview() throws -> DecodedImage? {
        try decoder?.preview().map { try codecs.finish($0, options: options) }
    }
}
