/// What happens to a frame's part of the canvas before the next frame is drawn.
package enum FrameDisposal: UInt8, Sendable, Hashable {
    /// Keeps the pixels.
    case keep
    /// Makes the part transparent.
    case clear
    /// Restores the pixels from before this frame.
    case restore
}

/// The position of one frame and how it combines with the canvas; enough to know which frames depend on which.
package struct FrameLayout: Sendable, Hashable {
    /// The part of the canvas that the frame draws on; already clipped, may be empty.
    package var rect: PixelRect
    package var disposal: FrameDisposal
    /// True if every pixel of `rect` is replaced, so that nothing below shows through.
    package var replacesBelow: Bool

    package init(rect: PixelRect, disposal: FrameDisposal, replacesBelow: Bool) {
        self.rect = rect
        self.disposal = disposal
        self.replacesBelow = replacesBelow
    }
}

/// The dependencies of frames: for each, the nearest frame at or before it that can be drawn without any earlier one.
package struct FrameChain: Sendable {
    package let canvas: PixelSize
    package let layouts: [FrameLayout]
    private let keyframes: [Int32]
    /// For each frame, the keyframe of the canvas after its disposal.
    private let keyframesBelow: [Int32]

    package init(canvas: PixelSize, layouts: [FrameLayout]) {
        self.canvas = canvas
        self.layouts = layouts
        var keyframes: [Int32] = []
        var keyframesBelow: [Int32] = []
        keyframes.reserveCapacity(layouts.count)
        keyframesBelow.reserveCapacity(layouts.count)
        var canvasIsEmpty = true
        // The keyframe of the canvas below the next frame.
        var below: Int32 = 0
        for (index, layout) in layouts.enumerated() {
            let isFull = layout.rect.covers(canvas)
            let keyframe = canvasIsEmpty || (isFull && layout.replacesBelow) ? Int32(index) : below
            keyframes.append(keyframe)
            if layout.disposal != .restore { below = keyframe }
            keyframesBelow.append(below)
            canvasIsEmpty =
                switch layout.disposal {
                case .keep: canvasIsEmpty && layout.rect.isEmpty
                case .clear: canvasIsEmpty || isFull
                case .restore: canvasIsEmpty
                }
        }
        self.keyframes = keyframes
        self.keyframesBelow = keyframesBelow
    }

    package func keyframe(for index: Int) -> Int { Int(keyframes[index]) }

    /// Returns the first frame to draw in order to reach `index`.
    ///
    /// - Parameter drawn: the frames on the canvas. If the first of them restores the pixels below it, nothing on the
    ///   canvas can be used.
    package func firstFrame(toReach index: Int, after drawn: (first: Int, last: Int)?) -> Int {
        let key = keyframe(for: index)
        guard let drawn, drawn.last < index, keyframesBelow[drawn.last] >= drawn.first else { return key }
        return max(drawn.last + 1, key)
    }
}
