/// Where one image differs from another of the same size: what an encoder has to write of it.
struct FrameDifference: Hashable {
    /// The smallest rectangle around all pixels that differ; nil if there are none.
    var rect: PixelRect?

    /// Compares premultiplied pixels.
    init(_ old: Bitmap, _ new: Bitmap) {
        let (width, height) = (new.width, new.height)
        var left = width
        var right = -1
        var top = height
        var bottom = -1
        old.withUnsafeBytes { oldBytes in
            new.withUnsafeBytes { newBytes in
                guard let oldBase = oldBytes.baseAddress, let newBase = newBytes.baseAddress else { return }
                for y in 0..<height {
                    let oldRow = (oldBase + y * old.bytesPerRow).assumingMemoryBound(to: UInt32.self)
                    let newRow = (newBase + y * new.bytesPerRow).assumingMemoryBound(to: UInt32.self)
                    guard let first = Self.firstDifference(oldRow, newRow, from: 0, to: width) else { continue }
                    var last = width - 1
                    while oldRow[last] == newRow[last] { last -= 1 }
                    left = min(left, first)
                    right = max(right, last)
                    top = min(top, y)
                    bottom = y
                }
            }
        }
        if right >= 0 {
            rect = PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
        }
    }

    private static func firstDifference(
        _ old: UnsafePointer<UInt32>, _ new: UnsafePointer<UInt32>, from start: Int, to end: Int
    ) -> Int? {
        var x = start
        while x < end {
            if old[x] != new[x] { return x }
            x &+= 1
        }
        return nil
    }
}

extension Bitmap {
    /// A copy of a part, which must lie within the bitmap.
    ///
    /// - Parameter base: pixels that are equal to those of this bitmap become transparent.
    func part(_ rect: PixelRect, withoutPixelsOf base: Bitmap? = nil) throws -> Bitmap {
        try Bitmap(width: rect.width, height: rect.height, isOpaque: isOpaque && base == nil) { target, bytesPerRow in
            withUnsafeBytes { source in
                guard let from = source.baseAddress, let to = target.baseAddress else { return }
                let offset = rect.x * 4
                for y in 0..<rect.height {
                    (to + y * bytesPerRow).copyMemory(
                        from: from + (rect.y + y) * self.bytesPerRow + offset, byteCount: rect.width * 4)
                }
                guard let base else { return }
                base.withUnsafeBytes { below in
                    guard let below = below.baseAddress else { return }
                    for y in 0..<rect.height {
                        let row = (to + y * bytesPerRow).assumingMemoryBound(to: UInt32.self)
                        let old = (below + (rect.y + y) * base.bytesPerRow + offset).assumingMemoryBound(
                            to: UInt32.self)
                        for x in 0..<rect.width where row[x] == old[x] { row[x] = 0 }
                    }
                }
            }
        }
    }
}
