/// The resize of an image of a certain size to a `ResizeTarget`: the part that is used, and its new size.
package struct ResizePlan: Sendable, Hashable {
    /// A part of the source in source pixels; may be fractional.
    package struct Region: Sendable, Hashable {
        package var x: Double
        package var y: Double
        package var width: Double
        package var height: Double
    }

    /// The size of the source.
    package var source: PixelSize
    /// The part of the source that is resampled.
    package var region: Region
    /// The size that `region` is resampled to.
    package var scaled: PixelSize
    /// The final size. It differs from `scaled` only where the crop depends on the pixels (`Gravity.attention`).
    package var output: PixelSize
    package var filter: ResampleFilter
    package var isLinearLight: Bool

    /// - Parameters:
    ///   - source: the displayed size, with the orientation applied.
    ///   - target: the box, and how the image fits into it.
    ///   - pixelLimit: the most pixels of the result; 100 million by default.
    /// - Throws: `ImagingError.processorFailed` for a target without a side or with one that is not positive;
    ///   `imageTooLarge` if the result, before or after cropping, has more pixels than the limit.
    package init(
        source: PixelSize, target: ResizeTarget, pixelLimit: Int = DecodeLimits().maximumPixelCount
    ) throws {
        guard source.width > 0, source.height > 0 else {
            throw ImagingError.processorFailed("an image of \(source) pixels cannot be resized")
        }
        for side in [target.width, target.height] {
            if let side, side <= 0 {
                throw ImagingError.processorFailed("\(side) is not a size to resize to; give a positive number")
            }
        }
        let width = Double(source.width)
        let height = Double(source.height)
        // Ratios of the two sides, larger than 1 where the image grows.
        var horizontal: Double
        var vertical: Double
        switch (target.width, target.height) {
        case (let boxWidth?, let boxHeight?):
            horizontal = Double(boxWidth) / width
            vertical = Double(boxHeight) / height
            switch target.fit {
            case .contain: (horizontal, vertical) = (min(horizontal, vertical), min(horizontal, vertical))
            case .cover: (horizontal, vertical) = (max(horizontal, vertical), max(horizontal, vertical))
            case .fill: break
            }
        case (let boxWidth?, nil): (horizontal, vertical) = (Double(boxWidth) / width, Double(boxWidth) / width)
        case (nil, let boxHeight?): (horizontal, vertical) = (Double(boxHeight) / height, Double(boxHeight) / height)
        case (nil, nil):
            throw ImagingError.processorFailed("a resize target needs a width, a height, or both")
        }
        if !target.allowsUpscaling {
            horizontal = min(horizontal, 1)
            vertical = min(vertical, 1)
        }

        let whole = try Self.rounded(width: width * horizontal, height: height * vertical)
        region = Region(x: 0, y: 0, width: width, height: height)
        self.source = source
        filter = target.filter
        isLinearLight = target.isLinearLight
        scaled = whole
        output = whole
        if target.fit == .cover, let boxWidth = target.width, let boxHeight = target.height {
            output = PixelSize(width: min(boxWidth, whole.width), height: min(boxHeight, whole.height))
            if target.gravity == .attention {
                guard scaled.area <= pixelLimit else { throw Self.tooLarge(scaled, pixelLimit) }
            } else {
                scaled = output
                region.width = min(width, Double(output.width) / horizontal)
                region.height = min(height, Double(output.height) / vertical)
                region.x = (width - region.width) * target.gravity.offset.x
                region.y = (height - region.height) * target.gravity.offset.y
            }
        }
        guard output.area <= pixelLimit else { throw Self.tooLarge(output, pixelLimit) }
        _ = try Bitmap.bytesPerRow(width: output.width, height: output.height)
    }

    /// Creates a plan that only scales.
    package init(
        source: PixelSize, region: Region? = nil, output: PixelSize, filter: ResampleFilter = .lanczos3,
        isLinearLight: Bool = false
    ) {
        self.source = source
        self.region =
            region ?? Region(x: 0, y: 0, width: Double(source.width), height: Double(source.height))
        scaled = output
        self.output = output
        self.filter = filter
        self.isLinearLight = isLinearLight
    }

    /// True if the result equals the source.
    package var isIdentity: Bool {
        source == output && scaled == output
            && region == Region(x: 0, y: 0, width: Double(source.width), height: Double(source.height))
    }

    private static func rounded(width: Double, height: Double) throws -> PixelSize {
        guard let wide = Int(exactly: width.rounded()), let high = Int(exactly: height.rounded()) else {
            throw ImagingError.imageTooLarge(width: .max, height: .max, limit: Int(Int32.max) / 4)
        }
        return PixelSize(width: max(1, wide), height: max(1, high))
    }

    private static func tooLarge(_ size: PixelSize, _ limit: Int) -> ImagingError {
        .imageTooLarge(width: size.width, height: size.height, limit: limit)
    }
}
