/// What a `ResizeTarget` means for an image of a certain size: which part of it is taken, and how large it becomes.
public struct ResizePlan: Sendable, Hashable {
    /// A part of the source in source pixels; its sides may lie between two pixels.
    public struct Region: Sendable, Hashable {
        public var x: Double
        public var y: Double
        public var width: Double
        public var height: Double

        public init(x: Double, y: Double, width: Double, height: Double) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }
    }

    /// The size that the plan was made for.
    public internal(set) var source: PixelSize
    /// The part of the source that is resampled.
    public internal(set) var region: Region
    /// The size that `region` is resampled to.
    public internal(set) var scaled: PixelSize
    /// The final size. It differs from `scaled` only where the pixels must be seen to know what to cut off
    /// (`Gravity.attention`).
    public internal(set) var output: PixelSize
    public internal(set) var filter: ResampleFilter
    public internal(set) var isLinearLight: Bool

    /// - Parameters:
    ///   - source: the size as shown, orientation applied.
    ///   - target: the box, and how the image fits into it.
    ///   - pixelLimit: how many pixels the result may have; 100 million by default.
    /// - Throws: `ImagingError.processorFailed` for a target without a side or with one that is not positive;
    ///   `imageTooLarge` if the result, or what it is cut from, had more pixels than the limit.
    public init(
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

    /// A plan that only scales.
    public init(
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

    /// True if the result is the source, pixel by pixel.
    public var isIdentity: Bool {
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
