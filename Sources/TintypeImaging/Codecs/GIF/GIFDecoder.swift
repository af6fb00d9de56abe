import TintypeBase

/// GIF87a and GIF89a: stills and animations.
///
/// The canvas starts transparent; background colour and pixel aspect ratio are ignored, as in browsers.
struct GIFDecoder: ImageDecoder {
    var format: ImageFormat { .gif }

    func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
        let index = try Self.index(data, isComplete: isComplete, limits: limits)
        guard index.ending != .limit else {
            throw ImagingError.tooManyFrames(.gif, limit: limits.maximumFrameCount)
        }
        return index.info()
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        let index = try checkedIndex(data, options: options)
        let frames = GIFFrames(data, index: index, options: options)
        let bitmap = try CompositedFrameSource(frames).frame(at: options.frame ?? 0)
        var warnings: [String] = []
        if case .garbage(let offset) = index.ending {
            warnings.append("the bytes from offset \(offset) on are no GIF block; they were ignored")
        }
        if index.ending == .limit {
            warnings.append("only the first \(options.limits.maximumFrameCount) frames were counted")
        }
        return DecoderOutput(
            bitmap: bitmap, info: frames.info, isPartial: frames.isPartial || index.ending == .truncated,
            warnings: warnings)
    }

    func frames(_ data: Data, options: DecodeOptions) throws -> (any FrameSource)? {
        let index = try checkedIndex(data, options: options)
        guard index.ending != .limit else {
            throw ImagingError.tooManyFrames(.gif, limit: options.limits.maximumFrameCount)
        }
        let frames = GIFFrames(data, index: index, options: options)
        return frames.info.isAnimated ? try CompositedFrameSource(frames) : nil
    }

    func incrementalDecoder(options: DecodeOptions) -> (any IncrementalDecoder)? {
        GIFIncrementalDecoder(options: options)
    }

    /// Returns the index of a file to decode: strict decoding refuses a damaged one.
    private func checkedIndex(_ data: Data, options: DecodeOptions) throws -> GIFIndex {
        let index = try Self.index(data, isComplete: true, limits: options.limits)
        guard !options.isLenient else { return index }
        switch index.ending {
        case .truncated: throw ImagingError.truncated(.gif)
        case .garbage(let offset): throw Self.garbage(offset)
        case .trailer, .missingTrailer, .limit: return index
        }
    }

    private static func garbage(_ offset: Int) -> ImagingError {
        .corrupt(.gif, "the byte at offset \(offset) does not start a block")
    }

    /// Reads the blocks, and checks that there is a first frame and that the canvas is within the limits.
    private static func index(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> GIFIndex {
        let index: GIFIndex
        do {
            index = try data.withUnsafeBytes { try GIFIndex($0, maximumFrameCount: max(1, limits.maximumFrameCount)) }
        } catch ImagingError.needsMoreData where isComplete {
            throw ImagingError.truncated(.gif)
        }
        guard !index.frames.isEmpty else {
            switch index.ending {
            case .truncated, .missingTrailer:
                throw isComplete
                    ? ImagingError.truncated(.gif) : .needsMoreData(.gif, byteCount: max(1024, data.count * 2))
            case .garbage(let offset): throw garbage(offset)
            case .trailer, .limit: throw ImagingError.corrupt(.gif, "it holds no frame")
            }
        }
        try limits.check(index.canvas, format: .gif)
        return index
    }
}
