/// Changes pixels between decode and display. A value with an identifier that carries all its parameters.
public protocol ImageProcessor: Sendable {
    /// Stable across runs and versions; two processors with equal identifiers make equal pixels. A part of the cache key.
    var identifier: String { get }
    /// Runs on a decode thread.
    /// - Throws: `ImagingError.processorFailed`, or any error of the processor's own; nothing is cached then.
    func process(_ bitmap: Bitmap) throws -> Bitmap
}
