/// What becomes of a frame's part of the canvas before the next frame is drawn.
package enum FrameDisposal: UInt8, Sendable, Hashable {
    /// It stays.
    case keep
    /// It becomes transparent.
    case clear
    /// It becomes what it was before this frame was drawn.
    case restore
}

/// Where one frame goes and how it meets what is below; enough to know which frames depend on which.
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

/// For each frame, the nearest one at or before it that can be drawn without any earlier frame.
package struct FrameChain: Sendable {
    package let canvas: PixelSize
    package let layouts: [FrameLayout]
    private let keyframes: [Int32]
    /// For each frame, the keyframe of the canvas that is left when it has been disposed of.
    private let keyframesBelow: [Int32]

    package init(canvas: PixelSize, layouts: [FrameLayout]) {
        self.canvas = canvas
        self.layouts = layouts
        var keyframes: [Int32] = []
        var keyframesBelow: [Int32] = []
        keyframes.reserveCapacity(layouts.count)
        keyframesBelow.reserveCapacity(layouts.count)
        var canvasIsEmpty = true
        // The keyframe of what lies below the next frame.
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

    /// The first frame to draw in order to reach `index`, when the canvas was drawn from frame `drawn.first` to
    /// `drawn.last`. A frame that restores what was below it leaves nothing to go on with if it was the first one drawn.
    package func firstFrame(toReach index: Int, after drawn: (first: Int, last: Int)?) -> Int {
        let key = keyframe(for: index)
        guard let drawn, drawn.last < index, keyframesBelow[drawn.last] >= drawn.first else { return key }
        return max(drawn.last + 1, key)
    }
}

extension PixelRect {
    package var isEmpty: Bool { width <= 0 || height <= 0 }

    package func covers(_ size: PixelSize) -> Bool {
        x <= 0 && y <= 0 && x + width >= size.width && y + height >= size.height
    }

    package func contains(_ other: PixelRect) -> Bool {
        other.x >= x && other.y >= y && other.x + other.width <= x + width && other.y + other.height <= y + height
    }

    /// The part that lies on a canvas of this size; the place is kept within it even when nothing is left.
    package func clipped(to size: PixelSize) -> PixelRect {
        let left = min(max(x, 0), size.width)
        let top = min(max(y, 0), size.height)
        let right = min(max(x.addingReportingOverflow(width).partialValue, left), size.width)
        let bottom = min(max(y.addingReportingOverflow(height).partialValue, top), size.height)
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}
