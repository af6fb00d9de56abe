import CZlib

/// Inflates the image data of a PNG in pieces, reverses the row filters, and yields rows; needs two rows of memory.
///
/// For large images that are scaled down, for damaged ones, and for those that are still arriving. Other images go
/// through libdeflate, which is three times faster but needs all data at once.
final class PNGInflater {
    private var stream = z_stream()
    private let header: PNGHeader
    private let passes: [PNGPass]
    private var passIndex = 0
    private var row = 0
    private var filled = 0
    private var rowByteCount: Int
    private let rows: (KernelBuffer<UInt8>, KernelBuffer<UInt8>)
    private var current: UnsafeMutablePointer<UInt8>
    private var previous: UnsafeMutablePointer<UInt8>
    /// Why no more rows can be decoded; nil if the data is intact so far.
    private(set) var damage: String?

    /// True after the last row.
    var isFinished: Bool { passIndex == passes.count }

    /// - Throws: `ImagingError.outOfMemory`.
    init(header: PNGHeader, size: PixelSize) throws {
        self.header = header
        passes = header.passes(size: size)
        rowByteCount = header.rowByteCount(width: passes.first?.size.width ?? 0) + 1
        // Kernels read a little past the end of a row.
        let capacity = header.rowByteCount(width: size.width) + 1 + 16
        rows = (try KernelBuffer(count: capacity), try KernelBuffer(count: capacity))
        current = rows.0.base
        previous = rows.1.base
        guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw ImagingError.outOfMemory(byteCount: nil)
        }
    }

    deinit {
        inflateEnd(&stream)
    }

    /// Takes the next compressed bytes and calls `body` for each complete row with its samples, pass and number.
    func append(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafePointer<UInt8>, PNGPass, Int) throws -> Void
    ) throws {
        guard damage == nil, !isFinished, let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        stream.next_in = UnsafeMutablePointer(mutating: base)
        var left = bytes.count
        while left > 0, damage == nil, !isFinished {
            let portion = min(left, 1 << 30)
            stream.avail_in = UInt32(portion)
            try drain(body)
            left -= portion - Int(stream.avail_in)
            if stream.avail_in == UInt32(portion) { break }
        }
    }

    private func drain(_ body: (UnsafePointer<UInt8>, PNGPass, Int) throws -> Void) throws {
        while damage == nil, !isFinished {
            stream.next_out = current + filled
            stream.avail_out = UInt32(clamping: rowByteCount - filled)
            let code = inflate(&stream, Z_NO_FLUSH)
            filled = rowByteCount - Int(stream.avail_out)
            if filled == rowByteCount { try finishRow(body) }
            switch code {
            case Z_OK: if stream.avail_in == 0, stream.avail_out > 0 { return }
            case Z_BUF_ERROR: return
            case Z_STREAM_END:
                if !isFinished { damage = "the image data is shorter than the image" }
                return
            default:
                if !isFinished { damage = stream.msg.map { String(cString: $0) } ?? "zlib error \(code)" }
                return
            }
        }
    }

    private func finishRow(_ body: (UnsafePointer<UInt8>, PNGPass, Int) throws -> Void) throws {
        let filter = current[0]
        guard filter <= 4 else {
            damage = "row filter \(filter) does not exist"
            return
        }
        let pass = passes[passIndex]
        if filter > 0 {
            pixelKernels.png_unfilter(
                current + 1, previous + 1, rowByteCount - 1, UInt32(header.filterStride), UInt32(filter))
        }
        try body(current + 1, pass, row)
        swap(&current, &previous)
        filled = 0
        row += 1
        guard row == pass.size.height else { return }
        row = 0
        passIndex += 1
        guard passIndex < passes.count else { return }
        rowByteCount = header.rowByteCount(width: passes[passIndex].size.width) + 1
        previous.update(repeating: 0, count: rowByteCount)
    }
}
