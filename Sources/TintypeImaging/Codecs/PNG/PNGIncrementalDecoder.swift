import TintypeBase

/// Previews of a PNG while it arrives: from the top down, or, if it is interlaced, whole and coarse first. Bytes are
/// decoded once, when a preview is requested.
final class PNGIncrementalDecoder: IncrementalDecoder {
    private let options: DecodeOptions
    private var data = Data()
    /// Number of bytes without which the header is not complete.
    private var neededByteCount = 0
    private var session: Session?

    init(options: DecodeOptions) { self.options = options }

    func append(_ data: Data) throws {
        self.data.append(data)
        guard session == nil, self.data.count >= neededByteCount else { return }
        do {
            session = try Session(readFile())
        } catch ImagingError.needsMoreData(_, let byteCount) {
            neededByteCount = byteCount ?? 0
        }
    }

    func preview() throws -> DecoderOutput? {
        guard let session else { return nil }
        let file = try readFile()
        return try data.withUnsafeBytes { try session.preview(file, bytes: $0) }
    }

    private func readFile() throws -> PNGFile {
        let file = try data.withUnsafeBytes {
            try PNGFile($0, isComplete: false, isLenient: true, limits: options.limits)
        }
        guard !file.imageData.isEmpty else { throw ImagingError.corrupt(.png, "it has no image data") }
        return file
    }

    /// The state of decoding the image data.
    private final class Session {
        private let inflater: PNGInflater
        private let canvas: PixelCanvas
        private var placer: PNGRowPlacer
        private let warnings: [String]
        /// Offset in the file of the next byte to inflate.
        private var position = 0
        private var rowCount = 0
        private var shownRowCount = 0

        init(_ file: PNGFile) throws {
            let size = file.header.size
            var warnings = file.warnings
            let transform = file.color.transform(for: file.header, warnings: &warnings)
            self.warnings = warnings
            inflater = try PNGInflater(header: file.header, size: size)
            canvas = try PixelCanvas(size: size)
            placer = try PNGRowPlacer(
                converter: PNGRowConverter(file, transform: transform), size: size,
                isInterlaced: file.header.isInterlaced, canvas: canvas)
        }

        func preview(_ file: PNGFile, bytes: UnsafeRawBufferPointer) throws -> DecoderOutput? {
            for piece in file.imageData where piece.upperBound > position {
                let rest = max(piece.lowerBound, position)..<piece.upperBound
                try inflater.append(UnsafeRawBufferPointer(rebasing: bytes[rest])) { samples, pass, row in
                    try placer.place(samples, pass: pass, row: row, fillsBlocks: true)
                    rowCount += 1
                }
                if let damage = inflater.damage { throw ImagingError.corrupt(.png, damage) }
                position = piece.upperBound
            }
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
