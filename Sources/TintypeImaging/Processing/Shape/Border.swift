extension ImageProcessors {
    /// Draws a border along the edges: over the image's own pixels, or around them, in which case the image grows.
    public struct Border: ImageProcessor, Hashable {
        public enum Position: String, Sendable, Hashable, CaseIterable {
            /// Over the outermost pixels; the size stays.
            case inside
            /// Around the image; the size grows by twice the width, which is rounded to whole pixels.
            case outside
        }

        public var stroke: BorderStroke
        public var position: Position

        public init(_ stroke: BorderStroke, position: Position = .inside) {
            self.stroke = stroke
            self.position = position
        }

        public var identifier: String {
            ProcessorIdentifier("border").adding("w", stroke.width).adding("c", stroke.color)
                .adding("at", position).text
        }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            try stroke.check()
            switch position {
            case .inside:
                let shape = RoundedRect(
                    left: 0, top: 0, right: Double(bitmap.width), bottom: Double(bitmap.height), radii: (0, 0, 0, 0))
                return try bitmap.clipped(bitmap.size.whole, to: shape, border: stroke)
            case .outside:
                let width = Int(stroke.width.rounded())
                return try Pad(Pad.Insets(all: width), color: stroke.color).process(bitmap)
            }
        }

        public func outputSize(for size: PixelSize) -> PixelSize? {
            guard position == .outside, (0...10_000).contains(stroke.width) else { return size }
            let width = Int(stroke.width.rounded())
            return PixelSize(width: size.width + 2 * width, height: size.height + 2 * width)
        }
    }
}

extension ImageProcessor where Self == ImageProcessors.Border {
    public static func border(
        width: Double, color: PixelColor, position: ImageProcessors.Border.Position = .inside
    ) -> Self { Self(BorderStroke(width: width, color: color), position: position) }
}
