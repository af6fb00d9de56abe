extension ResizePlan {
    /// By how much (1, 2, 4 or 8) each side of the source may shrink in the decoder itself, by the cheap scaling of its
    /// format, before this plan is carried out on what is left.
    ///
    /// The resampler keeps at least twice the pixels that the result needs (one and a half times for results over 300
    /// pixels, where it no longer shows): its filter hides what the cheap scaling does to edges. `nearest` copies source
    /// pixels and linear light sums up linear values, so both need all pixels.
    public var decoderReduction: Int {
        guard filter != .nearest, !isLinearLight else { return 1 }
        let ratio = min(region.width / Double(scaled.width), region.height / Double(scaled.height))
        let reserve = max(scaled.width, scaled.height) <= 300 ? 2.0 : 1.5
        var reduction = 1
        while reduction < 8, Double(reduction * 2) * reserve <= ratio { reduction *= 2 }
        return reduction
    }

    /// The size of the whole source at which the decoder must hand it over at least; formats whose decoders scale to
    /// any size ask for this.
    public var smallestUsefulSource: PixelSize {
        let reserve = filter == .nearest || isLinearLight ? .infinity : 2.0
        func side(_ source: Int, _ region: Double, _ scaled: Int) -> Int {
            let needed = (Double(source) * reserve * Double(scaled) / region).rounded(.up)
            return max(1, min(source, Int(exactly: needed) ?? source))
        }
        return PixelSize(
            width: side(source.width, region.width, scaled.width),
            height: side(source.height, region.height, scaled.height))
    }

    /// The same plan for a source that the decoder has scaled down already.
    ///
    /// Decoders that scale in blocks round sides up: 1001 pixels become 501 at one half, the last of which is half
    /// empty. The plan then counts with 500.5, so that nothing is shifted.
    public func forDecoded(_ decoded: PixelSize) -> ResizePlan {
        guard decoded != source else { return self }
        var horizontal = Double(decoded.width) / Double(source.width)
        var vertical = Double(decoded.height) / Double(source.height)
        for factor in [2, 4, 8]
        where decoded.width == (source.width + factor - 1) / factor
            && decoded.height == (source.height + factor - 1) / factor
        {
            horizontal = 1 / Double(factor)
            vertical = horizontal
        }
        var plan = self
        plan.source = decoded
        plan.region = Region(
            x: region.x * horizontal, y: region.y * vertical, width: region.width * horizontal,
            height: region.height * vertical)
        return plan
    }

    /// The plan for pixels in the order of the file, made from this one, which is for the image as shown: resample
    /// first, turn the small result by `orientation` afterwards.
    public func beforeOrientation(_ orientation: ImageOrientation) -> ResizePlan {
        var plan = self
        let right = Double(source.width) - region.x - region.width
        let bottom = Double(source.height) - region.y - region.height
        let (x, y) =
            switch orientation {
            case .up: (region.x, region.y)
            case .upMirrored: (right, region.y)
            case .down: (right, bottom)
            case .downMirrored: (region.x, bottom)
            case .leftMirrored: (region.y, region.x)
            case .right: (region.y, right)
            case .rightMirrored: (bottom, right)
            case .left: (bottom, region.x)
            }
        plan.region.x = x
        plan.region.y = y
        guard orientation.swapsAxes else { return plan }
        (plan.region.width, plan.region.height) = (region.height, region.width)
        plan.source = source.transposed
        plan.scaled = scaled.transposed
        plan.output = output.transposed
        return plan
    }
}
