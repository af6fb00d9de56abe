import CJPEGShim
import TintypeBase

/// JPEG (ITU-T T.81) through libjpeg: baseline, progressive and arithmetic, grey, colour, CMYK and YCCK.
struct JPEGDecoder: ImageDecoder {
    var format: ImageFormat { .jpeg }

    func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
        try data.withUnsafeBytes { try JPEGHeader($0, isComplete: isComplete, limits: limits).info() }
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        try data.withUnsafeBytes { bytes in
            let header = try JPEGHeader(bytes, isComplete: true, limits: options.limits)
            try Self.refuseUnsupported(header)
            guard options.isLenient || header.canHoldImage(byteCount: bytes.count) else {
                throw ImagingError.truncated(.jpeg)
            }
            return try JPEGImageDecoding(header: header, options: options).run(bytes)
        }
    }

    func incrementalDecoder(options: DecodeOptions) -> (any IncrementalDecoder)? {
        JPEGIncrementalDecoder(options: options)
    }

    /// Throws for the kinds of JPEG that libjpeg cannot decode.
    static func refuseUnsupported(_ header: JPEGHeader) throws {
        guard [0, 1, 2, 9, 10].contains(header.process) else {
            throw ImagingError.unsupportedFormat("a lossless or hierarchical JPEG, process \(header.process)")
        }
        guard header.precision == 8 else {
            throw ImagingError.unsupportedFormat("a JPEG with \(header.precision) bits a sample; 8 can be decoded")
        }
        guard [1, 3, 4].contains(header.componentCount) else {
            throw ImagingError.unsupportedFormat("a JPEG with \(header.componentCount) components")
        }
    }
}

/// The decoding of one whole JPEG, into the bitmap or through the resampler.
private struct JPEGImageDecoding {
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
        // A file with several scans has been read completely by now.
        if isIncomplete(session.facts), !options.isLenient { throw ImagingError.truncated(.jpeg) }
        let destination = plan.makeSink()
        // Missing rows of a lenient image are transparent.
        try destination.begin(size: size, isOpaque: !options.isLenient)
        let rowCount = try read(session, size: size, sink: destination)
        let isPartial = rowCount < size.height || isIncomplete(session.facts)
        if isPartial, !options.isLenient { throw ImagingError.truncated(.jpeg) }
        var warnings = pixels.warnings
        if session.facts.warning_count > 0, !isPartial {
            warnings.append("the data is slightly damaged: \(session.message)")
        }
        return DecoderOutput(
            bitmap: try destination.finish(isOpaque: rowCount == size.height), info: header.info(),
            isPartial: isPartial, isAtTargetSize: true, warnings: warnings)
    }

    /// Returns whether data is missing. Without an end marker there may be further scans, so all coefficients must be
    /// there. Arithmetic coding reads past its data by design, so a missing end marker counts as truncation.
    private func isIncomplete(_ facts: cj_facts) -> Bool {
        guard facts.ran_out != 0 else { return false }
        return facts.lacks_data != 0 || facts.is_complete == 0 || header.process > 8
    }

    /// Returns the number of rows that were decoded from data, not filled in by libjpeg.
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

    /// Reads rows; nil if libjpeg gives up and decoding is lenient.
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
