import TintypeBase

extension ImageProcessors {
    struct GaussianBlur: SizePreservingProcessor {
        var sigma: Double

        var identifier: String { ProcessorIdentifier("blur").adding("sigma", sigma).text }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
            try Parameter.check(sigma, "the blur's sigma", in: 0...10_000)
            return try bitmap.blurred(sigma: sigma)
        }
    }
}

extension Bitmap {
    /// Returns the bitmap convolved with a Gaussian.
    ///
    /// The result of a wide Gaussian has no details finer than its width, so it is computed only at every second, third …
    /// place, at most 0.4 sigma apart, and interpolated between: within one level of computing every pixel.
    func blurred(sigma: Double, form: PixelKernelForm = .best) throws -> Bitmap {
        guard sigma > 0.05 else { return self }
        let spacing = sigma >= 5 ? Int(sigma / 2.5) : 1
        let columns = GaussianAxis(sigma: sigma, size: width, spacing: spacing)
        let lines = GaussianAxis(sigma: sigma, size: height, spacing: spacing)
        let blurred = try filtered(columns.windows(), lines.windows(), form: form)
        guard spacing > 1 else { return blurred }
        return try blurred.filtered(columns.interpolation(), lines.interpolation(), form: form)
    }

    private func filtered(_ columns: ResampleAxis, _ lines: ResampleAxis, form: PixelKernelForm) throws -> Bitmap {
        try Bitmap(width: columns.count, height: lines.count, isOpaque: isOpaque) { bytes, outputBytesPerRow in
            guard let output = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            let resampler = try ConvolutionResampler(
                columns: columns, lines: lines,
                into: ResampleDestination(base: output, bytesPerRow: outputBytesPerRow), form: form)
            withUnsafeBytes { source in
                guard let input = source.bindMemory(to: UInt8.self).baseAddress else { return }
                resampler.push(input, bytesPerRow: bytesPerRow, count: height)
            }
        }
    }
}

/// The places along one axis at which a Gaussian is computed.
private struct GaussianAxis {
    let sigma: Double
    let size: Int
    /// Number of places within the image.
    let count: Int
    /// Distance from one to the next, in pixels.
    let distance: Double
    /// Number of places outside of the image at each end, which interpolation needs.
    let margin: Int

    init(sigma: Double, size: Int, spacing: Int) {
        self.sigma = sigma
        self.size = size
        count = (size + spacing - 1) / spacing
        distance = Double(size) / Double(count)
        margin = spacing > 1 ? 2 : 0
    }

    /// Returns windows of three standard deviations to each side. The outermost pixel stands in for what is outside.
    func windows() throws -> ResampleAxis {
        let reach = 3 * sigma
        func center(_ output: Int) -> Double { (Double(output - margin) + 0.5) * distance }
        func ends(_ center: Double) -> (first: Int, last: Int) {
            (Int((center - reach - 0.5).rounded(.up)), Int((center + reach - 0.5).rounded(.down)))
        }
        func window(_ output: Int) -> Range<Int> {
            let (first, last) = ends(center(output))
            let lower = min(max(first, 0), size - 1)
            return lower..<min(max(last, lower), size - 1) + 1
        }
        func weight(_ center: Double, _ index: Int) -> Double {
            let distance = (Double(index) + 0.5 - center) / sigma
            return exp(-0.5 * distance * distance)
        }
        return try ResampleAxis(size: size, count: count + 2 * margin, window: window) { output, index in
            let center = center(output)
            var sum = weight(center, index)
            let (first, last) = ends(center)
            if index == 0, first < 0 { for outside in first..<0 { sum += weight(center, outside) } }
            if index == size - 1, last >= size { for outside in size...last { sum += weight(center, outside) } }
            return sum
        }
    }

    func interpolation() throws -> ResampleAxis {
        try ResampleAxis(
            filter: .catmullRom, origin: Double(margin), extent: Double(count), size: count + 2 * margin, count: size,
            seesBeyond: true)
    }
}
