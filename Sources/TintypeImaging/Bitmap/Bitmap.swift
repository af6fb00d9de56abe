import CPixelKernels

/// Decoded pixels: RGBA, 8 bits each, premultiplied alpha, sRGB, top row first.
///
/// A value type over shared, immutable memory: copies are cheap, and any thread may read.
///
/// ```swift
/// import TintypeImaging
///
/// let red = try Bitmap(width: 2, height: 2, isOpaque: true) { pixels, bytesPerRow in
///     for y in 0..<2 {
///         for x in 0..<2 { pixels[(y * bytesPerRow + x * 4)...].copyBytes(from: [255, 0, 0, 255]) }
///     }
/// }
/// ```
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

    /// Bytes of memory that the pixels take; the cost in a memory cache.
    public var byteCount: Int { storage.allocatedByteCount }

    /// Creates a bitmap by writing its pixels. The memory that `body` gets is **not** cleared.
    ///
    /// - Parameters:
    ///   - width: in pixels.
    ///   - height: in pixels.
    ///   - isOpaque: true promises that every alpha value will be 255.
    ///   - body: gets the pixels and the bytes per row; must fill `height` rows of premultiplied RGBA.
    /// - Throws: `ImagingError.imageTooLarge` if the size is not positive or its bytes cannot be counted;
    ///   `outOfMemory`; whatever `body` throws.
    public init(
        width: Int, height: Int, isOpaque: Bool = false,
        _ body: (UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws -> Void
    ) throws {
        let bytesPerRow = try Bitmap.bytesPerRow(width: width, height: height)
        let storage = try PixelStorage(byteCount: bytesPerRow * height)
        try body(storage.bytes, bytesPerRow)
        self.init(width: width, height: height, bytesPerRow: bytesPerRow, isOpaque: isOpaque, storage: storage)
    }

    /// Calls `body` with the pixels; the pointer is valid only inside `body`.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(storage) { try body(UnsafeRawBufferPointer(storage.bytes)) }
    }

    /// The premultiplied pixel at a position; traps outside the bitmap. For single pixels: loops use `withUnsafeBytes`.
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

    // MARK: Copies

    /// Returns the image over a colour, without transparency.
    /// - Parameter background: 0xRRGGBB.
    package func flattened(over background: UInt32) throws -> Bitmap {
        guard !isOpaque else { return self }
        return try Bitmap(width: width, height: height, isOpaque: true) { target, targetBytesPerRow in
            withUnsafeBytes { source in
                guard let from = source.bindMemory(to: UInt8.self).baseAddress,
                    let to = target.bindMemory(to: UInt8.self).baseAddress
                else { return }
                for row in 0..<height {
                    ck_flatten(
                        to + row * targetBytesPerRow, from + row * bytesPerRow, width,
                        UInt8(truncatingIfNeeded: background >> 16), UInt8(truncatingIfNeeded: background >> 8),
                        UInt8(truncatingIfNeeded: background))
                }
            }
        }
    }

    /// Returns the same pixels, marked as opaque or not.
    package func marked(isOpaque: Bool) -> Bitmap {
        guard isOpaque != self.isOpaque else { return self }
        return Bitmap(width: width, height: height, bytesPerRow: bytesPerRow, isOpaque: isOpaque, storage: storage)
    }

    /// Copies a part that lies within the bitmap.
    func copied(from rect: PixelRect) throws -> Bitmap {
        try Bitmap(width: rect.width, height: rect.height, isOpaque: isOpaque) { target, targetBytesPerRow in
            withUnsafeBytes { source in
                guard let from = source.baseAddress, let to = target.baseAddress else { return }
                for y in 0..<rect.height {
                    (to + y * targetBytesPerRow).copyMemory(
                        from: from + (rect.y + y) * bytesPerRow + rect.x * 4, byteCount: rect.width * 4)
                }
            }
        }
    }

    /// Copies the pixels without premultiplication, rows packed, as encoders need them. Transparent pixels are black.
    package func straightPixels() throws -> PixelStorage {
        let rowLength = width * 4
        let result = try PixelStorage(byteCount: rowLength * height)
        withUnsafeBytes { bytes in
            guard let source = bytes.bindMemory(to: UInt8.self).baseAddress,
                let target = result.bytes.bindMemory(to: UInt8.self).baseAddress
            else { return }
            for y in 0..<height {
                pixelKernels.unpremultiply(target + y * rowLength, source + y * bytesPerRow, width)
            }
        }
        return result
    }
}
