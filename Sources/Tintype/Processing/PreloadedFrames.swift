import TintypeBase

/// Frames that are decoded already.
final class PreloadedFrames: FrameSource {
    /// More than this is not decoded in advance: the frames come on demand then.
    static let byteLimit = 64 << 20

    let info: ImageInfo
    private let frames: [Bitmap]

    init(_ frames: [Bitmap], info: ImageInfo) {
        self.frames = frames
        self.info = info
    }

    func frame(at index: Int) throws -> Bitmap {
        guard frames.indices.contains(index) else { throw ImagingError.noSuchFrame(index, count: frames.count) }
        return frames[index]
    }

    func dropState() {}
}

extension DecodedImage {
    /// Adds the frames, if the image moves.
    mutating func addAnimation(_ data: Data, codecs: ImageCodecs, options: DecodeOptions) throws {
        guard info.isAnimated, animation == nil, let frames = try codecs.animation(data, options: options) else {
            return
        }
        animation = frames
    }

    /// Decodes every frame, unless they are too many bytes. Blocks while that is done.
    /// - Returns: the bytes that they hold.
    /// - Throws: `CancellationError` between two frames once the flag is set.
    mutating func preloadFrames(_ isCancelled: CancellationFlag) throws -> Int {
        guard let source = animation, bitmap.byteCount <= PreloadedFrames.byteLimit / max(1, source.frameCount) else {
            return 0
        }
        let frames = try (0..<source.frameCount).map { index in
            try isCancelled.check()
            return try source.frame(at: index)
        }
        animation = AnimatedImage(source: PreloadedFrames(frames, info: source.info))
        return frames.reduce(0) { $0 + $1.byteCount }
    }
}
