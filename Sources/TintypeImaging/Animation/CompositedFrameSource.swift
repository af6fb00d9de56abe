/// The frames of one animation file, each drawn on its own part of the canvas.
///
/// Used by one thread at a time, like the source that drives it.
package protocol CanvasFrames: AnyObject {
    var info: ImageInfo { get }
    var chain: FrameChain { get }
    /// Decodes frame `index` and draws it within its rectangle: over what is there, or in place of every pixel if its
    /// layout says so. True if all pixels of the rectangle are opaque now.
    func draw(_ index: Int, on pixels: AnimationCanvas.Pixels) throws -> Bool
}

/// Frames on demand: draws those that the wanted one depends on, and no others.
package final class CompositedFrameSource: FrameSource {
    private let frames: any CanvasFrames
    private let canvas: AnimationCanvas
    /// The frames that the canvas was drawn from; nil if it is empty.
    private var drawn: (first: Int, last: Int)?
    /// Frames decoded since the source was made; tests count with it.
    package private(set) var decodedFrameCount = 0

    package init(_ frames: any CanvasFrames) throws {
        self.frames = frames
        canvas = try AnimationCanvas(size: frames.chain.canvas)
    }

    package var info: ImageInfo { frames.info }

    package func frame(at index: Int) throws -> Bitmap {
        let chain = frames.chain
        // A cut file may hold a part of one frame more than it counts.
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
