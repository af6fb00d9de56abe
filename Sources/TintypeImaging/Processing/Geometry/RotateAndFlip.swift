import CPixelKernels
import TintypeBase

extension ImageProcessors {
    struct Rotate: ImageProcessor {
        var degrees: Double
        var background = PixelColor.clear
        var fitsCanvas = true

        var identifier: String {
            ProcessorIdentifier("rotate").adding("deg", normalized).adding("bg", background)
                .adding("fit", fitsCanvas).text
        }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
            guard degrees.isFinite else {
                throw ImagingError.processorFailed("an image cannot be rotated by \(degrees)°")
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

        func outputSize(for size: PixelSize) -> PixelSize? { degrees.isFinite ? canvas(for: size) : nil }

        /// The angle from 0 up to 360, so that equal rotations have equal identifiers.
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

    struct Flip: SizePreservingProcessor {
        var axis: StandardProcessor.FlipAxis

        var identifier: String { ProcessorIdentifier("flip").adding("axis", axis).text }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
            try bitmap.oriented(axis == .horizontal ? .upMirrored : .downMirrored)
        }
    }
}
