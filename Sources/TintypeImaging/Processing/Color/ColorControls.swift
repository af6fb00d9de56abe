extension ImageProcessors {
    /// Brightness, contrast and saturation, in this order: saturation first, then contrast, then brightness.
    public struct ColorControls: ImageProcessor, Hashable {
        /// Added to every channel: -1 makes everything black, 0 changes nothing, 1 makes everything white.
        public var brightness: Double
        /// Distances from middle grey are multiplied by it: 0 leaves only grey, 1 changes nothing. Up to 100.
        public var contrast: Double
        /// 0 leaves shades of grey, 1 changes nothing. Up to 100.
        public var saturation: Double

        public init(brightness: Double = 0, contrast: Double = 1, saturation: Double = 1) {
            self.brightness = brightness
            self.contrast = contrast
            self.saturation = saturation
        }

        public var identifier: String {
            ProcessorIdentifier("color").adding("b", brightness).adding("c", contrast).adding("s", saturation).text
        }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            try Parameter.check(brightness, "the brightness", in: -1...1)
            try Parameter.check(contrast, "the contrast", in: 0...100)
            try Parameter.check(saturation, "the saturation", in: 0...100)
            return try ColorMatrix.saturation(saturation)
                .then(.levels(factor: contrast, brightness: brightness)).apply(to: bitmap)
        }

        public func outputSize(for size: PixelSize) -> PixelSize? { size }
    }

    /// Takes the colour out, by the brightness of each pixel (ITU-R BT.709).
    public struct Grayscale: ImageProcessor, Hashable {
        /// 0 changes nothing, 1 takes all colour out.
        public var amount: Double

        public init(amount: Double = 1) { self.amount = amount }

        public var identifier: String { ProcessorIdentifier("grayscale").adding("amount", amount).text }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            try Parameter.check(amount, "the amount", in: 0...1)
            return try ColorMatrix.saturation(1 - amount).apply(to: bitmap)
        }

        public func outputSize(for size: PixelSize) -> PixelSize? { size }
    }

    /// The brown of old photographs: the matrix of the Filter Effects module (CSS), §9.
    public struct Sepia: ImageProcessor, Hashable {
        /// 0 changes nothing, 1 is all brown.
        public var amount: Double

        public init(amount: Double = 1) { self.amount = amount }

        public var identifier: String { ProcessorIdentifier("sepia").adding("amount", amount).text }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            try Parameter.check(amount, "the amount", in: 0...1)
            let sepia = ColorMatrix(
                red: SIMD3(0.393, 0.349, 0.272), green: SIMD3(0.769, 0.686, 0.534), blue: SIMD3(0.189, 0.168, 0.131),
                offset: .zero)
            return try sepia.mixed(amount).apply(to: bitmap)
        }

        public func outputSize(for size: PixelSize) -> PixelSize? { size }
    }
}

extension ImageProcessor where Self == ImageProcessors.ColorControls {
    public static func colorControls(brightness: Double = 0, contrast: Double = 1, saturation: Double = 1) -> Self {
        Self(brightness: brightness, contrast: contrast, saturation: saturation)
    }
}

extension ImageProcessor where Self == ImageProcessors.Grayscale {
    public static func grayscale(amount: Double = 1) -> Self { Self(amount: amount) }
}

extension ImageProcessor where Self == ImageProcessors.Sepia {
    public static func sepia(amount: Double = 1) -> Self { Self(amount: amount) }
}
