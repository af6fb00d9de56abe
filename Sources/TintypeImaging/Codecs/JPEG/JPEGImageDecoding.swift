import CJPEGShim

/// Decodes one whole JPEG into rows: straight into the bitmap, or through the resampler.
struct JPEGImageDecoding {
    private let header: JPEGHeader
    private let options: DecodeOptions
    private let pixels: JPEGPixelConverter

    init(header: JPEGHeader, options: DecodeOptions) {
        self.header = header
        self.options = options
        pixels = JPEGPixelConverter(header)
    }

    func run(_ bytes: UnsafeRawBufferPointer) throws -> DecoderOutput {
        let session = try JPEGSession(bytes)
        let plan = try options.plan(storedSize: header.size, orientation: header.orientation)
        let reduction = plan?.decoderReduction ?? 1
        let size = try session.start(
            scale: 8 / reduction, output: pixels.output, maximumScanCount: header.maximumScanCount)
        // A file with several scans was read whole by now.
        if isIncomplete(session.facts), !options.isLenient { throw ImagingError.truncated(.jpeg) }
        let destination = DecodeDestination(plan)
        // What is missing from a lenient image is transparent.
        try destination.begin(size: size, isOpaque: !options.isLenient)
        let rowCount = try read(session, size: size, sink: destination)
        let isPartial = rowCount < size.height || isIncomplete(session.facts)
        if isPartial, !options.isLenient { throw ImagingError.truncated(.jpeg) }
        try destination.fillRest()
        var warnings = pixels.warnings
        if session.facts.warning_count > 0, !isPartial {
            warnings.append("the data is slightly damaged: \(session.message)")
        }
        return DecoderOutput(
            bitmap: try destination.finish(isOpaque: rowCount == size.height), info: header.info(),
            isPartial: isPartial, warnings: warnings)
    }

    /// A missing end marker alone does no harm, but then nothing says that no further scan was meant to come: all
    /// coefficients must be there. Arithmetic coding reads past its data by design and cannot tell.
    private func isIncomplete(_ facts: cj_facts) -> Bool {
        guard facts.ran_out != 0 else { return false }
        return facts.lacks_data != 0 || facts.is_complete == 0 || header.process > 8
    }

    /// Returns how many rows came from real data.
    private func read(_ session: JPEGSession, size: PixelSize, sink: any RowSink) throws -> Int {
        let isSingleScan = session.facts.has_multiple_scans == 0
        let group = min(max(1, Int(session.facts.row_group)), 64)
        var row = 0
        while row < size.height {
            let wanted = min(group, size.height - row, sink.maximumRowCount)
            let (rows, bytesPerRow) = try sink.rows(wanted)
            guard let count = try readOrStop(session, rows, bytesPerRow, wanted, row: row) else { break }
            var good = count
            let facts = session.facts
            if isSingleScan, facts.lacks_data != 0, facts.ran_out != 0 {
                guard options.isLenient else { throw ImagingError.truncated(.jpeg) }
                good = min(count, max(0, Int(facts.good_rows) - row))
            }
            for index in 0..<good {
                pixels.convert((rows + index * bytesPerRow).assumingMemoryBound(to: UInt8.self), width: size.width)
            }
            try sink.commit(good)
            row += good
            if good < count { break }
        }
        return row
    }

    /// Nil if the data is damaged beyond libjpeg's patience, and the rows before it are wanted nevertheless.
    private func readOrStop(
        _ session: JPEGSession, _ rows: UnsafeMutableRawPointer, _ bytesPerRow: Int, _ count: Int, row: Int
    ) throws -> Int? {
        do {
            return try session.read(rows, bytesPerRow: bytesPerRow, count: count)
        } catch  where options.isLenient && row > 0 {
            return nil
        }
    }
}
