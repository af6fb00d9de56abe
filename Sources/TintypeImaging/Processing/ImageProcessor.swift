/// Changes pixels between decode and display. A value with an identifier that carries all its parameters.
///
/// The ready-made ones are in `ImageProcessors` and are written with a dot: `[.resize(width: 320), .circle()]`.
public protocol ImageProcessor: Sendable {
    /// Stable across runs and versions; two processors with equal identifiers make equal pixels. A part of the cache key.
    var identifier: String { get }
    /// Runs on a decode thread.
    /// - Throws: `ImagingError.processorFailed`, or any error of the processor's own; nothing is cached then.
    func process(_ bitmap: Bitmap) throws -> Bitmap
    /// The size of the result for an image of this size, or nil, the default, if the pixels decide or it is not known.
    func outputSize(for size: PixelSize) -> PixelSize?
}

extension ImageProcessor {
    public func outputSize(for size: PixelSize) -> PixelSize? { nil }
}

/// The processors that come with Tintype.
///
/// Lengths are pixels, angles degrees, colours sRGB. Positions count from the top left corner. Every processor takes
/// and gives premultiplied pixels, works on an image of any size down to 1×1, and refuses parameters that make no
/// sense (not a number, negative, empty) with `ImagingError.processorFailed`, results of more than 100 megapixels with
/// `ImagingError.imageTooLarge`.
public enum ImageProcessors {}
