import TintypeBase

/// PNG (W3C, third edition): every colour type and depth, interlaced or not, and the default image of an APNG.
struct PNGDecoder: ImageDecoder {
    var format: ImageFormat { .png }

    func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
        try data.withUnsafeBytes { bytes in
            let file = try PNGFile(bytes, isComplete: isComplete, isLenient: false, limits: limits)
            guard file.animation?.exceedsFrameLimit != true else {
                throw ImagingError.tooManyFrames(.png, limit: limits.maximumFrameCount)
            }
            return file.info(isWholeFile: isComplete)
        }
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        try data.withUnsafeBytes { bytes in
            let file = try PNGFile(bytes, isLenient: options.isLenient, limits: options.limits)
            guard !file.imageData.isEmpty else {
                throw file.hasEnd ? ImagingError.corrupt(.png, "it has no image data") : .truncated(.png)
            }
            let size = file.header.size
            let decoder = PNGPixelDecoder(file, bytes: bytes, isLenient: options.isLenient)
            let plan = try options.plan(storedSize: size, orientation: file.orientation)
            let destination = plan.makeSink()
            try destination.begin(size: size, isOpaque: !file.hasAlpha && !options.isLenient)
            let outcome = try decoder.decode(
                file.imageData, size: size, into: destination,
                savesMemory: plan?.isIdentity == false && size.area > PNGPixelDecoder.streamingThreshold)
            var warnings = file.warnings + decoder.warnings
            if let warning = outcome.warning { warnings.append("the data is damaged: \(warning)") }
            return DecoderOutput(
                bitmap: try destination.finish(isOpaque: outcome.isOpaque && !outcome.isPartial),
                info: file.info(isWholeFile: true), isPartial: outcome.isPartial, isAtTargetSize: true,
                warnings: warnings)
        }
    }

    func incrementalDecoder(options: DecodeOptions) -> (any IncrementalDecoder)? {
        PNGIncrementalDecoder(options: options)
    }
}

extension PNGFile {
    /// - Parameter isWholeFile: false if only a prefix was read, so that there may be more frames.
    func info(isWholeFile: Bool) -> ImageInfo {
        var info = ImageInfo(
            format: .png, storedSize: header.size, orientation: orientation,
            bitDepth: header.colorType == .palette ? 8 : header.bitDepth, hasAlpha: hasAlpha,
            colorSpace: color.name(for: header), isHDR: color.codePoints?.isHDR ?? false)
        guard let animation else { return info }
        let isListComplete = animation.isComplete || isWholeFile
        let count = isListComplete ? animation.frames.count : max(animation.announcedFrameCount, animation.frames.count)
        guard count > 1 else { return info }
        info.frameCount = count
        info.loopCount = animation.playCount
        info.frames = animation.frames.map { ImageInfo.Frame(rawDuration: $0.delay) }
        info.isFrameListComplete = isListComplete
        info.mimeType = "image/apng"
        return info
    }
}
