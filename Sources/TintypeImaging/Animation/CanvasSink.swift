/// Draws the rows of a decoder on the canvas: directly in its memory if they replace the pixels there, otherwise through
/// a few rows of scratch memory.
final class CanvasSink: RowSink {
    private static let scratchRowCount = 8

    private let layout: FrameLayout
    private let pixels: AnimationCanvas.Pixels
    private var scratch: PixelStorage?
    private var nextRow = 0

    /// - Parameter layout: its rectangle must lie on the canvas and have the size of the frame.
    init(_ layout: FrameLayout, pixels: AnimationCanvas.Pixels) {
        self.layout = layout
        self.pixels = pixels
    }

    func begin(size: PixelSize, isOpaque: Bool) throws {
        guard size.width == layout.rect.width, size.height == layout.rect.height else {
            throw ImagingError.processorFailed("a frame of \(size) does not fit its rectangle")
        }
        if !layout.replacesBelow {
            scratch = try PixelStorage(
                byteCount: Bitmap.bytesPerRow(width: size.width, height: 1) * Self.scratchRowCount)
        }
    }

    var maximumRowCount: Int {
        let left = layout.rect.height - nextRow
        return scratch == nil ? left : min(left, Self.scratchRowCount)
    }

    func rows(_ count: Int) throws -> (bytes: UnsafeMutableRawPointer, bytesPerRow: Int) {
        guard count > 0, count <= maximumRowCount else {
            throw ImagingError.processorFailed("a decoder requested \(count) rows of \(maximumRowCount)")
        }
        if let base = scratch?.bytes.baseAddress { return (base, layout.rect.width * 4) }
        return (pixels.address(x: layout.rect.x, y: layout.rect.y + nextRow), pixels.bytesPerRow)
    }

    func commit(_ count: Int) throws {
        if let base = scratch?.bytes.baseAddress {
            let width = layout.rect.width
            for row in 0..<count {
                PremultipliedRow(base + row * width * 4, count: width).draw(
                    on: pixels.address(x: layout.rect.x, y: layout.rect.y + nextRow + row), replacing: false)
            }
        }
        nextRow += count
    }

    /// Makes missing rows transparent where the frame replaces the pixels below.
    func fillRest() {
        guard layout.replacesBelow, nextRow < layout.rect.height else { return }
        pixels.clear(
            PixelRect(
                x: layout.rect.x, y: layout.rect.y + nextRow, width: layout.rect.width,
                height: layout.rect.height - nextRow))
        nextRow = layout.rect.height
    }
}

/// A row of premultiplied RGBA pixels to draw on the canvas.
struct PremultipliedRow {
    private let source: UnsafePointer<UInt32>
    private let count: Int

    /// - Parameter address: aligned to 4 bytes.
    init(_ address: UnsafeRawPointer, count: Int) {
        source = address.assumingMemoryBound(to: UInt32.self)
        self.count = count
    }

    func draw(on target: UnsafeMutableRawPointer, replacing: Bool) {
        let target = target.assumingMemoryBound(to: UInt32.self)
        if replacing { target.update(from: source, count: count) } else { blend(onto: target) }
    }

    /// Blends source over: `s + d * (256 - alpha) / 256` in each byte, as libwebp does. No byte can overflow, because a
    /// premultiplied one is never larger than its alpha.
    private func blend(onto target: UnsafeMutablePointer<UInt32>) {
        let mask: UInt32 = 0x00FF_00FF
        var x = 0
        while x < count {
            let pixel = UInt32(littleEndian: source[x])
            let alpha = pixel &>> 24
            if alpha == 255 {
                target[x] = source[x]
            } else if alpha != 0 {
                let below = UInt32(littleEndian: target[x])
                let scale = 256 &- alpha
                let redBlue = (((below & mask) &* scale) &>> 8) & mask
                let greenAlpha = (((below &>> 8) & mask) &* scale) & ~mask
                target[x] = UInt32(littleEndian: pixel &+ (redBlue | greenAlpha))
            }
            x &+= 1
        }
    }
}
