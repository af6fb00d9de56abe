/// The destination of a decoder's rows, top first: a bitmap, the resampler, or the canvas of an animation. The whole
/// image need not be in memory.
///
/// The decoder calls `begin` once, then for each group of rows `rows(_:)`, writes premultiplied sRGB RGBA8 there, and
/// calls `commit(_:)`.
package protocol RowSink: AnyObject {
    /// - Parameter size: of the rows that will come, smaller than the stored image if the decoder scales by itself.
    func begin(size: PixelSize, isOpaque: Bool) throws
    /// Returns memory for the next `count` rows, at most `maximumRowCount`. Valid until `commit`.
    func rows(_ count: Int) throws -> (bytes: UnsafeMutableRawPointer, bytesPerRow: Int)
    /// Takes the first `count` of these rows.
    func commit(_ count: Int) throws
    /// The number of rows that one call of `rows` may request.
    var maximumRowCount: Int { get }
}

/// A sink whose rows become a bitmap.
package protocol BitmapRowSink: RowSink {
    /// Returns the bitmap, with missing rows transparent; nil if `begin` was never called.
    func finish() throws -> Bitmap?
}

extension BitmapRowSink {
    /// Returns the bitmap.
    /// - Parameter isOpaque: what the decoder knows after the last row.
    func finish(isOpaque: Bool) throws -> Bitmap {
        guard let bitmap = try finish() else { throw ImagingError.processorFailed("a decoder gave no rows") }
        return bitmap.marked(isOpaque: isOpaque)
    }
}

/// Collects rows in a new bitmap.
package final class BitmapSink: BitmapRowSink {
    private var storage: PixelStorage?
    private var size = PixelSize(width: 0, height: 0)
    private var bytesPerRow = 0
    private var isOpaque = false
    private var nextRow = 0

    package init() {}

    package func begin(size: PixelSize, isOpaque: Bool) throws {
        bytesPerRow = try Bitmap.bytesPerRow(width: size.width, height: size.height)
        storage = try PixelStorage(byteCount: bytesPerRow * size.height)
        self.size = size
        self.isOpaque = isOpaque
        nextRow = 0
    }

    package var maximumRowCount: Int { size.height - nextRow }

    package func rows(_ count: Int) throws -> (bytes: UnsafeMutableRawPointer, bytesPerRow: Int) {
        guard let base = storage?.bytes.baseAddress, count > 0, count <= maximumRowCount else {
            throw ImagingError.processorFailed("a decoder requested \(count) rows of \(maximumRowCount)")
        }
        return (base + nextRow * bytesPerRow, bytesPerRow)
    }

    package func commit(_ count: Int) throws { nextRow += count }

    package func finish() -> Bitmap? {
        guard let storage else { return nil }
        let isComplete = nextRow == size.height
        if !isComplete {
            UnsafeMutableRawBufferPointer(rebasing: storage.bytes[(nextRow * bytesPerRow)...]).initializeMemory(
                as: UInt8.self, repeating: 0)
        }
        return Bitmap(
            width: size.width, height: size.height, bytesPerRow: bytesPerRow, isOpaque: isOpaque && isComplete,
            storage: storage)
    }
}

extension DecodeOptions {
    /// Returns the resize for an image in the order of its file, or nil without a target.
    ///
    /// - Parameters:
    ///   - storedSize: of the image in the file, before its orientation.
    ///   - orientation: as the file says.
    package func plan(storedSize: PixelSize, orientation: ImageOrientation) throws -> ResizePlan? {
        guard let target else { return nil }
        let orientation = appliesOrientation ? orientation : .up
        let shown = orientation.swapsAxes ? storedSize.transposed : storedSize
        return try ResizePlan(source: shown, target: target, pixelLimit: limits.maximumPixelCount)
            .beforeOrientation(orientation)
    }
}

extension ResizePlan? {
    /// Returns a sink that carries out the plan; nil keeps the size.
    package func makeSink() -> any BitmapRowSink {
        if let self, !self.isIdentity { ResamplingSink(plan: self) } else { BitmapSink() }
    }
}
