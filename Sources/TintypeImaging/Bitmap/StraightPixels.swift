import CPixelKernels

/// The pixels of an image as codec libraries return them, not yet premultiplied or sRGB: RGBA, 8 bits each, top row
/// first. Filled by one decoder, then converted to a `Bitmap` once.
struct StraightPixels {
    let size: PixelSize
    let bytesPerRow: Int
    let storage: PixelStorage

    /// The memory is **not** cleared.
    /// - Throws: `imageTooLarge` for a size that no bitmap can have. The decoder has checked its limits before.
    init(size: PixelSize) throws {
        self.size = size
        bytesPerRow = try Bitmap.bytesPerRow(width: size.width, height: size.height)
        storage = try PixelStorage(byteCount: bytesPerRow * size.height)
    }

    var bytes: UnsafeMutableRawBufferPointer { storage.bytes }

    func row(_ y: Int) -> UnsafeMutablePointer<UInt8>? {
        storage.bytes.baseAddress.map { ($0 + y * bytesPerRow).assumingMemoryBound(to: UInt8.self) }
    }

    /// Converts the first rows, by default all, to sRGB.
    func convert(_ conversion: ColorConversion, rowCount: Int? = nil) {
        guard !conversion.isIdentity else { return }
        for y in 0..<(rowCount ?? size.height) {
            if let row = row(y) { conversion.convert(row, pixelCount: size.width) }
        }
    }

    /// Makes the rows from `first` on transparent.
    func clear(from first: Int = 0) {
        guard first < size.height else { return }
        UnsafeMutableRawBufferPointer(rebasing: bytes[(first * bytesPerRow)...]).initializeMemory(
            as: UInt8.self, repeating: 0)
    }

    /// Returns the pixels as a bitmap. Nothing may be written afterwards.
    /// - Parameters:
    ///   - isOpaque: true if every alpha is known to be 255; otherwise all are checked.
    ///   - isPremultiplied: true if the file stores premultiplied colours and they were not changed since.
    func bitmap(isOpaque: Bool, isPremultiplied: Bool = false) -> Bitmap {
        var isOpaque = isOpaque
        if !isOpaque {
            var alphas: UInt8 = 255
            for y in 0..<size.height {
                guard let row = row(y) else { break }
                alphas &= Self.premultiply(row, width: size.width, isPremultiplied: isPremultiplied)
            }
            isOpaque = alphas == 255
        }
        return Bitmap(
            width: size.width, height: size.height, bytesPerRow: bytesPerRow, isOpaque: isOpaque, storage: storage)
    }

    /// Premultiplies one row.
    /// - Parameter isPremultiplied: as for `bitmap`.
    /// - Returns: all alphas of the row, combined by "and".
    static func premultiply(_ row: UnsafeMutablePointer<UInt8>, width: Int, isPremultiplied: Bool) -> UInt8 {
        isPremultiplied ? clamp(row, width: width) : pixelKernels.premultiply(row, row, width)
    }

    /// Clamps colours to their alpha: those of a lossy premultiplied image may be larger.
    private static func clamp(_ row: UnsafeMutablePointer<UInt8>, width: Int) -> UInt8 {
        var alphas: UInt8 = 255
        for x in 0..<width {
            let pixel = row + x * 4
            let alpha = pixel[3]
            alphas &= alpha
            for channel in 0..<3 { pixel[channel] = min(pixel[channel], alpha) }
        }
        return alphas
    }

    static func unpremultiply(_ row: UnsafeMutablePointer<UInt8>, width: Int) {
        pixelKernels.unpremultiply(row, row, width)
    }
}
