import CPixelKernels

extension ImageProcessors {
    /// Adds the difference to the blurred image once more (unsharp masking).
    struct Sharpen: SizePreservingProcessor {
        var amount = 0.5
        var sigma = 1.0
        var threshold = 0.0

        var identifier: String {
            ProcessorIdentifier("sharpen").adding("amount", amount).adding("sigma", sigma)
                .adding("threshold", threshold).text
        }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
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
    }
}
