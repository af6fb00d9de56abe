import TintypeBase

/// GIF87a and GIF89a: stills and animations.
///
/// The canvas starts transparent; background colour and pixel aspect ratio are ignored, as in browsers.
public struct GIFDecoder: ImageDecoder {
    public init() {}

    public var format: ImageFormat { .gif }

    public func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
        let index = try data.withUnsafeBytes {
            try Self.index($0, isComplete: isComplete, limits: limits)
        }
        guard index.ending != .limit else {
            throw ImagingError.tooManyFrames(.gif, limit: limits.maximumFrameCount)
        }
        return index.info()
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        let index = try checkedIndex(data, options: options)
        let frames = GIFFrames(data, index: index, options: options)
        let wanted = options.frame ?? 0
        guard wanted >= 0, wanted < frames.info.frameCount else {
            throw ImagingError.noSuchFrame(wanted, count: frames.info.frameCount)
        }
        let bitmap = try CompositedFrameSource(frames).frame(at: wanted)
        var warnings: [String] = []
        if case .garbage(let offset) = index.ending {
            warnings.append("the bytes from offset \(offset) on are no GIF block; they were ignored")
        }
        if index.ending == .limit {
            warnings.append("only the first \(options.limits.maximumFrameCount) frames were counted")
        }
        return DecoderOutput(
            bitmap: bitmap, info: frames.info, isPartial: frames.isPartial || index.ending == .cut,
            warnings: warnings)
    }

    public func frames(_ data: Data, options: DecodeOptions) throws -> (any FrameSource)? {
        let index = try checkedIndex(data, options: options)
        guard index.ending != .limit else {
            throw ImagingError.tooManyFrames(.gif, limit: options.limits.maximumFrameCount)
        }
        let frames = GIFFrames(data, index: index, options: options)
        guard frames.info.isAnimated else { return nil }
        return try CompositedFrameSource(frames)
    }

    /// The index of a file that is to be decoded: strict decoding refuses what is not whole.
    private func checkedIndex(_ data: Data, options: DecodeOptions) throws -> GIFIndex {
        let index = try data.withUnsafeBytes { try Self.index($0, isComplete: true, limits: options.limits) }
        guard !options.isLenient else { return index }
        switch index.ending {
        case .cut: throw ImagingError.truncated(.gif)
        case .garbage(let offset):
            throw ImagingError.corrupt(.gif, "the byte at offset \(offset) does not start a block")
        case .trailer, .missingTrailer, .limit: return index
        }
    }

    /// Walks the blocks, and checks that there is a first frame and that the canvas is within the limits.
    private static func index(
        _ bytes: UnsafeRawBufferPointer, isComplete: Bool, limits: DecodeLimits
    ) throws -> GIFIndex {
        let index: GIFIndex
        do {
            index = try GIFIndex(bytes, maximumFrameCount: max(1, limits.maximumFrameCount))
        } catch ImagingError.needsMoreData where isComplete {
            throw ImagingError.truncated(.gif)
        }
        guard !index.frames.isEmpty else {
            switch index.ending {
            case .cut, .missingTrailer:
                throw isComplete
                    ? ImagingError.truncated(.gif) : .needsMoreData(.gif, byteCount: max(1024, bytes.count * 2))
            case .garbage(let offset):
                throw ImagingError.corrupt(.gif, "the byte at offset \(offset) does not start a block")
            case .trailer, .limit: throw ImagingError.corrupt(.gif, "it holds no frame")
            }
        }
        try limits.check(index.canvas, format: .gif)
        return index
    }
}
