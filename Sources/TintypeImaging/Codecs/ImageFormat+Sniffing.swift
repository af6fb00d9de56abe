import TintypeBase

extension ImageFormat {
    /// Number of bytes that `sniff` needs; only an SVG after a long comment or document type needs more.
    package static let sniffByteCount = 4096

    /// Returns the format by the first bytes of a file, or nil. Names and content types are not used.
    public static func sniff(_ data: Data) -> ImageFormat? {
        data.withUnsafeBytes { bytes in
            sniffBinary(ByteReader(bytes)) ?? (SVGSignature.verdict(bytes) == .matches ? .svg : nil)
        }
    }

    /// Returns whether `sniff`, which returned nil for this prefix, may find a format in a longer one.
    static func needsMoreData(toSniff prefix: Data) -> Bool {
        prefix.count < sniffByteCount || prefix.withUnsafeBytes { SVGSignature.verdict($0) == .needsMoreData }
    }

    private static func sniffBinary(_ reader: ByteReader) -> ImageFormat? {
        if reader.matches("GIF87a", at: 0) || reader.matches("GIF89a", at: 0) { return .gif }
        if reader.matches("RIFF", at: 0), reader.matches("WEBP", at: 8) { return .webp }
        if reader.matches("ftyp", at: 4) { return sniffBrands(reader) }
        guard let first = reader.uint32(0) else {
            // The shortest signatures: FF D8 FF, and the codestream of JPEG XL.
            if reader.uint16(0) == 0xFFD8, reader.byte(2) == 0xFF { return .jpeg }
            return reader.uint16(0) == 0xFF0A ? .jxl : nil
        }
        switch first {
        case 0x8950_4E47: return reader.uint32(4) == 0x0D0A_1A0A ? .png : nil
        case 0x0000_000C: return reader.uint32(4) == 0x4A58_4C20 && reader.uint32(8) == 0x0D0A_870A ? .jxl : nil
        case 0x4949_2A00, 0x4D4D_002A: return .tiff
        case 0x4949_2B00: return reader.uint32(4) == 0x0800_0000 ? .tiff : nil
        case 0x4D4D_002B: return reader.uint32(4) == 0x0008_0000 ? .tiff : nil
        case 0x0000_0100, 0x0000_0200: return isIconDirectory(reader) ? .ico : nil
        default: break
        }
        if first >> 8 == 0xFF_D8FF { return .jpeg }
        if first >> 16 == 0xFF0A { return .jxl }
        if reader.matches("BM", at: 0) { return isBitmapHeader(reader) ? .bmp : nil }
        return nil
    }

    /// Checks ICONDIR: reserved 0, type 1 or 2, a count, and the size and offset of the first entry.
    private static func isIconDirectory(_ reader: ByteReader) -> Bool {
        let reader = ByteReader(reader.bytes, isBigEndian: false)
        guard let count = reader.uint16(4), count > 0 else { return false }
        guard let size = reader.uint32(14), let offset = reader.uint32(18) else { return reader.count < 22 }
        return size > 0 && offset >= 6 + 16
    }

    /// Checks the size of the DIB header, because the two letters are a weak signature.
    private static func isBitmapHeader(_ reader: ByteReader) -> Bool {
        let reader = ByteReader(reader.bytes, isBigEndian: false)
        guard let size = reader.uint32(14) else { return false }
        return (12...128).contains(size)
    }

    /// Reads ISO base media brands (ISO/IEC 14496-12, §4.3). The major brand decides; with the generic `mif1` and `msf1`,
    /// the compatible brands tell AVIF from HEIC.
    private static func sniffBrands(_ reader: ByteReader) -> ImageFormat? {
        guard let boxSize = reader.uint32(0), let major = reader.uint32(8) else { return nil }
        var formats = [format(ofBrand: major)]
        var isGenericHEIF = isGeneric(major)
        let end = min(boxSize, reader.count, sniffByteCount)
        var offset = 16
        while offset + 4 <= end, let brand = reader.uint32(offset) {
            formats.append(format(ofBrand: brand))
            isGenericHEIF = isGenericHEIF || isGeneric(brand)
            offset += 4
        }
        if let found = formats[0] { return found }
        return formats.lazy.compactMap { $0 }.first ?? (isGenericHEIF ? .heic : nil)
    }

    private static func format(ofBrand brand: Int) -> ImageFormat? {
        switch brand {
        case 0x6176_6966, 0x6176_6973: .avif  // avif avis
        // heic heix heim heis hevc hevx hevm hevs
        case 0x6865_6963, 0x6865_6978, 0x6865_696D, 0x6865_6973, 0x6865_7663, 0x6865_7678, 0x6865_766D, 0x6865_7673:
            .heic
        default: nil
        }
    }

    // mif1 mif2 msf1 miaf
    private static func isGeneric(_ brand: Int) -> Bool {
        [0x6D69_6631, 0x6D69_6632, 0x6D73_6631, 0x6D69_6166].contains(brand)
    }

    /// Describes bytes without a known signature, for the error message.
    static func describeUnknown(_ data: Data) -> String {
        let start = data.prefix(256).drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        if start.first == UInt8(ascii: "<") { return "it looks like a web page or XML, not an image" }
        if start.first == UInt8(ascii: "{") || start.first == UInt8(ascii: "[") { return "it looks like JSON" }
        let hex = data.prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        return "it starts with the bytes " + hex.joined(separator: " ")
    }
}
