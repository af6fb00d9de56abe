extension ResizePlan {
    /// The factor (1, 2, 4 or 8) by which the decoder may scale down each side, by the cheap scaling of its format, before
    /// this plan is carried out.
    ///
    /// The resampler gets at least twice the pixels of the result (1.5 times for results over 300 pixels, where the
    /// difference is not visible), so that its filter hides the artefacts of the cheap scaling. `nearest` copies source
    /// pixels, and linear light sums linear values, so both need all pixels.
    package var decoderReduction: Int {
        guard filter != .nearest, !isLinearLight else { return 1 }
        let ratio = min(region.width / Double(scaled.width), region.height / Double(scaled.height))
        let reserve = max(scaled.width, scaled.height) <= 300 ? 2.0 : 1.5
        var reduction = 1
        while reduction < 8, Double(reduction * 2) * reserve <= ratio { reduction *= 2 }
        return reduction
    }

    /// The smallest size of the whole source that the resampler needs, for decoders that scale to any size.
    package var smallestUsefulSource: PixelSize {
        let reserve = filter == .nearest || isLinearLight ? .infinity : 2.0
        func side(_ source: Int, _ region: Double, _ scaled: Int) -> Int {
            let needed = (Double(source) * reserve * Double(scaled) / region).rounded(.up)
            return max(1, min(source, Int(exactly: needed) ?? source))
        }
        return PixelSize(
            width: side(source.width, region.width, scaled.width),
            height: side(source.height, region.height, scaled.height))
    }

    /// Returns the plan for a source that the decoder has scaled down.
    ///
    /// Decoders that scale in blocks round sides up: 1001 pixels become 501 at one half, the last of which is half empty.
    /// The plan then uses 500.5, so that nothing is shifted.
    package func forDecoded(_ decoded: PixelSize) -> ResizePlan {
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

    /// Returns the plan for pixels in the order of the file, from this one for the displayed image: the small result is
    /// oriented after resampling.
    package func beforeOrientation(_ orientation: ImageOrientation) -> ResizePlan {
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
