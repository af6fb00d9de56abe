extension AnimatedImage {
    /// Returns the animation with a processor applied to every frame on demand.
    ///
    /// Blocks while the first frame is decoded and processed, to learn the new size: do not call it on the main thread or
    /// in a task.
    ///
    /// - Throws: the errors of decoding and processing the first frame. A later frame whose result has another size
    ///   throws `ImagingError.processorFailed` when it is requested: processors whose size depends on the pixels, such
    ///   as trimming, are for stills.
    public func processed(by processor: any ImageProcessor) throws -> AnimatedImage {
        let first = try processor.process(frame(at: 0))
        return processed(by: processor, like: first, first: first)
    }

    /// Returns the animation with a processor applied to every frame on demand.
    ///
    /// - Parameters:
    ///   - processor: must return the same size for all frames.
    ///   - image: a processed image, such as the poster, with the size of every processed frame.
    ///   - first: the processed first frame, if it exists.
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
    /// Processed to learn the size; returned once.
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
