extension ImageProcessors {
    /// Sets the image on a larger ground: edges of given widths, or the middle (or another place) of a box.
    public struct Pad: ImageProcessor, Hashable {
        /// Widths of the edges in pixels, not negative.
        public struct Insets: Sendable, Hashable {
            public var top: Int
            public var left: Int
            public var bottom: Int
            public var right: Int

            public init(top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0) {
                self.top = top
                self.left = left
                self.bottom = bottom
                self.right = right
            }

            public init(all width: Int) { self.init(top: width, left: width, bottom: width, right: width) }
        }

        public enum Space: Sendable, Hashable {
            case insets(Insets)
            /// A box; a side that is smaller than the image's grows to it, nothing is cut off.
            case box(PixelSize, Gravity)
        }

        public var space: Space
        public var color: PixelColor

        public init(_ insets: Insets, color: PixelColor = .clear) {
            space = .insets(insets)
            self.color = color
        }

        public init(toFill box: PixelSize, gravity: Gravity = .center, color: PixelColor = .clear) {
            space = .box(box, gravity)
            self.color = color
        }

        public var identifier: String {
            switch space {
            case .insets(let insets):
                ProcessorIdentifier("pad").adding("t", insets.top).adding("l", insets.left)
                    .adding("b", insets.bottom).adding("r", insets.right).adding("c", color).text
            case .box(let box, let gravity):
                ProcessorIdentifier("pad").adding("w", box.width).adding("h", box.height)
                    .adding("gravity", gravity).adding("c", color).text
            }
        }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            let (canvas, place) = try layout(bitmap.size)
            if canvas == bitmap.size { return bitmap }
            let ground = color.premultiplied
            return try bitmap.makingRows(
                width: canvas.width, height: canvas.height, isOpaque: bitmap.isOpaque && color.alpha == 255
            ) { y, input, output in
                let row = y - place.y
                let holdsImage = row >= 0 && row < bitmap.height
                let before = holdsImage ? place.x : canvas.width
                UnsafeMutableRawPointer(output).fill(ground, count: before)
                guard holdsImage else { return }
                (output + before * 4).update(from: input + row * bitmap.bytesPerRow, count: bitmap.width * 4)
                let after = before + bitmap.width
                UnsafeMutableRawPointer(output + after * 4).fill(ground, count: canvas.width - after)
            }
        }

        public func outputSize(for size: PixelSize) -> PixelSize? { (try? layout(size))?.canvas }

        private func layout(_ size: PixelSize) throws -> (canvas: PixelSize, place: PixelRect) {
            let limit = Int(Int32.max)
            switch space {
            case .insets(let insets):
                for width in [insets.top, insets.left, insets.bottom, insets.right] where width < 0 || width > limit {
                    throw ImagingError.processorFailed("an edge of \(width) pixels cannot be added")
                }
                let canvas = PixelSize(
                    width: size.width + insets.left + insets.right, height: size.height + insets.top + insets.bottom)
                return (
                    canvas, PixelRect(x: insets.left, y: insets.top, width: size.width, height: size.height)
                )
            case .box(let box, let gravity):
                guard box.width > 0, box.height > 0, box.width <= limit, box.height <= limit else {
                    throw ImagingError.processorFailed("an image cannot be set on a ground of \(box) pixels")
                }
                let canvas = PixelSize(width: max(box.width, size.width), height: max(box.height, size.height))
                return (canvas, canvas.rect(of: size, gravity: gravity))
            }
        }
    }
}

extension ImageProcessor where Self == ImageProcessors.Pad {
    /// Edges on all four sides.
    public static func pad(_ width: Int, color: PixelColor = .clear) -> Self {
        Self(ImageProcessors.Pad.Insets(all: width), color: color)
    }

    public static func pad(_ insets: ImageProcessors.Pad.Insets, color: PixelColor = .clear) -> Self {
        Self(insets, color: color)
    }

    public static func pad(
        toWidth width: Int, height: Int, gravity: Gravity = .center, color: PixelColor = .clear
    ) -> Self { Self(toFill: PixelSize(width: width, height: height), gravity: gravity, color: color) }
}

extension UnsafeMutableRawPointer {
    /// `count` pixels of one colour.
    func fill(_ pixel: SIMD4<UInt8>, count: Int) {
        let word = unsafeBitCast(pixel, to: UInt32.self)
        for index in 0..<count { storeBytes(of: word, toByteOffset: index * 4, as: UInt32.self) }
    }
}
