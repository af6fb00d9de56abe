extension Bitmap {
    /// Returns the smallest rectangle around all pixels that differ from another bitmap of the same size; nil if the two
    /// are equal.
    func difference(from other: Bitmap) -> PixelRect? {
        withUnsafeBytes { mine in
            other.withUnsafeBytes { theirs in
                guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return nil }
                return size.boundingRect { x, y in
                    mine.load(fromByteOffset: y * bytesPerRow + x * 4, as: UInt32.self)
                        != theirs.load(fromByteOffset: y * other.bytesPerRow + x * 4, as: UInt32.self)
                }
            }
        }
    }

    func hasSamePixels(as other: Bitmap) -> Bool { size == other.size && difference(from: other) == nil }

    /// Copies a part, in which pixels that are equal to those of `base` become transparent.
    func part(_ rect: PixelRect, withoutPixelsOf base: Bitmap) throws -> Bitmap {
        try Bitmap(width: rect.width, height: rect.height) { target, targetBytesPerRow in
            withUnsafeBytes { mine in
                base.withUnsafeBytes { below in
                    for y in 0..<rect.height {
                        for x in 0..<rect.width {
                            let (column, row) = (rect.x + x, rect.y + y)
                            let pixel = mine.load(fromByteOffset: row * bytesPerRow + column * 4, as: UInt32.self)
                            let old = below.load(fromByteOffset: row * base.bytesPerRow + column * 4, as: UInt32.self)
                            target.storeBytes(
                                of: pixel == old ? 0 : pixel, toByteOffset: y * targetBytesPerRow + x * 4,
                                as: UInt32.self)
                        }
                    }
                }
            }
        }
    }
}
