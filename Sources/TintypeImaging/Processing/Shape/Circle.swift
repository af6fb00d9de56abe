extension ImageProcessors {
    /// Cuts the largest circle out of the middle: the result is a square with the length of the shorter side.
    public struct Circle: ImageProcessor, Hashable {
        public var border: BorderStroke?

        public init(border: BorderStroke? = nil) { self.border = border }

        public var identifier: String {
            guard let border else { return ProcessorIdentifier("circle").text }
            return ProcessorIdentifier("circle").adding("bw", border.width).adding("bc", border.color).text
        }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            try border?.check()
            let side = min(bitmap.width, bitmap.height)
            let square = bitmap.size.rect(of: PixelSize(width: side, height: side), gravity: .center)
            let radius = Double(side) / 2
            return try bitmap.clipped(
                square,
                to: RoundedRect(
                    left: 0, top: 0, right: Double(side), bottom: Double(side), radii: (radius, radius, radius, radius)),
                border: border)
        }

        public func outputSize(for size: PixelSize) -> PixelSize? {
            let side = min(size.width, size.height)
            return PixelSize(width: side, height: side)
        }
    }
}

extension ImageProcessor where Self == ImageProcessors.Circle {
    public static func circle(border: BorderStroke? = nil) -> Self { Self(border: border) }
}
