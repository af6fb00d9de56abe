extension Bitmap {
    /// Draws rows of premultiplied pixels from 0 to 1, which `fill` writes, over the rows of the image.
    ///
    /// - Parameters:
    ///   - coversAll: true if `fill` writes only opaque pixels.
    ///   - part: the part that `fill` writes; the rest is transparent.
    func blended(
        _ mode: BlendMode, coversAll: Bool = false, part: PixelRect? = nil,
        _ fill: (_ y: Int, _ row: UnsafeMutableBufferPointer<SIMD4<Float>>) -> Void
    ) throws -> Bitmap {
        let memory = try KernelBuffer<SIMD4<Float>>(count: width)
        defer { withExtendedLifetime(memory) {} }
        let row = UnsafeMutableBufferPointer(start: memory.base, count: width)
        return try mappingRows(isOpaque: isOpaque && mode.keepsOpaque(underOpaque: coversAll)) { y, input, output in
            let columns = mode.touches(part, row: y, width: width)
            if columns.count < width { output.update(from: input, count: width * 4) }
            if columns.isEmpty { return }
            fill(y, row)
            for x in columns {
                let pixel = input + x * 4
                let backdrop = SIMD4(Float(pixel[0]), Float(pixel[1]), Float(pixel[2]), Float(pixel[3])) / 255
                var result = mode.blend(row[x], over: backdrop)
                let alpha = min(max(result.w, 0), 1)
                result = result.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: alpha)) * 255 + 0.5
                for channel in 0..<4 { output[x * 4 + channel] = UInt8(result[channel]) }
            }
        }
    }
}

extension BlendMode {
    /// Returns the pixels of a row that can change if only `part` is covered: for most modes those within it.
    fileprivate func touches(_ part: PixelRect?, row: Int, width: Int) -> Range<Int> {
        guard let part else { return 0..<width }
        switch self {
        case .sourceIn, .sourceOut, .destinationIn, .destinationAtop: return 0..<width
        default: return row >= part.y && row < part.y + part.height ? part.x..<part.x + part.width : 0..<0
        }
    }

    /// Returns whether an opaque image stays opaque.
    fileprivate func keepsOpaque(underOpaque coversAll: Bool) -> Bool {
        switch self {
        case .sourceIn, .destinationIn, .destinationAtop: coversAll
        case .sourceOut, .destinationOut, .xor: false
        default: true
        }
    }
}
