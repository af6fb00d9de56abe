/// Work on pixels that are not premultiplied yet, as most files store them.
enum StraightPixels {
    /// Premultiplies rows of RGBA in place, rounding to nearest.
    static func premultiply(_ pixels: UnsafeMutableRawBufferPointer, width: Int, height: Int, bytesPerRow: Int) {
        guard let base = pixels.baseAddress else { return }
        for y in 0..<height {
            let row = (base + y * bytesPerRow).assumingMemoryBound(to: UInt8.self)
            for x in 0..<width {
                let pixel = row + x * 4
                let alpha = UInt32(pixel[3])
                if alpha == 255 { continue }
                for channel in 0..<3 {
                    // Exact rounding of c * a / 255 for all byte values.
                    let product = UInt32(pixel[channel]) * alpha + 128
                    pixel[channel] = UInt8((product + product >> 8) >> 8)
                }
            }
        }
    }
}
