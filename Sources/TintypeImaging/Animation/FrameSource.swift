/// Yields the frames of one animation, each fully composited on the canvas.
///
/// Used by one thread at a time; `AnimatedImage` guards it. Asking for frames in ascending order is fast; any other
/// order starts again at the nearest frame that does not depend on earlier ones.
public protocol FrameSource: AnyObject {
    var info: ImageInfo { get }
    /// Pixels that one frame costs to decode; those of the stored size by default.
    var pixelsPerFrame: Int { get }
    /// The canvas after frame `index` was drawn.
    /// - Throws: `ImagingError`; `truncated` or `corrupt` if the data of this frame is not whole.
    func frame(at index: Int) throws -> Bitmap
    /// Gives up what was kept to go on quickly; the next frame costs a restart.
    func dropState()
}

extension FrameSource {
    public var pixelsPerFrame: Int { info.storedSize.area }
}
