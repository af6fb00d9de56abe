import CPixelKernels

extension Bitmap {
    /// The image over a colour, without transparency.
    /// - Parameter background: 0xRRGGBB.
    public func flattened(over background: UInt32) throws -> Bitmap {
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

    /// The same pixels, known to be opaque or not.
    package func marked(isOpaque: Bool) -> Bitmap {
        guard isOpaque != self.isOpaque else { return self }
        return Bitmap(width: width, height: height, bytesPerRow: bytesPerRow, isOpaque: isOpaque, storage: storage)
    }
}
