extension ImageProcessors {
    /// Cuts a part out of the image. What of the part lies outside of the image is left out; if nothing is left,
    /// processing fails.
    public struct Crop: ImageProcessor, Hashable {
        public enum Area: Sendable, Hashable {
            case rect(PixelRect)
            /// A part of this size, or as much of it as there is, where the gravity says.
            case size(PixelSize, Gravity)
        }

        public var area: Area

        public init(_ area: Area) { self.area = area }

        public var identifier: String {
            switch area {
            case .rect(let rect):
                ProcessorIdentifier("crop").adding("x", rect.x).adding("y", rect.y).adding("w", rect.width)
                    .adding("h", rect.height).text
            case .size(let size, let gravity):
                ProcessorIdentifier("crop").adding("w", size.width).adding("h", size.height)
                    .adding("gravity", gravity).text
            }
        }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            var rect = try rect(in: bitmap.size)
            if case .size(_, .attention) = area { rect = try bitmap.busiestRect(of: rect.size) }
            return try rect.size == bitmap.size ? bitmap : bitmap.copied(from: rect)
        }

        public func outputSize(for size: PixelSize) -> PixelSize? {
            // An empty part is reported by `process`.
            (try? rect(in: size))?.size
        }

        private func rect(in size: PixelSize) throws -> PixelRect {
            switch area {
            case .rect(let rect):
                guard let part = rect.intersection(with: size) else {
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

extension ImageProcessor where Self == ImageProcessors.Crop {
    public static func crop(_ rect: PixelRect) -> Self { Self(.rect(rect)) }

    public static func crop(x: Int, y: Int, width: Int, height: Int) -> Self {
        Self(.rect(PixelRect(x: x, y: y, width: width, height: height)))
    }

    public static func crop(width: Int, height: Int, gravity: Gravity = .center) -> Self {
        Self(.size(PixelSize(width: width, height: height), gravity))
    }
}

extension PixelRect {
    var size: PixelSize { PixelSize(width: width, height: height) }

    /// The part within an image of this size; nil if there is none. Coordinates of any magnitude are welcome.
    func intersection(with size: PixelSize) -> PixelRect? {
        guard width > 0, height > 0 else { return nil }
        let right = min(x.addingReportingOverflow(width).overflow ? .max : x + width, size.width)
        let bottom = min(y.addingReportingOverflow(height).overflow ? .max : y + height, size.height)
        let left = max(x, 0)
        let top = max(y, 0)
        guard left < right, top < bottom else { return nil }
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}

extension PixelSize {
    var whole: PixelRect { PixelRect(x: 0, y: 0, width: width, height: height) }

    /// Where a part of a size that fits goes; halves are rounded towards the top left.
    func rect(of part: PixelSize, gravity: Gravity) -> PixelRect {
        PixelRect(
            x: Int(Double(width - part.width) * gravity.offset.x),
            y: Int(Double(height - part.height) * gravity.offset.y), width: part.width, height: part.height)
    }
}
