extension AnimatedImage {
    /// The animation with every frame changed by a processor, as the frames are asked for.
    ///
    /// Blocks while the first frame is decoded and processed, which tells the new size; so not for the main thread or
    /// the cooperative pool.
    ///
    /// - Throws: what decoding the first frame or processing it throws. A later frame whose result has another size
    ///   throws `ImagingError.processorFailed` when it is asked for: processors that go by the pixels, as trimming
    ///   does, suit stills.
    public func processed(by processor: any ImageProcessor) throws -> AnimatedImage {
        AnimatedImage(source: try ProcessedFrameSource(self, processor: processor))
    }
}

/// Frames of another animation, each processed.
package final class ProcessedFrameSource: FrameSource {
    package let info: ImageInfo
    private let original: AnimatedImage
    private let processor: any ImageProcessor
    private let size: PixelSize
    /// Made to learn the size; handed out once.
    private var first: Bitmap?

    package init(_ original: AnimatedImage, processor: any ImageProcessor) throws {
        let first = try processor.process(original.frame(at: 0))
        var info = original.info
        info.storedSize = info.orientation.swapsAxes ? first.size.transposed : first.size
        info.hasAlpha = !first.isOpaque
        self.info = info
        self.original = original
        self.processor = processor
        self.first = first
        size = first.size
    }

    package func frame(at index: Int) throws -> Bitmap {
        if index == 0, let first {
            self.first = nil
            return first
        }
        let frame = try processor.process(original.frame(at: index))
        guard frame.size == size else {
            throw ImagingError.processorFailed(
                "\(processor.identifier) made frame \(index) \(frame.size) pixels and the first one \(size)")
        }
        return frame
    }

    package func dropState() { first = nil }
}
