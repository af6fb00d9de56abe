/// The canvas of an animation.
///
/// A frame that was returned is never written again: the next frame starts as a copy of it, except where the canvas is
/// the only owner left, or where the frame covers everything. Restoring the canvas from before a frame is free this way,
/// because that image still exists.
package final class AnimationCanvas {
    /// The pixels of the canvas while one frame is drawn. Valid only during `draw`.
    package struct Pixels {
        package let base: UnsafeMutableRawPointer
        package let bytesPerRow: Int
        package let size: PixelSize

        package func address(x: Int, y: Int) -> UnsafeMutableRawPointer { base + (y * bytesPerRow + x * 4) }

        /// Makes a part of the canvas transparent.
        package func clear(_ rect: PixelRect) {
            for y in rect.y..<rect.y + rect.height {
                address(x: rect.x, y: y).initializeMemory(as: UInt8.self, repeating: 0, count: rect.width * 4)
            }
        }
    }

    package let size: PixelSize
    private let bytesPerRow: Int
    /// The pixels that the next frame is drawn on; nil is a transparent canvas.
    private var below: PixelStorage?
    private var isOpaque = false
    /// A part of `below` to clear when the next frame is drawn.
    private var pendingClear: PixelRect?

    /// - Throws: `ImagingError.imageTooLarge` for a size that no bitmap can have.
    package init(size: PixelSize) throws {
        self.size = size
        bytesPerRow = try Bitmap.bytesPerRow(width: size.width, height: size.height)
    }

    /// Makes the canvas transparent, as at the start of each loop, and frees its memory.
    package func reset() {
        below = nil
        pendingClear = nil
        isOpaque = false
    }

    /// Draws one frame and returns the canvas with it.
    ///
    /// - Parameter body: draws within `layout.rect`, every pixel of it if the layout replaces the pixels below, and
    ///   returns whether all these pixels are opaque now. If it throws, the canvas is reset: the next frame must be a
    ///   keyframe.
    package func draw(_ layout: FrameLayout, _ body: (Pixels) throws -> Bool) throws -> Bitmap {
        let coversAll = layout.rect.covers(size) && layout.replacesBelow
        let showsBelow = isOpaque && pendingClear == nil
        let target = try working(keepingBelow: layout.disposal == .restore, needsContent: !coversAll)
        guard let base = target.bytes.baseAddress else {
            throw ImagingError.imageTooLarge(width: size.width, height: size.height, limit: 0)
        }
        let pixels = Pixels(base: base, bytesPerRow: bytesPerRow, size: size)
        if let pendingClear, !coversAll, !(layout.replacesBelow && layout.rect.contains(pendingClear)) {
            pixels.clear(pendingClear)
        }
        let frameIsOpaque: Bool
        do { frameIsOpaque = try body(pixels) } catch {
            reset()
            throw error
        }
        let resultIsOpaque =
            frameIsOpaque ? showsBelow || layout.rect.covers(size) : showsBelow && !layout.replacesBelow
        if layout.disposal != .restore {
            below = target
            isOpaque = resultIsOpaque
            pendingClear = layout.disposal == .clear && !layout.rect.isEmpty ? layout.rect : nil
        }
        return Bitmap(
            width: size.width, height: size.height, bytesPerRow: bytesPerRow, isOpaque: resultIsOpaque, storage: target)
    }

    /// Returns whether later frames need no pixels of this one, so that `pass` can replace `draw` on the way to them.
    package static func leavesNoPixels(_ layout: FrameLayout) -> Bool {
        layout.disposal != .keep || layout.rect.isEmpty
    }

    /// Skips a frame that leaves no pixels, without decoding it.
    package func pass(_ layout: FrameLayout) throws {
        guard layout.disposal == .clear, !layout.rect.isEmpty else { return }
        if let pendingClear, !layout.rect.contains(pendingClear) {
            let target = try working(keepingBelow: false, needsContent: true)
            if let base = target.bytes.baseAddress {
                Pixels(base: base, bytesPerRow: bytesPerRow, size: size).clear(pendingClear)
            }
            below = target
        }
        isOpaque = false
        pendingClear = layout.rect
    }

    /// Returns memory to draw the next frame on: `below` itself if the canvas is its only owner, otherwise a copy.
    private func working(keepingBelow: Bool, needsContent: Bool) throws -> PixelStorage {
        if !keepingBelow, below != nil, isKnownUniquelyReferenced(&below), let own = below { return own }
        let target = try PixelStorage(byteCount: bytesPerRow * size.height)
        guard needsContent else { return target }
        if let below {
            target.bytes.copyMemory(from: UnsafeRawBufferPointer(below.bytes))
        } else {
            target.bytes.initializeMemory(as: UInt8.self, repeating: 0)
        }
        return target
    }
}
