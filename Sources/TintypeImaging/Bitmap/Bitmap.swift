/// Decoded pixels: RGBA, 8 bits each, premultiplied alpha, sRGB, top row first.
///
/// A value type over shared, immutable memory: copying is cheap, and any thread may read.
public struct Bitmap: Sendable {
    public let width: Int
    public let height: Int
    /// Distance from one row to the next, in bytes; at least `width * 4`.
    public let bytesPerRow: Int
    /// True if every alpha value is known to be 255.
    public let isOpaque: Bool
    package let storage: PixelStorage

    package init(width: Int, height: Int, bytesPerRow: Int, isOpaque: Bool, storage: PixelStorage) {
        precondition(width > 0 && height > 0 && bytesPerRow >= width * 4)
        precondition(storage.bytes.count >= bytesPerRow * (height - 1) + width * 4)
        self.width = width
        self.height = height
        self.bytesPerRow = bytesPerRow
        self.isOpaque = isOpaque
        self.storage = storage
    }

    public var size: PixelSize { PixelSize(width: width, height: height) }

    /// Bytes that the pixels hold in memory: what a memory cache counts as cost.
    public var byteCount: Int { storage.allocatedByteCount }

    /// Makes a bitmap by writing its pixels. The memory that `body` gets is **not** cleared.
    ///
    /// - Parameters:
    ///   - width: in pixels; so is `height`.
    ///   - height: the number of rows.
    ///   - isOpaque: true promises that every alpha value will be 255.
    ///   - body: gets the pixels and the bytes per row; must fill `height` rows of premultiplied RGBA.
    /// - Throws: `ImagingError.imageTooLarge` if the size is not positive or its bytes cannot be counted;
    ///   whatever `body` throws.
    public init(
        width: Int, height: Int, isOpaque: Bool = false,
        _ body: (UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws -> Void
    ) throws {
        let bytesPerRow = try Bitmap.bytesPerRow(width: width, height: height)
        let storage = try PixelStorage(byteCount: bytesPerRow * height)
        try body(storage.bytes, bytesPerRow)
        self.init(width: width, height: height, bytesPerRow: bytesPerRow, isOpaque: isOpaque, storage: storage)
    }

    /// Reads the pixels; the pointer is valid only inside `body`.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(storage) { try body(UnsafeRawBufferPointer(storage.bytes)) }
    }

    /// The premultiplied pixel at a place; traps outside the bitmap. For tests and single look-ups, not for loops.
    public subscript(x x: Int, y y: Int) -> (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
        precondition(x >= 0 && x < width && y >= 0 && y < height)
        return withUnsafeBytes { bytes in
            let offset = y * bytesPerRow + x * 4
            return (bytes[offset], bytes[offset + 1], bytes[offset + 2], bytes[offset + 3])
        }
    }

    package static func bytesPerRow(width: Int, height: Int) throws -> Int {
        guard width > 0, height > 0, width <= Int(Int32.max) / 4, height <= Int(Int32.max) else {
            throw ImagingError.imageTooLarge(width: width, height: height, limit: Int(Int32.max) / 4)
        }
        return width * 4
    }
}
