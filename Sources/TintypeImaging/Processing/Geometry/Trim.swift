extension ImageProcessors {
    struct Trim: ImageProcessor {
        var tolerance = 10
        var color: PixelColor?

        var identifier: String {
            let identifier = ProcessorIdentifier("trim").adding("tolerance", tolerance)
            return color.map { identifier.adding("c", $0).text } ?? identifier.text
        }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
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

extension Bitmap {
    /// Returns the smallest rectangle with every pixel that differs by more than the tolerance; nil if none does.
    fileprivate func bounds(differingFrom color: SIMD4<UInt8>, by tolerance: Int) -> PixelRect? {
        withUnsafeBytes { bytes in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
            let (red, green, blue, alpha) = (Int(color.x), Int(color.y), Int(color.z), Int(color.w))
            return size.boundingRect { x, y in
                let pixel = base + y * bytesPerRow + x * 4
                return abs(Int(pixel[0]) - red) > tolerance || abs(Int(pixel[1]) - green) > tolerance
                    || abs(Int(pixel[2]) - blue) > tolerance || abs(Int(pixel[3]) - alpha) > tolerance
            }
        }
    }
}
