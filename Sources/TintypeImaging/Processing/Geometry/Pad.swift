extension ImageProcessors {
    struct Pad: ImageProcessor {
        enum Space {
            case insets(top: Int, left: Int, bottom: Int, right: Int)
            case box(PixelSize, Gravity)
        }

        var space: Space
        var color = PixelColor.clear

        var identifier: String {
            switch space {
            case .insets(let top, let left, let bottom, let right):
                ProcessorIdentifier("pad").adding("t", top).adding("l", left).adding("b", bottom)
                    .adding("r", right).adding("c", color).text
            case .box(let box, let gravity):
                ProcessorIdentifier("pad").adding("w", box.width).adding("h", box.height)
                    .adding("gravity", gravity).adding("c", color).text
            }
        }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
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

        func outputSize(for size: PixelSize) -> PixelSize? { (try? layout(size))?.canvas }

        private func layout(_ size: PixelSize) throws -> (canvas: PixelSize, place: PixelRect) {
            let limit = Int(Int32.max)
            switch space {
            case .insets(let top, let left, let bottom, let right):
                for width in [top, left, bottom, right] where width < 0 || width > limit {
                    throw ImagingError.processorFailed("an edge of \(width) pixels cannot be added")
                }
                let canvas = PixelSize(width: size.width + left + right, height: size.height + top + bottom)
                return (canvas, PixelRect(x: left, y: top, width: size.width, height: size.height))
            case .box(let box, let gravity):
                guard box.width > 0, box.height > 0, box.width <= limit, box.height <= limit else {
                    throw ImagingError.processorFailed("an image cannot be placed in a box of \(box) pixels")
                }
                let canvas = PixelSize(width: max(box.width, size.width), height: max(box.height, size.height))
                return (canvas, canvas.rect(of: size, gravity: gravity))
            }
        }
    }
}

extension UnsafeMutableRawPointer {
    /// Writes `count` pixels of one colour.
    func fill(_ pixel: SIMD4<UInt8>, count: Int) {
        let word = unsafeBitCast(pixel, to: UInt32.self)
        for index in 0..<count { storeBytes(of: word, toByteOffset: index * 4, as: UInt32.self) }
    }
}
