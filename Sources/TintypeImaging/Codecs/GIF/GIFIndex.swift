/// Where the parts of a GIF file lie, found in one walk over its blocks without decoding a pixel (GIF89a, §17–27).
struct GIFIndex: Sendable {
    struct Frame: Sendable {
        /// As the file says; may lie outside the canvas, may be empty.
        var rect: PixelRect
        var isInterlaced = false
        /// Bytes of the colour table in the file; nil is the global one.
        var palette: Range<Int>?
        var transparentIndex: Int?
        var disposal = FrameDisposal.keep
        /// Hundredths of a second.
        var delay = 0
        /// Offset of the byte "LZW minimum code size"; the data blocks follow it.
        var dataOffset: Int
        /// Offset behind the block terminator, or where the bytes ended.
        var dataEnd: Int
        /// False if the bytes end before the block terminator.
        var isWhole = false
    }

    /// How the walk came to its end.
    enum Ending: Sendable, Hashable {
        case trailer
        /// Between two blocks; players take it as the end.
        case missingTrailer
        /// Inside a block.
        case cut
        /// A byte that no block starts with, at this offset.
        case garbage(Int)
        /// The frame limit was reached.
        case limit
    }

    /// The logical screen; a side that the file gives as 0 is that of the first frame, as in browsers.
    var canvas: PixelSize
    var globalPalette: Range<Int>?
    /// Plays in total, 0 for ever.
    var loopCount = 1
    /// Frames in the order of the file. Only the last one may be cut.
    var frames: [Frame] = []
    var ending = Ending.cut

    /// Frames that are in the file from end to end.
    var wholeFrameCount: Int { frames.count - (frames.last?.isWhole == false ? 1 : 0) }

    /// The frame's part of the canvas.
    func visibleRect(_ frame: Frame) -> PixelRect { frame.rect.clipped(to: canvas) }
}
