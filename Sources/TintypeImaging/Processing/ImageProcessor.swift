/// A change of pixels between decoding and display.
///
/// The identifier is a part of the cache key, so it must name every parameter. The built-in processors are written with
/// a dot: `[.resize(width: 320), .circle()]`.
///
/// ```swift
/// import TintypeImaging
///
/// struct Invert: ImageProcessor {
///     let identifier = "invert"
///
///     func process(_ bitmap: Bitmap) throws -> Bitmap {
///         try Bitmap(width: bitmap.width, height: bitmap.height, isOpaque: bitmap.isOpaque) { target, bytesPerRow in
///             for y in 0..<bitmap.height {
///                 for x in 0..<bitmap.width {
///                     let (red, green, blue, alpha) = bitmap[x: x, y: y]
///                     let inverted = [alpha - red, alpha - green, alpha - blue, alpha]
///                     target[(y * bytesPerRow + x * 4)...].copyBytes(from: inverted)
///                 }
///             }
///         }
///     }
/// }
/// ```
public protocol ImageProcessor: Sendable {
    /// The name of the processor and all its parameters, stable across runs and versions. Two processors with equal
    /// identifiers must make equal pixels.
    var identifier: String { get }
    /// Returns the changed image. Runs on a decode thread.
    /// - Throws: `ImagingError.processorFailed`, or any other error; nothing is cached then.
    func process(_ bitmap: Bitmap) throws -> Bitmap
    /// Returns the size of the result for an image of this size; nil, the default, if it depends on the pixels.
    func outputSize(for size: PixelSize) -> PixelSize?
}

extension ImageProcessor {
    public func outputSize(for size: PixelSize) -> PixelSize? { nil }
}

/// The types behind `StandardProcessor`. Each keeps its parameters as they were given and checks them in `process`.
enum ImageProcessors {
    /// Several processors, one after the other. The first that fails ends the chain.
    struct Composition: ImageProcessor {
        var processors: [any ImageProcessor]

        /// Each identifier follows its length, so that two different lists never have the same identifier.
        var identifier: String {
            processors.reduce(ProcessorIdentifier("compose")) { $0.adding("p", text: $1.identifier) }.text
        }

        func process(_ bitmap: Bitmap) throws -> Bitmap { try processors.reduce(bitmap) { try $1.process($0) } }

        func outputSize(for size: PixelSize) -> PixelSize? {
            processors.reduce(size) { size, processor in size.flatMap(processor.outputSize) }
        }
    }

    /// A closure with a name.
    struct Custom: ImageProcessor {
        let id: String
        let body: @Sendable (Bitmap) throws -> Bitmap

        var identifier: String { ProcessorIdentifier("custom").adding("id", text: id).text }

        func process(_ bitmap: Bitmap) throws -> Bitmap { try body(bitmap) }
    }

    /// Scales the image to a box.
    struct Resize: ImageProcessor {
        var target: ResizeTarget

        var identifier: String { target.identifier }

        func process(_ bitmap: Bitmap) throws -> Bitmap { try bitmap.resized(to: target) }

        // `process` reports a target that is not valid.
        func outputSize(for size: PixelSize) -> PixelSize? { try? ResizePlan(source: size, target: target).output }
    }
}
