import CJPEGShim
import CPixelKernels
import TintypeBase

/// Previews of a JPEG while it arrives: a baseline file from the top down, one with several scans whole and blurred first.
///
/// Each preview of several scans costs a pass over the image (about 30 ms for 12 megapixels).
final class JPEGIncrementalDecoder: IncrementalDecoder {
    private let options: DecodeOptions
    /// All bytes until the header is complete.
    private var head = Data()
    /// Number of bytes without which the header is not complete.
    private var neededByteCount = 0
    private var run: Run?

    init(options: DecodeOptions) { self.options = options }

    func append(_ data: Data) throws {
        if let run { return try run.append(data) }
        head.append(data)
        guard head.count >= neededByteCount else { return }
        let header: JPEGHeader
        do {
            header = try head.withUnsafeBytes {
                try JPEGHeader($0, isComplete: false, limits: options.limits)
            }
        } catch ImagingError.needsMoreData(_, let byteCount) {
            neededByteCount = byteCount ?? 0
            return
        }
        try JPEGDecoder.refuseUnsupported(header)
        let run = try Run(header, options: options)
        self.run = run
        try run.append(head)
        head = Data()
    }

    func preview() throws -> DecoderOutput? { try run?.preview() }

    /// The state of decoding after the header.
    private final class Run {
        private let stream: OpaquePointer
        private let pixels: JPEGPixelConverter
        private let header: JPEGHeader
        /// The rows so far of a file with one scan.
        private var canvas: PixelCanvas?
        private var shownRowCount = 0
        private var shownScanCount = 0

        init(_ header: JPEGHeader, options: DecodeOptions) throws {
            guard let stream = cj_stream_new() else { throw ImagingError.outOfMemory(byteCount: nil) }
            self.stream = stream
            self.header = header
            pixels = JPEGPixelConverter(header)
            let plan = try options.plan(storedSize: header.size, orientation: header.orientation)
            cj_stream_configure(
                stream, UInt32(8 / (plan?.decoderReduction ?? 1)), pixels.output, Int32(header.maximumScanCount))
        }

        deinit { cj_stream_free(stream) }

        private var facts: cj_facts { cj_stream_facts(stream).pointee }

        private var size: PixelSize {
            PixelSize(width: Int(facts.output_width), height: Int(facts.output_height))
        }

        private func check(_ code: Int32) throws -> Int {
            guard code >= 0 else { throw JPEGSession.failure(facts) }
            return Int(code)
        }

        func append(_ data: Data) throws {
            try data.withUnsafeBytes { bytes in
                guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
                _ = try check(cj_stream_append(stream, base, bytes.count))
            }
            guard cj_stream_is_started(stream) == 1, facts.has_multiple_scans == 0 else { return }
            try readRows()
        }

        private func readRows() throws {
            let canvas = try self.canvas ?? PixelCanvas(size: size)
            self.canvas = canvas
            while canvas.rowCount < size.height {
                let rows = canvas.row(canvas.rowCount)
                let count = min(64, size.height - canvas.rowCount)
                let got = try check(cj_stream_read(stream, rows, canvas.bytesPerRow, UInt32(count)))
                guard got > 0 else { return }
                for index in 0..<got { pixels.convert(rows + index * canvas.bytesPerRow, width: size.width) }
                canvas.rowCount += got
            }
        }

        func preview() throws -> DecoderOutput? {
            guard cj_stream_is_started(stream) == 1 else { return nil }
            return facts.has_multiple_scans == 0 ? try previewRows() : try previewScan()
        }

        private func previewRows() throws -> DecoderOutput? {
            guard let canvas, canvas.rowCount > shownRowCount else { return nil }
            shownRowCount = canvas.rowCount
            return output(try canvas.snapshot(isOpaque: true), isComplete: canvas.rowCount == size.height)
        }

        private func previewScan() throws -> DecoderOutput? {
            let scanCount = Int(cj_stream_whole_scans(stream))
            guard scanCount > shownScanCount else { return nil }
            shownScanCount = scanCount
            _ = try check(cj_stream_begin_render(stream))
            let size = size
            let bitmap = try Bitmap(width: size.width, height: size.height, isOpaque: true) { bytes, bytesPerRow in
                guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
                var row = 0
                while row < size.height {
                    let rows = base + row * bytesPerRow
                    let count = min(64, size.height - row)
                    let got = try check(cj_stream_render(stream, rows, bytesPerRow, UInt32(count)))
                    guard got > 0 else { throw ImagingError.corrupt(.jpeg, "a scan that ends early") }
                    for index in 0..<got { pixels.convert(rows + index * bytesPerRow, width: size.width) }
                    row += got
                }
            }
            _ = try check(cj_stream_end_render(stream))
            return output(bitmap, isComplete: cj_stream_is_complete(stream) == 1)
        }

        private func output(_ bitmap: Bitmap, isComplete: Bool) -> DecoderOutput {
            DecoderOutput(
                bitmap: bitmap, info: header.info(), isPartial: !isComplete, warnings: pixels.warnings)
        }
    }
}
