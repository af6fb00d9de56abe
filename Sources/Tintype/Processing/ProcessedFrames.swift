/// The frames of an animation with a processor run over each one when it is asked for.
final class ProcessedFrames: FrameSource {
    private let base: AnimatedImage
    private let processor: any ImageProcessor
    let info: ImageInfo

    init(_ base: AnimatedImage, _ processor: any ImageProcessor) {
        self.base = base
        self.processor = processor
        info = base.info
    }

    func frame(at index: Int) throws -> Bitmap { try processor.process(base.frame(at: index)) }

    /// The state belongs to the base, which others may be playing.
    func dropState() {}
}

/// Frames that are decoded already.
final class PreloadedFrames: FrameSource {
    let info: ImageInfo
    private let frames: [Bitmap]

    init(_ frames: [Bitmap], info: ImageInfo) {
        self.frames = frames
        self.info = info
    }

    func frame(at index: Int) throws -> Bitmap {
        guard frames.indices.contains(index) else {
            throw ImagingError.processorFailed("there is no frame \(index); the animation has \(frames.count)")
        }
        return frames[index]
    }

    func dropState() {}
}

extension AnimatedImage {
    /// The same animation with every frame decoded. Blocks while that is done.
    func preloaded() throws -> AnimatedImage {
        let frames = try (0..<frameCount).map { try frame(at: $0) }
        return AnimatedImage(source: PreloadedFrames(frames, info: info))
    }
}
