extension ImageProcessors {
    struct Crop: ImageProcessor {
        enum Area {
            case rect(PixelRect)
            case size(PixelSize, Gravity)
        }

        var area: Area

        var identifier: String {
            switch area {
            case .rect(let rect):
                ProcessorIdentifier("crop").adding("x", rect.x).adding("y", rect.y).adding("w", rect.width)
                    .adding("h", rect.height).text
            case .size(let size, let gravity):
                ProcessorIdentifier("crop").adding("w", size.width).adding("h", size.height)
                    .adding("gravity", gravity).text
            }
        }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
            var rect = try rect(in: bitmap.size)
            if case .size(_, .attention) = area { rect = try bitmap.busiestRect(of: rect.size) }
            return try rect.size == bitmap.size ? bitmap : bitmap.copied(from: rect)
        }

        func outputSize(for size: PixelSize) -> PixelSize? {
            // An empty part is reported by `process`.
            (try? rect(in: size))?.size
        }

        private func rect(in size: PixelSize) throws -> PixelRect {
            switch area {
            case .rect(let rect):
                let part = rect.clipped(to: size)
                guard !part.isEmpty else {
                    throw ImagingError.processorFailed(
                        "the part to crop, \(rect.width)x\(rect.height) at \(rect.x),\(rect.y), lies outside of the "
                            + "image of \(size) pixels")
                }
                return part
            case .size(let wanted, let gravity):
                guard wanted.width > 0, wanted.height > 0 else {
                    throw ImagingError.processorFailed("a part of \(wanted) pixels cannot be cropped")
                }
                return size.rect(
                    of: PixelSize(width: min(wanted.width, size.width), height: min(wanted.height, size.height)),
                    gravity: gravity)
            }
        }
    }
}
