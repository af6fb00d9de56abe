extension ImageProcessors {
    /// Cuts off edges of one colour: all rows and columns at the outside that hold nothing else. An image of a single
    /// colour stays as it is.
    public struct Trim: ImageProcessor, Hashable {
        /// By how much a channel may differ from the colour, 0…255.
        public var tolerance: Int
        /// The colour; nil, the default, takes that of the top left pixel.
        public var color: PixelColor?

        public init(tolerance: Int = 10, color: PixelColor? = nil) {
            self.tolerance = tolerance
            self.color = color
        }

        public var identifier: String {
            let identifier = ProcessorIdentifier("trim").adding("tolerance", tolerance)
            return color.map { identifier.adding("c", $0).text } ?? identifier.text
        }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            try Parameter.check(Double(tolerance), "the tolerance", in: 0...255)
            let corner = bitmap[x: 0, y: 0]
            let edge = color?.premultiplied ?? SIMD4(corner.red, corner.green, corner.blue, corner.alpha)
            guard let rect = bitmap.bounds(differingFrom: edge, by: tolerance), rect != bitmap.size.whole else {
                return bitmap
            }
            return try bitmap.copied(from: rect)
        }
    }
}

extension ImageProcessor where Self == ImageProcessors.Trim {
    public static func trim(tolerance: Int = 10, color: PixelColor? = nil) -> Self {
        Self(tolerance: tolerance, color: color)
    }
}

extension Bitmap {
    /// The smallest rectangle with every pixel that differs by more than the tolerance; nil if none does.
    fileprivate func bounds(differingFrom color: SIMD4<UInt8>, by tolerance: Int) -> PixelRect? {
        withUnsafeBytes { bytes in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
            let (red, green, blue, alpha) = (Int(color.x), Int(color.y), Int(color.z), Int(color.w))
            func differs(_ x: Int, _ y: Int) -> Bool {
                let pixel = base + y * bytesPerRow + x * 4
                return abs(Int(pixel[0]) - red) > tolerance || abs(Int(pixel[1]) - green) > tolerance
                    || abs(Int(pixel[2]) - blue) > tolerance || abs(Int(pixel[3]) - alpha) > tolerance
            }
            var (left, right, top, bottom) = (width, -1, -1, -1)
            for y in 0..<height {
                guard let first = (0..<width).first(where: { differs($0, y) }) else { continue }
                if top < 0 { top = y }
                bottom = y
                left = min(left, first)
                // Only columns to the right of what is known already matter.
                var x = width - 1
                while x > max(right, first), !differs(x, y) { x -= 1 }
                right = max(right, x)
            }
            guard top >= 0 else { return nil }
            return PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
        }
    }
}
