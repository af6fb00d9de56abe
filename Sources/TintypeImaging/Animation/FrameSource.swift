/// A decoder of the frames of one animation, each fully composited on the canvas.
///
/// Used by one thread at a time; `AnimatedImage` guards it. Ascending order is fast; any other order restarts at the
/// nearest frame that does not depend on earlier ones.
public protocol FrameSource: AnyObject {
    var info: ImageInfo { get }
    /// Pixels that one frame costs to decode; those of the stored size by default.
    var pixelsPerFrame: Int { get }
    /// Returns the canvas with frame `index` drawn.
    /// - Throws: `ImagingError`; `truncated` or `corrupt` if the data of this frame is damaged.
    func frame(at index: Int) throws -> Bitmap
    /// Frees the state between two frames; the next frame costs a restart.
    func dropState()
}

extension FrameSource {
    public var pixelsPerFrame: Int { info.storedSize.area }
}

/// The frames of one animation file, each drawn on its own part of the canvas. Used by one thread at a time.
package protocol CanvasFrames: AnyObject {
    var info: ImageInfo { get }
    var chain: FrameChain { get }
    /// Decodes frame `index` and draws it within its rectangle: over the pixels there, or in place of them if its layout
    /// says so. Returns whether all pixels of the rectangle are opaque now.
    func draw(_ index: Int, on pixels: AnimationCanvas.Pixels) throws -> Bool
}

/// Composites frames on demand: draws only the frames that the requested one depends on.
package final class CompositedFrameSource: FrameSource {
    private let frames: any CanvasFrames
    private let canvas: AnimationCanvas
    /// The frames on the canvas; nil if it is empty.
    private var drawn: (first: Int, last: Int)?
    /// Number of decoded frames, for tests.
    package private(set) var decodedFrameCount = 0

    package init(_ frames: any CanvasFrames) throws {
        self.frames = frames
        canvas = try AnimationCanvas(size: frames.chain.canvas)
    }

    package var info: ImageInfo { frames.info }

    package func frame(at index: Int) throws -> Bitmap {
        let chain = frames.chain
        // A truncated file may hold a part of one frame more than it counts.
        let count = min(chain.layouts.count, info.frameCount)
        guard (0..<count).contains(index) else { throw ImagingError.noSuchFrame(index, count: count) }
        let first = chain.firstFrame(toReach: index, after: drawn)
        let continues = drawn.map { $0.last + 1 == first } ?? false
        let start = continues ? drawn?.first ?? first : first
        if !continues { canvas.reset() }
        drawn = nil
        for step in first..<index {
            let layout = chain.layouts[step]
            if AnimationCanvas.leavesNoPixels(layout) { try canvas.pass(layout) } else { _ = try draw(step, layout) }
        }
        let bitmap = try draw(index, chain.layouts[index])
        drawn = (start, index)
        return bitmap
    }

    package func dropState() {
        canvas.reset()
        drawn = nil
    }

    private func draw(_ index: Int, _ layout: FrameLayout) throws -> Bitmap {
        try ImagingCancellation.check()
        decodedFrameCount += 1
        return try canvas.draw(layout) { pixels in
            layout.rect.isEmpty ? true : try frames.draw(index, on: pixels)
        }
    }
}

/// The frames of an animation at the size of a target and oriented, like the poster that `ImageCodecs.decode` returns.
/// `info` stays that of the file.
final class FittedFrames: FrameSource {
    private let base: any FrameSource
    private let codecs: ImageCodecs
    private let options: DecodeOptions

    /// Returns nil if the frames need no change.
    init?(_ base: any FrameSource, codecs: ImageCodecs, options: DecodeOptions) {
        guard options.target != nil || (options.appliesOrientation && base.info.orientation != .up) else { return nil }
        self.base = base
        self.codecs = codecs
        self.options = options
    }

    var info: ImageInfo { base.info }
    var pixelsPerFrame: Int { base.pixelsPerFrame }

    func frame(at index: Int) throws -> Bitmap {
        try codecs.finish(DecoderOutput(bitmap: base.frame(at: index), info: base.info), options: options).bitmap
    }

    func dropState() { base.dropState() }
}
