extension Bitmap {
    /// Returns the most frequent colour. Similar colours count together, transparent pixels do not count. Nil for an image
    /// without a visible pixel.
    public func dominantColor() throws -> PixelColor? {
        let pixels = try reduced(toFit: 64).straightChannels().filter { $0.w > 0.03 }
        // Sixteen steps a channel; each pixel is shared between the nearest steps.
        var counts = [SIMD3<Int>: Double]()
        for pixel in pixels {
            let place = SIMD3<Double>(pixel.x, pixel.y, pixel.z) * 16 - 0.5
            let lower = place.rounded(.down)
            let fraction = place - lower
            for corner in 0..<8 {
                let offset = SIMD3<Double>(Double(corner & 1), Double(corner >> 1 & 1), Double(corner >> 2))
                let share: SIMD3<Double> = offset * fraction + (1 - offset) * (1 - fraction)
                counts[SIMD3<Int>(lower + offset), default: 0] += share.x * share.y * share.z * pixel.w
            }
        }
        guard
            let center = counts.max(by: { first, second in
                // The order of a dictionary must not decide between equal counts.
                first.value != second.value ? first.value < second.value : first.key.isBefore(second.key)
            })?.key
        else { return nil }
        let middle = (SIMD3<Double>(center) + 0.5) / 16
        var sum = SIMD4<Double>.zero
        for pixel in pixels {
            let distance = SIMD3<Double>(pixel.x, pixel.y, pixel.z) - middle
            guard (distance * distance).sum() < 0.01 else { continue }
            sum += SIMD4<Double>(pixel.x * pixel.w, pixel.y * pixel.w, pixel.z * pixel.w, pixel.w)
        }
        return Self.color(sum.w > 0 ? sum / sum.w : SIMD4(middle, 1))
    }

    /// Returns the mean colour of the visible pixels, with the mean alpha; transparent if there are none.
    public func averageColor() throws -> PixelColor {
        let pixels = try reduced(toFit: 64).straightChannels()
        var sum = SIMD4<Double>.zero
        for pixel in pixels { sum += SIMD4<Double>(pixel.x * pixel.w, pixel.y * pixel.w, pixel.z * pixel.w, pixel.w) }
        guard sum.w > 0 else { return .clear }
        var color = Self.color(sum / sum.w)
        color.alpha = UInt8((sum.w / Double(pixels.count) * 255).rounded())
        return color
    }

    private static func color(_ channels: SIMD4<Double>) -> PixelColor {
        let numbers = (channels.clamped(lowerBound: .zero, upperBound: .one) * 255).rounded(.toNearestOrAwayFromZero)
        return PixelColor(red: UInt8(numbers.x), green: UInt8(numbers.y), blue: UInt8(numbers.z))
    }

    /// Returns the image scaled down for statistics; the same image if it is small.
    func reduced(toFit side: Int) throws -> Bitmap {
        try resized(
            to: ResizeTarget(width: side, height: side, allowsUpscaling: false, filter: .box))
    }

    /// Returns the pixels without premultiplication, from 0 to 1.
    func straightChannels() -> [SIMD4<Double>] {
        withUnsafeBytes { bytes in
            (0..<height).flatMap { y in
                (0..<width).map { x in
                    let at = y * bytesPerRow + x * 4
                    let alpha = Double(bytes[at + 3])
                    guard alpha > 0 else { return .zero }
                    return SIMD4(
                        min(1, Double(bytes[at]) / alpha), min(1, Double(bytes[at + 1]) / alpha),
                        min(1, Double(bytes[at + 2]) / alpha), alpha / 255)
                }
            }
        }
    }
}

extension SIMD3<Int> {
    fileprivate func isBefore(_ other: SIMD3<Int>) -> Bool {
        (x, y, z) < (other.x, other.y, other.z)
    }
}
