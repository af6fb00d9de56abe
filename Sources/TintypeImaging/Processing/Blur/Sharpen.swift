import CPixelKernels

extension ImageProcessors {
    /// Sharpens by unsharp masking: what a blur would take away is added once more.
    public struct Sharpen: ImageProcessor, Hashable {
        /// How much is added, 0…10; 0.5 to 1 after shrinking a photograph.
        public var amount: Double
        /// Standard deviation of the blur in pixels, above 0, up to 100: the width of the edges that gain.
        public var sigma: Double
        /// Levels, 0…255, by which a pixel must differ from its surroundings to be changed; keeps noise from growing.
        public var threshold: Double

        public init(amount: Double = 0.5, sigma: Double = 1, threshold: Double = 0) {
            self.amount = amount
            self.sigma = sigma
            self.threshold = threshold
        }

        public var identifier: String {
            ProcessorIdentifier("sharpen").adding("amount", amount).adding("sigma", sigma)
                .adding("threshold", threshold).text
        }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            try Parameter.check(amount, "the amount", in: 0...10)
            try Parameter.check(sigma, "the sharpening's sigma", in: 0.1...100)
            try Parameter.check(threshold, "the threshold", in: 0...255)
            if amount == 0 { return bitmap }
            let blurred = try bitmap.blurred(sigma: sigma)
            return try blurred.withUnsafeBytes { blurredBytes in
                guard let reference = blurredBytes.bindMemory(to: UInt8.self).baseAddress else { return bitmap }
                return try bitmap.mappingRows(isOpaque: bitmap.isOpaque) { y, input, output in
                    ck_sharpen(
                        input, reference + y * blurred.bytesPerRow, output, bitmap.width, Float(amount),
                        Float(threshold))
                }
            }
        }

        public func outputSize(for size: PixelSize) -> PixelSize? { size }
    }
}

extension ImageProcessor where Self == ImageProcessors.Sharpen {
    public static func sharpen(amount: Double = 0.5, sigma: Double = 1, threshold: Double = 0) -> Self {
        Self(amount: amount, sigma: sigma, threshold: threshold)
    }
}
