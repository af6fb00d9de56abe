/// Premultiplied pixels that change while copies of them are shown.
final class PixelCanvas {
    let size: PixelSize
    let bytesPerRow: Int
    /// Number of finished rows from the top.
    var rowCount = 0
    private let storage: PixelStorage

    /// Creates a transparent canvas.
    init(size: PixelSize) throws {
        self.size = size
        bytesPerRow = try Bitmap.bytesPerRow(width: size.width, height: size.height)
        storage = try PixelStorage(byteCount: bytesPerRow * size.height)
        storage.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// `row` must be less than the height.
    func row(_ row: Int) -> UnsafeMutablePointer<UInt8> {
        (storage.bytes.baseAddress.unsafelyUnwrapped + row * bytesPerRow).assumingMemoryBound(to: UInt8.self)
    }

    /// Copies the finished rows; the others are transparent.
    /// - Parameter isOpaque: whether the finished rows are opaque.
    func snapshot(isOpaque: Bool) throws -> Bitmap {
        let written = rowCount * bytesPerRow
        return try Bitmap(
            width: size.width, height: size.height, isOpaque: isOpaque && rowCount == size.height
        ) { bytes, _ in
            bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage.bytes[..<written]))
            UnsafeMutableRawBufferPointer(rebasing: bytes[written...]).initializeMemory(as: UInt8.self, repeating: 0)
        }
    }
}
