extension ImageProcessors {
    /// Lays an image over the image: a watermark, a badge, a mask.
    public struct Overlay: ImageProcessor {
        public var bitmap: Bitmap
        /// Names the overlay in caches: give another one for other pixels.
        public let id: String
        public var gravity: Gravity
        /// Pixels by which the overlay is moved to the right and downwards from where the gravity puts it.
        public var offset: (x: Int, y: Int)
        public var mode: BlendMode
        /// 0…1.
        public var opacity: Double

        public init(
            _ bitmap: Bitmap, id: String, gravity: Gravity = .center, offset: (x: Int, y: Int) = (0, 0),
            mode: BlendMode = .normal, opacity: Double = 1
        ) {
            self.bitmap = bitmap
            self.id = id
            self.gravity = gravity
            self.offset = offset
            self.mode = mode
            self.opacity = opacity
        }

        public var identifier: String {
            ProcessorIdentifier("overlay").adding("id", text: id).adding("gravity", gravity).adding("x", offset.x)
                .adding("y", offset.y).adding("mode", mode).adding("opacity", opacity).text
        }

        public func process(_ image: Bitmap) throws -> Bitmap {
            try Parameter.check(opacity, "the opacity", in: 0...1)
            try Parameter.check(Double(offset.x), "the horizontal offset", in: -1e9...1e9)
            try Parameter.check(Double(offset.y), "the vertical offset", in: -1e9...1e9)
            let left = Int((Double(image.width - bitmap.width) * gravity.offset.x).rounded(.down)) + offset.x
            let top = Int((Double(image.height - bitmap.height) * gravity.offset.y).rounded(.down)) + offset.y
            let strength = Float(opacity) / 255
            let part =
                PixelRect(x: left, y: top, width: bitmap.width, height: bitmap.height)
                .intersection(with: image.size) ?? PixelRect(x: 0, y: 0, width: 0, height: 0)
            return try bitmap.withUnsafeBytes { overlay in
                try image.blended(mode, part: part) { y, row in
                    let line = y - top
                    for x in row.indices {
                        let column = x - left
                        guard line >= 0, line < bitmap.height, column >= 0, column < bitmap.width else {
                            row[x] = .zero
                            continue
                        }
                        let at = line * bitmap.bytesPerRow + column * 4
                        row[x] =
                            SIMD4(
                                Float(overlay[at]), Float(overlay[at + 1]), Float(overlay[at + 2]),
                                Float(overlay[at + 3])) * strength
                    }
                }
            }
        }

        public func outputSize(for size: PixelSize) -> PixelSize? { size }
    }
}

extension ImageProcessor where Self == ImageProcessors.Overlay {
    public static func overlay(
        _ bitmap: Bitmap, id: String, gravity: Gravity = .center, offset: (x: Int, y: Int) = (0, 0),
        mode: BlendMode = .normal, opacity: Double = 1
    ) -> Self { Self(bitmap, id: id, gravity: gravity, offset: offset, mode: mode, opacity: opacity) }
}
