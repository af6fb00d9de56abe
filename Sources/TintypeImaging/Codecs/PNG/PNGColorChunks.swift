import CZlib
import TintypeBase

/// The chunks that define the colours of a PNG (PNG spec, third edition, 4.3), by precedence: cICP, iCCP, sRGB, gAMA with
/// cHRM.
struct PNGColorChunks: Sendable, Hashable {
    var codePoints: CodingIndependentCodePoints?
    var profile: Data?
    var isSRGB = false
    /// The exponent from light to samples; 1/2.2 is usual.
    var gamma: Double?
    var primaries: ColorPrimaries?

    mutating func take(_ type: UInt32, _ reader: ByteReader, limits: DecodeLimits, warnings: inout [String]) {
        switch type {
        case PNGChunk.sRGB: isSRGB = true
        case PNGChunk.gamma:
            guard let value = reader.uint32(0), value > 0 else { return }
            gamma = Double(value) / 100_000
        case PNGChunk.chromaticities:
            let values = (0..<8).compactMap { reader.uint32($0 * 4) }.map { Double($0) / 100_000 }
            guard values.count == 8 else { return }
            let points = (0..<4).map { ColorPrimaries.Point(values[$0 * 2], values[$0 * 2 + 1]) }
            primaries = ColorPrimaries(white: points[0], red: points[1], green: points[2], blue: points[3])
        case PNGChunk.codePoints:
            guard reader.count == 4, reader.bytes[2] == 0 else { return }
            codePoints = CodingIndependentCodePoints(
                primaries: Int(reader.bytes[0]), transfer: Int(reader.bytes[1]), matrix: 0,
                isFullRange: reader.bytes[3] != 0)
        case PNGChunk.profile:
            profile = Self.inflateProfile(reader, limit: limits.maximumMetadataByteCount)
            if profile == nil { warnings.append("the ICC profile was ignored: it is damaged or too long") }
        default: break
        }
    }

    /// Reads a name of up to 79 bytes, a zero, the method (0), and a zlib stream of at most `limit` bytes.
    private static func inflateProfile(_ reader: ByteReader, limit: Int) -> Data? {
        guard let nameEnd = reader.bytes.prefix(80).firstIndex(of: 0), reader.byte(nameEnd + 1) == 0,
            let compressed = reader.slice(nameEnd + 2, reader.count - nameEnd - 2),
            let base = compressed.bindMemory(to: UInt8.self).baseAddress
        else { return nil }
        var stream = z_stream()
        guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        stream.next_in = UnsafeMutablePointer(mutating: base)
        stream.avail_in = UInt32(clamping: compressed.count)
        var result = Data()
        let pieceCount = 16 << 10
        let piece = UnsafeMutablePointer<UInt8>.allocate(capacity: pieceCount)
        defer { piece.deallocate() }
        while true {
            stream.next_out = piece
            stream.avail_out = UInt32(pieceCount)
            let code = inflate(&stream, Z_NO_FLUSH)
            let produced = pieceCount - Int(stream.avail_out)
            result.append(piece, count: produced)
            if code == Z_STREAM_END { return result }
            guard code == Z_OK, result.count <= limit, produced > 0 || stream.avail_in > 0 else { return nil }
        }
    }
}

extension PNGColorChunks {
    /// Returns the transform to sRGB, or nil if the samples need none.
    func transform(for header: PNGHeader, warnings: inout [String]) -> ColorTransform? {
        let isGray = header.colorType == .gray || header.colorType == .grayAlpha
        let layout: ColorTransform.Layout = header.bitDepth == 16 ? .rgba16 : .rgba8
        guard let source else { return nil }
        return ColorManagement.transform(
            source, model: isGray ? .gray : .rgb, layout: layout, warnings: &warnings)
    }

    /// The chunk with precedence, or nil for sRGB.
    private var source: ColorSource? {
        if let codePoints { return .codePoints(codePoints) }
        if let profile { return .profile(profile) }
        guard !isSRGB, let gamma, (0.02...20).contains(gamma) else { return nil }
        let primaries = primaries ?? .sRGB
        // With the primaries of sRGB, 1/2.2 stands for the curve of sRGB, which the chunk cannot express.
        if abs(gamma * 2.2 - 1) < 0.05, primaries.isClose(to: .sRGB) { return nil }
        return .power(exponent: 1 / gamma, primaries: primaries)
    }

    /// The value of `ImageInfo.colorSpace`.
    func name(for header: PNGHeader) -> String {
        if let name = codePoints?.name { return name }
        if let profile, let name = ICCHeader.describe(profile) { return name }
        switch header.colorType {
        case .palette: return "Indexed"
        case .gray, .grayAlpha: return "Gray"
        case .rgb, .rgba: return "sRGB"
        }
    }
}
