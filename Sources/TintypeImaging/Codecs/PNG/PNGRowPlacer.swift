/// Puts the finished rows of a PNG's passes where they belong: into a sink as they come, or, for an interlaced image,
/// into a canvas that all passes share.
struct PNGRowPlacer {
    /// Nil if the canvas is all there is.
    private let sink: (any RowSink)?
    private let size: PixelSize
    private(set) var converter: PNGRowConverter
    /// The whole image of an interlaced file.
    private let canvas: PixelCanvas?
    private let isInterlaced: Bool
    /// One finished row of a pass, before it is spread.
    private var passRow: [UInt32] = []

    init(converter: PNGRowConverter, size: PixelSize, isInterlaced: Bool, sink: any RowSink) throws {
        self.converter = converter
        self.size = size
        self.sink = sink
        self.isInterlaced = isInterlaced
        canvas = isInterlaced ? try PixelCanvas(size: size) : nil
        if isInterlaced { passRow = [UInt32](repeating: 0, count: size.width) }
    }

    /// Everything goes into `canvas`, which counts the rows of an image that is not interlaced.
    init(converter: PNGRowConverter, size: PixelSize, isInterlaced: Bool, canvas: PixelCanvas) throws {
        self.converter = converter
        self.size = size
        sink = nil
        self.isInterlaced = isInterlaced
        self.canvas = canvas
        if isInterlaced { passRow = [UInt32](repeating: 0, count: size.width) }
    }

    /// - Parameter fillsBlocks: later passes may never come, or not soon: a pixel covers their places until they do.
    mutating func place(
        _ raw: UnsafePointer<UInt8>, pass: PNGPass, row: Int, fillsBlocks: Bool
    ) throws {
        guard isInterlaced, let canvas else { return try placeWhole(raw) }
        let y = pass.y + row * pass.yStep
        let lines = y..<(fillsBlocks ? min(y + pass.blockHeight, size.height) : y + 1)
        let width = fillsBlocks ? pass.blockWidth : 1
        passRow.withUnsafeMutableBufferPointer { pixels in
            guard let base = pixels.baseAddress else { return }
            base.withMemoryRebound(to: UInt8.self, capacity: size.width * 4) {
                converter.convert(raw, to: $0, width: pass.size.width)
            }
            for line in lines {
                canvas.row(line).withMemoryRebound(to: UInt32.self, capacity: size.width) { target in
                    for index in 0..<pass.size.width {
                        let x = pass.x + index * pass.xStep
                        for place in x..<min(x + width, size.width) { target[place] = base[index] }
                    }
                }
            }
        }
    }

    private mutating func placeWhole(_ raw: UnsafePointer<UInt8>) throws {
        if let sink {
            let (bytes, _) = try sink.rows(1)
            converter.convert(raw, to: bytes.assumingMemoryBound(to: UInt8.self), width: size.width)
            try sink.commit(1)
        } else if let canvas, canvas.rowCount < size.height {
            converter.convert(raw, to: canvas.row(canvas.rowCount), width: size.width)
            canvas.rowCount += 1
        }
    }

    /// Hands an interlaced image to the sink; the others are there already.
    func finish() throws {
        guard let canvas, let sink else { return }
        var row = 0
        while row < size.height {
            let count = min(sink.maximumRowCount, size.height - row)
            let (bytes, bytesPerRow) = try sink.rows(count)
            for index in 0..<count {
                (bytes + index * bytesPerRow).copyMemory(from: canvas.row(row + index), byteCount: size.width * 4)
            }
            try sink.commit(count)
            row += count
        }
    }
}
