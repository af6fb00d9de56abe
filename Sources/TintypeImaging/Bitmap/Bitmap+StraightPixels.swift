extension Bitmap {
    /// The pixels without premultiplication, rows packed, as encoders want them. Transparent pixels are black.
    package func straightPixels() -> [UInt8] {
        let rowLength = width * 4
        return [UInt8](unsafeUninitializedCapacity: rowLength * height) { output, count in
            withUnsafeBytes { bytes in
                for y in 0..<height {
                    for x in stride(from: 0, to: rowLength, by: 4) {
                        let (source, target) = (y * bytesPerRow + x, y * rowLength + x)
                        let alpha = UInt32(bytes[source + 3])
                        for channel in 0..<3 {
                            let value = UInt32(bytes[source + channel])
                            output[target + channel] =
                                alpha == 0 ? 0 : UInt8(min(255, (value * 255 + alpha / 2) / alpha))
                        }
                        output[target + 3] = UInt8(alpha)
                    }
                }
            }
            count = rowLength * height
        }
    }
}
