extension Bitmap {
    /// The image scaled to a target, see `ResizeTarget`. Blocks the calling thread: 2 milliseconds for two
    /// megapixels, give or take.
    ///
    /// - Throws: `ImagingError.processorFailed` for a target without a positive side, `imageTooLarge` for a result of
    ///   more pixels than `pixelLimit`.
    public func resized(
        to target: ResizeTarget, pixelLimit: Int = DecodeLimits().maximumPixelCount
    ) throws -> Bitmap {
        try resized(by: ResizePlan(source: size, target: target, pixelLimit: pixelLimit))
    }

    /// The image scaled as a plan for its size says.
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
    /// What is left to do once the pixels are scaled and can be looked at.
    func cut(_ scaled: Bitmap) throws -> Bitmap {
        try scaled.size == output ? scaled : scaled.copied(from: scaled.busiestRect(of: output))
    }
}

extension Bitmap {
    /// A part of the bitmap that lies within it, in memory of its own.
    func copied(from rect: PixelRect) throws -> Bitmap {
        let bytesPerRow = rect.width * 4
        let storage = try PixelStorage(byteCount: bytesPerRow * rect.height)
        withUnsafeBytes { source in
            for y in 0..<rect.height {
                let from = (rect.y + y) * self.bytesPerRow + rect.x * 4
                UnsafeMutableRawBufferPointer(rebasing: storage.bytes[y * bytesPerRow..<(y + 1) * bytesPerRow])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[from..<from + bytesPerRow]))
            }
        }
        return Bitmap(
            width: rect.width, height: rect.height, bytesPerRow: bytesPerRow, isOpaque: isOpaque, storage: storage)
    }
}
