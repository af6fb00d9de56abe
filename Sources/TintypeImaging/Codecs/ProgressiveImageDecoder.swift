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
    private var isolated: IsolatedPreviews?

    public init(codecs: ImageCodecs = .standard, options: DecodeOptions = DecodeOptions()) {
        self.codecs = codecs
        self.options = options
    }

    /// False once it is known that this image cannot be shown before all of it is there; further bytes need not come.
    public var canPreview: Bool { !isDecided || decoder != nil || isolated?.canPreview == true }

    /// Takes the next bytes.
    /// - Throws: `ImagingError` when the data is damaged beyond use, or larger than the limits.
    public func append(_ data: Data) throws {
        guard !isDecided else { return try appendDecided(data) }
        head.append(data)
        guard let format = ImageFormat.sniff(head) else {
            if !ImageFormat.needsMoreData(toSniff: head) { decide(nil) }
            return
        }
        let first = head
        if let decoder = codecs.decoder(for: format), let isolation = codecs.isolated(decoder) {
            decide(nil)
            isolated = try isolation.previews(options: options)
        } else {
            decide(codecs.decoder(for: format)?.incrementalDecoder(options: options))
        }
        try appendDecided(first)
    }

    private func appendDecided(_ data: Data) throws {
        try decoder?.append(data)
        try isolated?.append(data)
    }

    private func decide(_ decoder: (any IncrementalDecoder)?) {
        isDecided = true
        self.decoder = decoder
        head = Data()
    }

    /// The image as far as it has come; nil if nothing new can be shown since the last call. Costs up to a decode of
    /// the whole image.
    public func preview() throws -> DecodedImage? {
        if let isolated { return try isolated.preview() }
        return try decoder?.preview().map { try codecs.finish($0, options: options) }
    }
}
