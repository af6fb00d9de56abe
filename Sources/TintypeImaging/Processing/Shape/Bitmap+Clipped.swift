extension Bitmap {
    /// Returns the part of the image inside of the outline, with a border along it; the rest is transparent.
    ///
    /// - Parameters:
    ///   - rect: lies within the image; the result has its size.
    ///   - shape: counts from the rectangle's corner.
    func clipped(_ rect: PixelRect, to shape: RoundedRect, border: BorderStroke?) throws -> Bitmap {
        let width = rect.width
        let border = border.flatMap { $0.width > 0 && $0.color.alpha > 0 ? $0 : nil }
        let content = border.map { shape.inset(by: $0.width) } ?? shape
        let isWhole =
            isOpaque && shape.radii == (0, 0, 0, 0) && shape.left <= 0 && shape.top <= 0
            && shape.right >= Double(width) && shape.bottom >= Double(rect.height)
        return try makingRows(width: width, height: rect.height, isOpaque: isWhole) { y, pixels, output in
            let input = pixels + (rect.y + y) * bytesPerRow + rect.x * 4
            let outer = shape.spans(row: y, width: width).outer
            let inner = content.spans(row: y, width: width).inner
            output.update(repeating: 0, count: outer.lowerBound * 4)
            (output + outer.upperBound * 4).update(repeating: 0, count: (width - outer.upperBound) * 4)
            (output + inner.lowerBound * 4).update(from: input + inner.lowerBound * 4, count: inner.count * 4)
            for part in [
                outer.lowerBound..<max(outer.lowerBound, min(inner.lowerBound, outer.upperBound)),
                max(outer.lowerBound, inner.upperBound)..<outer.upperBound,
            ] {
                for x in part {
                    let pixel = SIMD4(input[x * 4], input[x * 4 + 1], input[x * 4 + 2], input[x * 4 + 3])
                    let mixed = Self.mix(pixel, shape.coverage(x: x, y: y), border?.color, content.coverage(x: x, y: y))
                    for channel in 0..<4 { output[x * 4 + channel] = mixed[channel] }
                }
            }
        }
    }

    /// Mixes the part `within` of the pixel with the border over it in the rest of what the outline covers.
    private static func mix(
        _ pixel: SIMD4<UInt8>, _ covered: Double, _ border: PixelColor?, _ within: Double
    ) -> SIMD4<UInt8> {
        let source = SIMD4<Double>(pixel)
        guard let border else { return SIMD4<UInt8>((source * covered).rounded(.toNearestOrAwayFromZero)) }
        let line = SIMD4<Double>(border.premultiplied)
        let over = line + source * (1 - line.w / 255)
        let result = source * within + over * max(0, covered - within)
        return SIMD4<UInt8>(clamping: SIMD4<Int>(result.rounded(.toNearestOrAwayFromZero)))
    }
}
