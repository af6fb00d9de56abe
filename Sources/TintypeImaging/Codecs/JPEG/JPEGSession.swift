import CJPEGShim
import CPixelKernels

/// One run of libjpeg over a whole file. The bytes must outlive it.
final class JPEGSession {
    private let decoder: OpaquePointer

    init(_ bytes: UnsafeRawBufferPointer) throws {
        guard let decoder = cj_decoder_new() else { throw ImagingError.outOfMemory(byteCount: nil) }
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

    private func failure() -> ImagingError { Self.failure(facts) }

    /// Returns the error for which libjpeg gave up.
    static func failure(_ facts: cj_facts) -> ImagingError {
        switch facts.failure {
        case CJ_FAILURE_MEMORY: .outOfMemory(byteCount: nil)
        case CJ_FAILURE_UNSUPPORTED: .unsupportedFormat("a JPEG that libjpeg cannot decode: \(text(facts))")
        default: facts.ran_out != 0 ? .truncated(.jpeg) : .corrupt(.jpeg, text(facts))
        }
    }

    var message: String { Self.text(facts) }

    static func text(_ facts: cj_facts) -> String {
        withUnsafeBytes(of: facts.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

/// Converts rows of libjpeg to sRGB RGBA8, in place.
struct JPEGPixelConverter {
    private let transform: ColorTransform?
    private let isCMYK: Bool
    /// What was ignored of the header and the profile.
    let warnings: [String]

    /// The output that libjpeg must return.
    var output: cj_output { isCMYK ? CJ_OUTPUT_CMYK : CJ_OUTPUT_RGBA }

    init(_ header: JPEGHeader) {
        isCMYK = header.componentCount == 4
        var warnings = header.warnings
        transform = ColorManagement.transform(
            profile: header.iccProfile, model: isCMYK ? .cmyk : header.componentCount == 1 ? .gray : .rgb,
            layout: isCMYK ? .cmyk8Inverted : .rgba8, warnings: &warnings)
        self.warnings = warnings
    }

    func convert(_ row: UnsafeMutablePointer<UInt8>, width: Int) {
        if let transform {
            transform.convert(from: row, to: row, pixelCount: width)
        } else if isCMYK {
            // Photoshop stores ink inverted, and so do writers that leave out its marker.
            ck_cmyk_to_rgba(row, row, width, 1)
        }
    }
}
