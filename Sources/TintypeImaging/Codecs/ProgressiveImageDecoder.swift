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

    public init(codecs: ImageCodecs = .standard, options: DecodeOptions = DecodeOptions()) {
        self.codecs = codecs
        self.options = options
    }

    /// False if this image has no previews, so that no more bytes are needed.
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

    /// Returns the image as far as it has arrived; nil if nothing is new since the last call. Costs up to a decode of the
    /// whole image.
    public func preview() throws -> DecodedImage? {
        try decoder?.preview().map { try codecs.finish($0, options: options) }
    }
}
