import CPixelKernels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension ImageProcessors {
    /// Turns the image counter-clockwise about its middle. Multiples of 90° move pixels without changing them; other
    /// angles interpolate (Catmull and Rom) and soften the edges.
    public struct Rotate: ImageProcessor, Hashable {
        /// Degrees, counter-clockwise.
        public var degrees: Double
        /// What shows in the corners.
        public var background: PixelColor
        /// True, the default: the canvas becomes as large as the turned image needs. False: it keeps its size and
        /// what sticks out is cut off.
        public var fitsCanvas: Bool

        public init(degrees: Double, background: PixelColor = .clear, fitsCanvas: Bool = true) {
            self.degrees = degrees
            self.background = background
            self.fitsCanvas = fitsCanvas
        }

        public var identifier: String {
            ProcessorIdentifier("rotate").adding("deg", normalized).adding("bg", background)
                .adding("fit", fitsCanvas).text
        }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            guard degrees.isFinite else {
                throw ImagingError.processorFailed("an image cannot be turned by \(degrees)°")
            }
            let canvas = canvas(for: bitmap.size)
            if fitsCanvas || bitmap.width == bitmap.height || normalized == 180 {
                switch normalized {
                case 0: return bitmap
                case 90: return try bitmap.oriented(.left)
                case 180: return try bitmap.oriented(.down)
                case 270: return try bitmap.oriented(.right)
                default: break
                }
            }
            try canvas.checkAsOutput()
            let (sine, cosine) = Self.sineAndCosine(normalized)
            let isOpaque = bitmap.isOpaque && background.alpha == 255
            return try Bitmap(width: canvas.width, height: canvas.height, isOpaque: isOpaque) { bytes, bytesPerRow in
                guard let output = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
                bitmap.withUnsafeBytes { source in
                    guard let input = source.bindMemory(to: UInt8.self).baseAddress else { return }
                    let ground = background.premultiplied
                    var rotation = ck_rotation(
                        width: Int32(bitmap.width), height: Int32(bitmap.height), sine: sine, cosine: cosine,
                        background: (ground.x, ground.y, ground.z, ground.w))
                    ck_rotate(
                        input, bitmap.bytesPerRow, &rotation, output, bytesPerRow, Int32(canvas.width),
                        Int32(canvas.height))
                }
            }
        }

        public func outputSize(for size: PixelSize) -> PixelSize? { degrees.isFinite ? canvas(for: size) : nil }

        /// From 0 up to 360, so that equal turns have equal identifiers.
        private var normalized: Double {
            let rest = degrees.truncatingRemainder(dividingBy: 360)
            return rest < 0 ? (rest + 360 == 360 ? 0 : rest + 360) : rest + 0
        }

        private func canvas(for size: PixelSize) -> PixelSize {
            guard fitsCanvas else { return size }
            let (sine, cosine) = Self.sineAndCosine(normalized)
            let width = Double(size.width) * abs(cosine) + Double(size.height) * abs(sine)
            let height = Double(size.width) * abs(sine) + Double(size.height) * abs(cosine)
            return PixelSize(
                width: max(1, Int((width - 1e-6).rounded(.up))), height: max(1, Int((height - 1e-6).rounded(.up))))
        }

        private static func sineAndCosine(_ degrees: Double) -> (Double, Double) {
            switch degrees {
            case 0: (0, 1)
            case 90: (1, 0)
            case 180: (0, -1)
            case 270: (-1, 0)
            default: (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
            }
        }
    }
}

extension ImageProcessor where Self == ImageProcessors.Rotate {
    /// - Parameter degrees: counter-clockwise.
    /// - Parameter background: what the corners show that the turned image leaves.
    /// - Parameter fitsCanvas: whether the result grows to hold all of it; else it keeps its size and corners are cut.
    public static func rotate(degrees: Double, background: PixelColor = .clear, fitsCanvas: Bool = true) -> Self {
        Self(degrees: degrees, background: background, fitsCanvas: fitsCanvas)
    }
}
