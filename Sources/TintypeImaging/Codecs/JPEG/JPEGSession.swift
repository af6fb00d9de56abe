import CJPEGShim

/// One run of libjpeg over a whole file. The bytes must outlive it.
final class JPEGSession {
    private let decoder: OpaquePointer

    init(_ bytes: UnsafeRawBufferPointer) throws {
        guard let decoder = cj_decoder_new() else { throw ImagingError.processorFailed("no memory for libjpeg") }
        self.decoder = decoder
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { throw ImagingError.emptyBody }
        guard cj_decoder_open(decoder, base, bytes.count) == 0 else { throw failure() }
    }

    deinit { cj_decoder_free(decoder) }

    var facts: cj_facts { cj_decoder_facts(decoder).pointee }

    /// - Parameter scale: eighths of the stored size, 1…8.
    func start(scale: Int, output: cj_output, maximumScanCount: Int) throws -> PixelSize {
        guard cj_decoder_start(decoder, UInt32(scale), output, Int32(maximumScanCount)) == 0 else { throw failure() }
        let facts = facts
        return PixelSize(width: Int(facts.output_width), height: Int(facts.output_height))
    }

    func read(_ rows: UnsafeMutableRawPointer, bytesPerRow: Int, count: Int) throws -> Int {
        let got = cj_decoder_read(
            decoder, rows.assumingMemoryBound(to: UInt8.self), bytesPerRow, UInt32(min(count, 64)))
        guard got > 0 else { throw failure() }
        return Int(got)
    }

    private func failure() -> ImagingError {
        facts.ran_out != 0 ? .truncated(.jpeg) : .corrupt(.jpeg, message)
    }

    var message: String { Self.text(facts) }

    static func text(_ facts: cj_facts) -> String {
        withUnsafeBytes(of: facts.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
