extension Bitmap {
    /// Returns the part of this size, at most that of the image, with the most edges, saturated colours and skin tones.
    /// Among equals, the part nearer to the centre wins.
    func busiestRect(of part: PixelSize) throws -> PixelRect {
        let centered = size.rect(of: part, gravity: .center)
        guard part != size else { return centered }
        // A thumbnail of a hundred pixels is enough.
        let longer = Double(max(width, height))
        let reduction = max(1, longer / 96)
        let small = PixelSize(
            width: max(1, Int((Double(width) / reduction).rounded())),
            height: max(1, Int((Double(height) / reduction).rounded())))
        guard small.width >= 3, small.height >= 3 else { return centered }
        let thumbnail = try resized(by: ResizePlan(source: size, output: small, filter: .box))
        let interest = thumbnail.interestMap()
        let horizontal = Double(small.width) / Double(width)
        let vertical = Double(small.height) / Double(height)
        let window = PixelSize(
            width: min(small.width, max(1, Int((Double(part.width) * horizontal).rounded()))),
            height: min(small.height, max(1, Int((Double(part.height) * vertical).rounded()))))
        var best = (score: -Double.infinity, x: 0, y: 0)
        for y in 0...(small.height - window.height) {
            for x in 0...(small.width - window.width) {
                let offCenter =
                    abs(Double(2 * x + window.width - small.width)) / Double(small.width)
                    + abs(Double(2 * y + window.height - small.height)) / Double(small.height)
                let score = interest.sum(x: x, y: y, width: window.width, height: window.height) * (1 - 0.1 * offCenter)
                if score > best.score * (1 + 1e-9) || best.score == -.infinity { best = (score, x, y) }
            }
        }
        guard best.score > 0 else { return centered }
        return PixelRect(
            x: min(Int((Double(best.x) / horizontal).rounded()), width - part.width),
            y: min(Int((Double(best.y) / vertical).rounded()), height - part.height), width: part.width,
            height: part.height)
    }

    /// Returns the interest of each pixel, summed from the top left corner.
    private func interestMap() -> SummedArea {
        func color(_ x: Int, _ y: Int) -> SIMD4<Double> {
            let pixel = self[x: min(max(x, 0), width - 1), y: min(max(y, 0), height - 1)]
            return SIMD4(Double(pixel.red), Double(pixel.green), Double(pixel.blue), Double(pixel.alpha))
        }
        func brightness(_ color: SIMD4<Double>) -> Double {
            // Alpha counts, so that the edge of an outline does.
            color.x * 0.299 + color.y * 0.587 + color.z * 0.114 + color.w * 0.25
        }
        return SummedArea(width: width, height: height) { x, y in
            let pixel = color(x, y)
            let edge = abs(
                4 * brightness(pixel) - brightness(color(x - 1, y)) - brightness(color(x + 1, y))
                    - brightness(color(x, y - 1)) - brightness(color(x, y + 1)))
            let most = max(pixel.x, pixel.y, pixel.z)
            let least = min(pixel.x, pixel.y, pixel.z)
            let saturation = most > 12 ? (most - least) / most : 0
            return edge / 1020 + 0.15 * saturation * pixel.w / 255 + 0.4 * Self.skinLikeness(pixel)
        }
    }

    /// Returns 0…1 by the direction of the colour: skin of every tone is near (0.78, 0.57, 0.44).
    private static func skinLikeness(_ color: SIMD4<Double>) -> Double {
        let length = (color.x * color.x + color.y * color.y + color.z * color.z).squareRoot()
        guard length > 40 else { return 0 }
        let red = color.x / length - 0.73
        let green = color.y / length - 0.53
        let blue = color.z / length - 0.41
        let distance = (red * red + green * green + blue * blue).squareRoot()
        return max(0, 1 - distance / 0.2)
    }
}

/// Sums over rectangles in constant time.
private struct SummedArea {
    private let stride: Int
    private var sums: [Double]

    init(width: Int, height: Int, _ value: (Int, Int) -> Double) {
        stride = width + 1
        sums = [Double](repeating: 0, count: stride * (height + 1))
        for y in 0..<height {
            var row = 0.0
            for x in 0..<width {
                row += value(x, y)
                sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1] + row
            }
        }
    }

    func sum(x: Int, y: Int, width: Int, height: Int) -> Double {
        let upper = y * stride + x
        let lower = upper + height * stride
        return sums[lower + width] - sums[lower] - sums[upper + width] + sums[upper]
    }
}
