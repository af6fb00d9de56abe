import CPixelKernels

extension Bitmap {
    /// The pixels without premultiplication, rows packed, as encoders want them. Transparent pixels are black.
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
