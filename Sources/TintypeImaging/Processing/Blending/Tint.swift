extension ImageProcessors {
    /// Lays a colour over the image; its alpha is the strength.
    public struct Tint: ImageProcessor, Hashable {
        public var color: PixelColor
        /// `.sourceAtop` by default, which stays within the image's outline. `.sourceIn` replaces all colours, as
        /// wanted for symbols.
        public var mode: BlendMode

        public init(_ color: PixelColor, mode: BlendMode = .sourceAtop) {
            self.color = color
            self.mode = mode
        }

        public var identifier: String { ProcessorIdentifier("tint").adding("c", color).adding("mode", mode).text }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            let strength = Double(color.alpha) / 255
            let rgb = SIMD3(Double(color.red), Double(color.green), Double(color.blue)) / 255
            if mode == .sourceAtop {
                // Linear in the image's colours, so the quick way serves.
                return try ColorMatrix(
                    red: SIMD3(1 - strength, 0, 0), green: SIMD3(0, 1 - strength, 0), blue: SIMD3(0, 0, 1 - strength),
                    offset: rgb * strength
                ).apply(to: bitmap)
            }
            let source = SIMD4<Float>(SIMD4(rgb * strength, strength))
            return try bitmap.blended(mode, coversAll: color.alpha == 255) { _, row in
                for x in row.indices { row[x] = source }
            }
        }

        public func outputSize(for size: PixelSize) -> PixelSize? { size }
    }
}

extension ImageProcessor where Self == ImageProcessors.Tint {
    public static func tint(_ color: PixelColor, mode: BlendMode = .sourceAtop) -> Self { Self(color, mode: mode) }
}
