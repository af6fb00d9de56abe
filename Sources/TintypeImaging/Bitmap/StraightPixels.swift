#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The memory of a picture that is not premultiplied and not sRGB yet, as codec libraries give it: RGBA, 8 bits each,
/// top row first. Filled by one decoder, then turned into a `Bitmap` once.
struct StraightPixels {
    let size: PixelSize
    let bytesPerRow: Int
    let storage: PixelStorage

    /// The memory is **not** cleared.
    /// - Throws: `imageTooLarge` for a size that no bitmap can have. The decoder has checked its limits before.
    init(size: PixelSize) throws {
        self.size = size
        bytesPerRow = try Bitmap.bytesPerRow(width: size.width, height: size.height)
        storage = PixelStorage(byteCount: bytesPerRow * size.height)
    }

    var bytes: UnsafeMutableRawBufferPointer { storage.bytes }

    func row(_ y: Int) -> UnsafeMutablePointer<UInt8>? {
        storage.bytes.baseAddress.map { ($0 + y * bytesPerRow).assumingMemoryBound(to: UInt8.self) }
    }

    /// Makes the rows from `first` on transparent.
    func clear(from first: Int = 0) {
        guard first < size.height else { return }
        UnsafeMutableRawBufferPointer(rebasing: bytes[(first * bytesPerRow)...]).initializeMemory(
            as: UInt8.self, repeating: 0)
    }

    /// The finished bitmap. Nothing may be written afterwards.
    /// - Parameter isOpaque: true if every alpha is known to be 255; otherwise it is found out here.
    func bitmap(isOpaque: Bool) -> Bitmap {
        var isOpaque = isOpaque
        if !isOpaque {
            var alphas: UInt8 = 255
            for y in 0..<size.height {
                if let row = row(y) { alphas &= Self.premultiply(row, width: size.width) }
            }
            isOpaque = alphas == 255
        }
        return Bitmap(
            width: size.width, height: size.height, bytesPerRow: bytesPerRow, isOpaque: isOpaque, storage: storage)
    }

    /// Premultiplies one row in place, rounding to nearest. Returns the AND of all alphas.
    private static func premultiply(_ row: UnsafeMutablePointer<UInt8>, width: Int) -> UInt8 {
        var alphas: UInt8 = 255
        for x in 0..<width {
            let pixel = row + x * 4
            alphas &= pixel[3]
            let alpha = UInt32(pixel[3])
            if alpha == 255 { continue }
            for channel in 0..<3 {
                // Exact rounding of c * a / 255 for all byte values.
                let product = UInt32(pixel[channel]) * alpha + 128
                pixel[channel] = UInt8((product + product >> 8) >> 8)
            }
        }
        return alphas
    }
}
