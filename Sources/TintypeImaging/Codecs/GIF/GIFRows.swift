/// Draws the rows of one frame on the canvas.
struct GIFRows {
    let frame: GIFIndex.Frame
    /// The part of the canvas that the frame covers.
    let visible: PixelRect

    /// Returns the rows in the order of the file: ascending, or every 8th from 0, every 8th from 4, every 4th from 2, every
    /// 2nd from 1 (GIF89a, appendix E).
    static func rowOrder(height: Int, isInterlaced: Bool) -> [Int] {
        guard isInterlaced else { return Array(0..<height) }
        return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { start, step in
            Array(stride(from: start, to: height, by: step))
        }
    }

    /// Returns, for each row in the order of the file, the number of rows down to the next one of its pass or of earlier
    /// passes.
    private static func gapHeights(height: Int) -> [Int] {
        [(0, 8, 8), (4, 8, 4), (2, 4, 2), (1, 2, 1)].flatMap { start, step, gap in
            stride(from: start, to: height, by: step).map { _ in gap }
        }
    }

    /// Draws the pixels; a colour of 0 keeps those below.
    ///
    /// - Parameter fillsGaps: repeats rows of an interlaced frame over missing ones. Only for an empty canvas.
    func draw(
        _ indices: UnsafePointer<UInt8>, count: Int, palette: [UInt32], on canvas: AnimationCanvas.Pixels,
        fillsGaps: Bool = false
    ) {
        guard !visible.isEmpty else { return }
        let width = frame.rect.width
        let skipped = visible.x - frame.rect.x
        let hasTransparency = frame.transparentIndex != nil && !fillsGaps
        let gaps = fillsGaps && frame.isInterlaced ? Self.gapHeights(height: frame.rect.height) : []
        palette.withUnsafeBufferPointer { colors in
            guard let colors = colors.baseAddress else { return }
            for (position, row) in Self.rowOrder(height: frame.rect.height, isInterlaced: frame.isInterlaced)
                .enumerated()
            {
                let start = position * width
                guard start < count else { break }
                let y = frame.rect.y + row
                guard y < visible.y + visible.height else { continue }
                let length = min(visible.width, count - start - skipped)
                guard length > 0 else { continue }
                let source = indices + start + skipped
                for line in y..<min(y + (gaps.isEmpty ? 1 : gaps[position]), visible.y + visible.height) {
                    let target = canvas.address(x: visible.x, y: line).assumingMemoryBound(to: UInt32.self)
                    if hasTransparency {
                        Self.blend(source, length, colors, target)
                    } else {
                        Self.replace(source, length, colors, target)
                    }
                }
            }
        }
    }

    private static func replace(
        _ source: UnsafePointer<UInt8>, _ count: Int, _ colors: UnsafePointer<UInt32>,
        _ target: UnsafeMutablePointer<UInt32>
    ) {
        var x = 0
        while x < count {
            target[x] = colors[Int(source[x])]
            x &+= 1
        }
    }

    private static func blend(
        _ source: UnsafePointer<UInt8>, _ count: Int, _ colors: UnsafePointer<UInt32>,
        _ target: UnsafeMutablePointer<UInt32>
    ) {
        var x = 0
        while x < count {
            let color = colors[Int(source[x])]
            target[x] = color == 0 ? target[x] : color
            x &+= 1
        }
    }
}
