import TintypeBase

/// A decoder of previews while the bytes of an image arrive. Used by one thread at a time.
///
/// It finds the format by the first bytes. Previews have the target size and the orientation, like the images of
/// `ImageCodecs.decode`, which decodes the final image.
///
/// ```swift
/// import Foundation
/// import TintypeImaging
///
/// func previews(of chunks: [Data]) throws -> [Bitmap] {
///     let decoder = ProgressiveImageDecoder()
///     return try chunks.compactMap { chunk in
///         try decoder.append(chunk)
///         return try decoder.preview()?.bitmap
///     }
/// }
/// ```
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

    /// False if this image has no previews, so that no more bytes are needed.
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

    /// Returns the image as far as it has arrived; nil if nothing is new since the last call. Costs up to a decode of the
    /// whole image.
    public func preview() throws -> DecodedImage? {
        if let isolated { return try isolated.preview() }
        return try decoder?.preview().map { try codecs.finish($0, options: options) }
    }
}
