extension ImageProcessors {
    struct ColorControls: SizePreservingProcessor {
        var brightness = 0.0
        var contrast = 1.0
        var saturation = 1.0

        var identifier: String {
            ProcessorIdentifier("color").adding("b", brightness).adding("c", contrast).adding("s", saturation).text
        }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
            try Parameter.check(brightness, "the brightness", in: -1...1)
            try Parameter.check(contrast, "the contrast", in: 0...100)
            try Parameter.check(saturation, "the saturation", in: 0...100)
            return try ColorMatrix.saturation(saturation)
                .then(.levels(factor: contrast, brightness: brightness)).apply(to: bitmap)
        }
    }

    struct Grayscale: SizePreservingProcessor {
        var amount = 1.0

        var identifier: String { ProcessorIdentifier("grayscale").adding("amount", amount).text }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
            try Parameter.check(amount, "the amount", in: 0...1)
            return try ColorMatrix.saturation(1 - amount).apply(to: bitmap)
        }
    }

    /// Applies the matrix of the Filter Effects Module Level 1, §9.
    struct Sepia: SizePreservingProcessor {
        var amount = 1.0

        var identifier: String { ProcessorIdentifier("sepia").adding("amount", amount).text }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
            try Parameter.check(amount, "the amount", in: 0...1)
            let sepia = ColorMatrix(
                red: SIMD3(0.393, 0.349, 0.272), green: SIMD3(0.769, 0.686, 0.534), blue: SIMD3(0.189, 0.168, 0.131),
                offset: .zero)
            return try sepia.mixed(amount).apply(to: bitmap)
        }
    }
}
