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
        let first = try processor.process(frame(at: 0))
        return processed(by: processor, like: first, first: first)
    }

    /// The same with an image that the processor has made already, of the poster for example.
    ///
    /// - Parameters:
    ///   - image: has the size of every processed frame.
    ///   - first: the processed first frame, if it is there.
    package func processed(by processor: any ImageProcessor, like image: Bitmap, first: Bitmap? = nil)
        -> AnimatedImage
    {
        AnimatedImage(source: ProcessedFrameSource(self, processor: processor, like: image, first: first))
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

    package init(_ original: AnimatedImage, processor: any ImageProcessor, like image: Bitmap, first: Bitmap?) {
        var info = original.info
        info.storedSize = info.orientation.swapsAxes ? image.size.transposed : image.size
        info.hasAlpha = !image.isOpaque
        self.info = info
        self.original = original
        self.processor = processor
        self.first = first
        size = image.size
    }

    package var pixelsPerFrame: Int { max(original.pixelsPerFrame, size.area) }

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
