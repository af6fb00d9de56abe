extension Bitmap {
    /// Lays rows of premultiplied pixels from 0 to 1, which `fill` writes, over the rows of the picture.
    ///
    /// - Parameter coversAll: true if `fill` writes opaque pixels only.
    func blended(
        _ mode: BlendMode, coversAll: Bool = false,
        _ fill: (_ y: Int, _ row: UnsafeMutableBufferPointer<SIMD4<Float>>) -> Void
    ) throws -> Bitmap {
        let row = UnsafeMutableBufferPointer<SIMD4<Float>>.allocate(capacity: width)
        defer { row.deallocate() }
        row.initialize(repeating: .zero)
        return try mappingRows(isOpaque: isOpaque && mode.keepsOpaque(underOpaque: coversAll)) { y, input, output in
            fill(y, row)
            for x in 0..<width {
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
    /// Whether an opaque picture stays opaque.
    fileprivate func keepsOpaque(underOpaque coversAll: Bool) -> Bool {
        switch self {
        case .sourceIn, .destinationIn, .destinationAtop: coversAll
        case .sourceOut, .destinationOut, .xor: false
        default: true
        }
    }
}
