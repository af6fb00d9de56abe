extension ImageProcessors {
    /// Lays the image over a ground of one colour, so that nothing shows through any more.
    public struct Background: ImageProcessor, Hashable {
        public var color: PixelColor

        public init(_ color: PixelColor) { self.color = color }

        public var identifier: String { ProcessorIdentifier("background").adding("c", color).text }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            if bitmap.isOpaque { return bitmap }
            let ground = color.premultiplied
            return try bitmap.mappingRows(isOpaque: color.alpha == 255) { _, input, output in
                for index in 0..<bitmap.width {
                    let pixel = input + index * 4
                    let rest = 255 - pixel[3]
                    for channel in 0..<4 {
                        output[index * 4 + channel] = pixel[channel] + multiply(ground[channel], rest)
                    }
                }
            }
        }

        public func outputSize(for size: PixelSize) -> PixelSize? { size }
    }
}

extension ImageProcessor where Self == ImageProcessors.Background {
    public static func background(_ color: PixelColor) -> Self { Self(color) }
}
