/// Puts the finished rows of a PNG's passes where they belong: into a sink as they come, or, for an interlaced picture,
/// into a canvas that all passes share.
struct PNGRowPlacer {
    private let sink: any RowSink
    private let size: PixelSize
    private var canvas: Canvas?
    private(set) var converter: PNGRowConverter

    /// The whole picture of an interlaced file.
    private final class Canvas {
        let storage: PixelStorage
        let bytesPerRow: Int
        /// One finished row of a pass, before it is spread.
        let row: UnsafeMutablePointer<UInt8>

        init(size: PixelSize) throws {
            bytesPerRow = try Bitmap.bytesPerRow(width: size.width, height: size.height)
            storage = PixelStorage(byteCount: bytesPerRow * size.height)
            storage.bytes.initializeMemory(as: UInt8.self, repeating: 0)
            row = .allocate(capacity: bytesPerRow)
        }

        deinit { row.deallocate() }
    }

    init(converter: PNGRowConverter, size: PixelSize, isInterlaced: Bool, sink: any RowSink) throws {
        self.converter = converter
        self.size = size
        self.sink = sink
        if isInterlaced { canvas = try Canvas(size: size) }
    }

    /// - Parameter fillsBlocks: later passes may never come, or not soon: a pixel covers their places until they do.
    mutating func place(
        _ raw: UnsafePointer<UInt8>, pass: PNGPass, row: Int, fillsBlocks: Bool
    ) throws {
        guard let canvas else {
            let (bytes, _) = try sink.rows(1)
            converter.convert(raw, to: bytes.assumingMemoryBound(to: UInt8.self), width: size.width)
            return try sink.commit(1)
        }
        converter.convert(raw, to: canvas.row, width: pass.size.width)
        guard let base = canvas.storage.bytes.baseAddress else { return }
        let y = pass.y + row * pass.yStep
        let height = fillsBlocks ? min(pass.blockHeight, size.height - y) : 1
        let width = fillsBlocks ? pass.blockWidth : 1
        canvas.row.withMemoryRebound(to: UInt32.self, capacity: pass.size.width) { pixels in
            for line in y..<y + height {
                let target = (base + line * canvas.bytesPerRow).assumingMemoryBound(to: UInt32.self)
                for index in 0..<pass.size.width {
                    let x = pass.x + index * pass.xStep
                    for place in x..<min(x + width, size.width) { target[place] = pixels[index] }
                }
            }
        }
    }

    /// Hands an interlaced picture to the sink; the others are there already.
    func finish() throws {
        guard let canvas, let base = canvas.storage.bytes.baseAddress else { return }
        var row = 0
        while row < size.height {
            let count = min(sink.maximumRowCount, size.height - row)
            let (bytes, bytesPerRow) = try sink.rows(count)
            for index in 0..<count {
                (bytes + index * bytesPerRow).copyMemory(
                    from: base + (row + index) * canvas.bytesPerRow, byteCount: size.width * 4)
            }
            try sink.commit(count)
            row += count
        }
    }
}
