import CJPEGShim
import CPixelKernels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// JPEG (ITU-T T.81) through libjpeg: baseline, progressive and arithmetic, grey, colour, CMYK and YCCK.
public struct JPEGDecoder: ImageDecoder {
    public init() {}

    public var format: ImageFormat { .jpeg }

    public func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
        try data.withUnsafeBytes { try JPEGHeader($0, isComplete: isComplete, limits: limits).info() }
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        try data.withUnsafeBytes { bytes in
            let header = try JPEGHeader(bytes, isComplete: true, limits: options.limits)
            try Self.refuseUnsupported(header)
            guard options.isLenient || header.canHoldPicture(byteCount: bytes.count) else {
                throw ImagingError.truncated(.jpeg)
            }
            var decoding = JPEGPictureDecoding(header: header, options: options)
            return try decoding.run(bytes)
        }
    }

    /// What libjpeg of any distribution lacks, said in words of the format.
    private static func refuseUnsupported(_ header: JPEGHeader) throws {
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

/// Decodes one JPEG into rows: straight into the bitmap, or through the resampler.
private struct JPEGPictureDecoding {
    let header: JPEGHeader
    let options: DecodeOptions
    private var warnings: [String]

    init(header: JPEGHeader, options: DecodeOptions) {
        self.header = header
        self.options = options
        warnings = header.warnings
    }

    mutating func run(_ bytes: UnsafeRawBufferPointer) throws -> DecoderOutput {
        let session = try JPEGSession(bytes)
        let isCMYK = header.componentCount == 4
        let transform = ColorManagement.transform(
            profile: header.iccProfile, model: isCMYK ? .cmyk : header.componentCount == 1 ? .gray : .rgb,
            layout: isCMYK ? .cmyk8Inverted : .rgba8, warnings: &warnings)
        let plan = try options.plan(storedSize: header.size, orientation: header.orientation)
        let size = try session.start(
            scale: 8 / (plan?.decoderReduction ?? 1), output: isCMYK ? CJ_OUTPUT_CMYK : CJ_OUTPUT_RGBA,
            maximumScanCount: header.maximumScanCount)
        if session.facts.has_multiple_scans != 0 { try checkScans(session.facts) }
        let destination = DecodeDestination(plan)
        // What is missing from a lenient picture is transparent.
        try destination.begin(size: size, isOpaque: !options.isLenient)
        let goodRows = try read(session, size: size, transform: transform, sink: destination)
        let isPartial = goodRows < size.height || isIncomplete(session.facts)
        try destination.fillRest()
        if session.facts.warning_count > 0, !isPartial {
            warnings.append("the data is slightly damaged: \(session.message)")
        }
        return DecoderOutput(
            bitmap: try destination.finish(isOpaque: goodRows == size.height), info: header.info(),
            isPartial: isPartial, warnings: warnings)
    }

    private func isIncomplete(_ facts: cj_facts) -> Bool {
        guard facts.ran_out != 0 else { return false }
        return facts.lacks_data != 0 || facts.is_complete == 0 || header.process > 8
    }

    /// A file with several scans is read whole before the first row comes out.
    private func checkScans(_ facts: cj_facts) throws {
        guard !options.isLenient, isIncomplete(facts) else { return }
        throw ImagingError.truncated(.jpeg)
    }

    /// Returns how many rows came from real data.
    private func read(
        _ session: JPEGSession, size: PixelSize, transform: ColorTransform?, sink: any RowSink
    ) throws -> Int {
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
            for index in 0..<good { convert(rows + index * bytesPerRow, width: size.width, transform) }
            try sink.commit(good)
            row += good
            if good < count { break }
        }
        if isSingleScan, header.process > 8, session.facts.ran_out != 0, !options.isLenient {
            throw ImagingError.truncated(.jpeg)
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

    private func convert(_ row: UnsafeMutableRawPointer, width: Int, _ transform: ColorTransform?) {
        if let transform {
            transform.convert(from: row, to: row, pixelCount: width)
        } else if header.componentCount == 4 {
            // Photoshop stores ink inverted, and what writes CMYK without its marker does as it does.
            let bytes = row.assumingMemoryBound(to: UInt8.self)
            ck_cmyk_to_rgba(bytes, bytes, width, 1)
        }
    }
}
