/// Places the rows of all passes of a PNG: into a sink, or, for an interlaced image, into a canvas that all passes share.
struct PNGRowPlacer {
    /// Nil if only the canvas is filled.
    private let sink: (any RowSink)?
    private let size: PixelSize
    private(set) var converter: PNGRowConverter
    /// The whole image of an interlaced file.
    private let canvas: PixelCanvas?
    private let isInterlaced: Bool
    /// One converted row of a pass, before its pixels are distributed.
    private var passRow: [UInt32] = []

    /// - Parameters:
    ///   - sink: nil places all rows in the canvas.
    ///   - canvas: counts the rows of an image that is not interlaced; by default only an interlaced image has one.
    init(
        converter: PNGRowConverter, size: PixelSize, isInterlaced: Bool, sink: (any RowSink)? = nil,
        canvas: PixelCanvas? = nil
    ) throws {
        self.converter = converter
        self.size = size
        self.sink = sink
        self.isInterlaced = isInterlaced
        self.canvas = try canvas ?? (isInterlaced ? PixelCanvas(size: size) : nil)
        if isInterlaced { passRow = [UInt32](repeating: 0, count: size.width) }
    }

    /// - Parameter fillsBlocks: true lets a pixel cover its block until later passes arrive, which may never happen.
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

    /// Copies an interlaced image to the sink; other images are there already.
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
