extension Bitmap {
    /// Scales the image to a target. Blocks the calling thread: about 2 milliseconds for two megapixels.
    ///
    /// - Throws: `ImagingError.processorFailed` for a target without a positive side, `imageTooLarge` for a result of
    ///   more pixels than `pixelLimit`.
    public func resized(
        to target: ResizeTarget, pixelLimit: Int = DecodeLimits().maximumPixelCount
    ) throws -> Bitmap {
        try resized(by: ResizePlan(source: size, target: target, pixelLimit: pixelLimit))
    }

    /// Scales the image by a plan for its size.
    package func resized(by plan: ResizePlan, form: PixelKernelForm = .best) throws -> Bitmap {
        guard plan.source == size else {
            throw ImagingError.processorFailed("a plan for \(plan.source) pixels was used on \(size)")
        }
        if plan.isIdentity { return self }
        let scaled = try Bitmap(width: plan.scaled.width, height: plan.scaled.height, isOpaque: isOpaque) {
            bytes, bytesPerRow in
            guard let output = bytes.baseAddress else { return }
            let resampler = try plan.makeResampler(
                into: ResampleDestination(base: output.assumingMemoryBound(to: UInt8.self), bytesPerRow: bytesPerRow),
                form: form)
            withUnsafeBytes { source in
                guard let input = source.baseAddress else { return }
                resampler.push(input.assumingMemoryBound(to: UInt8.self), bytesPerRow: self.bytesPerRow, count: height)
            }
        }
        return try plan.cut(scaled)
    }
}

extension ResizePlan {
    /// Cuts scaled pixels to the final size, where that depends on the pixels.
    func cut(_ scaled: Bitmap) throws -> Bitmap {
        try scaled.size == output ? scaled : scaled.copied(from: scaled.busiestRect(of: output))
    }
}
