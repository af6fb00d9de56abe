import TintypeBase

/// Shows a PNG while it arrives: from the top down, or, if it is interlaced, whole and coarse first.
final class PNGIncrementalDecoder: IncrementalDecoder {
    private let options: DecodeOptions
    /// All bytes until the image data begins.
    private var head = Data()
    /// Bytes without which another look at the head is in vain.
    private var neededByteCount = 0
    private var run: Run?

    init(options: DecodeOptions) { self.options = options }

    func append(_ data: Data) throws {
        if let run { return try data.withUnsafeBytes { try run.append($0) } }
        head.append(data)
        guard head.count >= neededByteCount else { return }
        do {
            run = try head.withUnsafeBytes { bytes in
                let file = try PNGFile(bytes, isComplete: false, isLenient: true, limits: options.limits)
                guard let first = file.imageData.first else {
                    throw ImagingError.corrupt(.png, "it has no image data")
                }
                let run = try Run(file, bytes: bytes)
                try run.append(UnsafeRawBufferPointer(rebasing: bytes[(first.lowerBound - 8)...]))
                return run
            }
            head = Data()
        } catch ImagingError.needsMoreData(_, let byteCount) {
            neededByteCount = byteCount ?? 0
        }
    }

    func preview() throws -> DecoderOutput? { try run?.preview() }

    /// Everything from the first IDAT chunk on.
    private final class Run {
        private let file: PNGFile
        private let inflater: PNGInflater
        private let canvas: PixelCanvas
        private var placer: PNGRowPlacer
        private let warnings: [String]
        private var rowCount = 0
        private var shownRowCount = 0

        // Where in the chunks the next byte lies.
        private var chunkHead: [UInt8] = []
        private var dataLeft = 0
        private var checksumLeft = 0
        private var isOver = false

        init(_ file: PNGFile, bytes: UnsafeRawBufferPointer) throws {
            self.file = file
            let size = file.header.size
            var warnings = file.warnings
            let transform = file.color.transform(for: file.header, warnings: &warnings)
            self.warnings = warnings
            inflater = try PNGInflater(header: file.header, size: size)
            let canvas = try PixelCanvas(size: size)
            self.canvas = canvas
            placer = try PNGRowPlacer(
                converter: PNGRowConverter(file, transform: transform), size: size,
                isInterlaced: file.header.isInterlaced, canvas: canvas)
        }

        func append(_ bytes: UnsafeRawBufferPointer) throws {
            var offset = 0
            while offset < bytes.count, !isOver {
                let left = bytes.count - offset
                if checksumLeft > 0 {
                    let count = min(checksumLeft, left)
                    checksumLeft -= count
                    offset += count
                } else if dataLeft > 0 {
                    let count = min(dataLeft, left)
                    try inflate(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
                    dataLeft -= count
                    offset += count
                    if dataLeft == 0 { checksumLeft = 4 }
                } else {
                    chunkHead.append(bytes[offset])
                    offset += 1
                    if chunkHead.count == 8 { beginChunk() }
                }
            }
        }

        private func beginChunk() {
            let (length, type) = chunkHead.withUnsafeBytes { bytes in
                let reader = ByteReader(bytes)
                return (reader.uint32(0) ?? 0, UInt32(reader.uint32(4) ?? 0))
            }
            chunkHead.removeAll(keepingCapacity: true)
            guard type == PNGChunk.data, length <= 0x7FFF_FFFF else {
                isOver = true
                return
            }
            dataLeft = length
            if length == 0 { checksumLeft = 4 }
        }

        private func inflate(_ bytes: UnsafeRawBufferPointer) throws {
            try inflater.append(bytes) { samples, pass, row in
                try placer.place(samples, pass: pass, row: row, fillsBlocks: true)
                rowCount += 1
            }
            if let damage = inflater.damage { throw ImagingError.corrupt(.png, damage) }
        }

        func preview() throws -> DecoderOutput? {
            guard rowCount > shownRowCount else { return nil }
            shownRowCount = rowCount
            // A coarse pass covers everything down to its last row.
            if file.header.isInterlaced { canvas.rowCount = file.header.size.height }
            let isOpaque = inflater.isFinished && placer.converter.alphaAnd == 255
            return DecoderOutput(
                bitmap: try canvas.snapshot(isOpaque: isOpaque), info: file.info(isWholeFile: false),
                isPartial: !inflater.isFinished, warnings: warnings)
        }
    }
}
