/// Where a decoder writes rows of straight-through pixels, top first: into a bitmap, or through the resampler
/// without the whole image ever being in memory.
///
/// The decoder calls `begin` once, then for each group of rows `rows(_:)`, writes premultiplied sRGB RGBA8 into what
/// it gets, and calls `commit(_:)`; `finish` comes once at the end of a whole or (lenient) partial image.
package protocol RowSink: AnyObject {
    /// - Parameter size: of the rows that will come, which may be smaller than the stored image if the decoder
    ///   scales by itself.
    func begin(size: PixelSize, isOpaque: Bool) throws
    /// Memory for the next `count` rows. Valid until `commit`. `count` is at most `maximumRowCount`.
    func rows(_ count: Int) throws -> (bytes: UnsafeMutableRawPointer, bytesPerRow: Int)
    /// The first `count` of these rows are written.
    func commit(_ count: Int) throws
    /// Rows that one `rows` call may ask for.
    var maximumRowCount: Int { get }
}

/// Collects rows in a new bitmap; rows that never come stay transparent.
package final class BitmapSink: RowSink {
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
            throw ImagingError.processorFailed("a decoder asked for \(count) rows of \(maximumRowCount)")
        }
        return (base + nextRow * bytesPerRow, bytesPerRow)
    }

    package func commit(_ count: Int) throws { nextRow += count }

    /// The bitmap, with the rows that never came made transparent; nil if `begin` was never called.
    package func finish() -> Bitmap? {
        guard let storage else { return nil }
        let isComplete = nextRow == size.height
        if !isComplete {
            let written = nextRow * bytesPerRow
            UnsafeMutableRawBufferPointer(rebasing: storage.bytes[written...]).initializeMemory(
                as: UInt8.self, repeating: 0)
        }
        return Bitmap(
            width: size.width, height: size.height, bytesPerRow: bytesPerRow, isOpaque: isOpaque && isComplete,
            storage: storage)
    }
}
