import CPixelKernels

extension Bitmap {
    /// The pixels without premultiplication, rows packed, as encoders want them. Transparent pixels are black.
    package func straightPixels() -> [UInt8] {
        let rowLength = width * 4
        return [UInt8](unsafeUninitializedCapacity: rowLength * height) { output, count in
            withUnsafeBytes { bytes in
                guard let source = bytes.bindMemory(to: UInt8.self).baseAddress, let target = output.baseAddress else {
                    return
                }
                for y in 0..<height {
                    pixelKernels.unpremultiply(target + y * rowLength, source + y * bytesPerRow, width)
                }
            }
            count = rowLength * height
        }
    }
}
