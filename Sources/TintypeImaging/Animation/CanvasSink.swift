/// Takes the rows of a frame from a decoder and puts them on the canvas: straight into its memory if they replace what
/// is there, else by way of a few rows of scratch memory.
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
            throw ImagingError.processorFailed("a frame of \(size) does not fit its place")
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
            throw ImagingError.processorFailed("a decoder asked for \(count) rows of \(maximumRowCount)")
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

    /// Makes the rows that never came transparent, where the frame replaces what is below.
    func fillRest() {
        guard layout.replacesBelow, nextRow < layout.rect.height else { return }
        pixels.clear(
            PixelRect(
                x: layout.rect.x, y: layout.rect.y + nextRow, width: layout.rect.width,
                height: layout.rect.height - nextRow))
        nextRow = layout.rect.height
    }
}
