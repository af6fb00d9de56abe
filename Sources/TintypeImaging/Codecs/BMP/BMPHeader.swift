/// The header of a Windows or OS/2 bitmap: everything up to the pixels.
///
/// Sources: Microsoft's "Bitmap Header Types" (BITMAPCOREHEADER to BITMAPV5HEADER) and OS/2's BITMAPINFOHEADER2, which
/// may end after any field from the 16th byte on. Where the documents are unclear, this follows the browsers.
struct BMPHeader {
    enum Compression: Hashable {
        case none, bitFields, runLength4, runLength8, runLength24, huffman1D, jpeg, png
    }

    var width = 0
    var height = 0
    /// Rows are stored bottom first unless the height is negative.
    var isTopDown = false
    var bitCount = 0
    var compression = Compression.none
    var masks = BMPChannelMasks.none
    var paletteOffset = 0
    var paletteEntrySize = 4
    /// Number of entries in the file; at most `1 << bitCount`.
    var paletteCount = 0
    var pixelOffset = 0
    /// The position of an embedded ICC profile.
    var profile: (offset: Int, length: Int)?

    var size: PixelSize { PixelSize(width: width, height: height) }

    /// Distance from one stored row to the next. Rows are padded to 32 bits.
    var bytesPerStoredRow: Int { (width * bitCount + 31) / 32 * 4 }

    /// Bytes of a stored row without the padding.
    var usedBytesPerStoredRow: Int { (width * bitCount + 7) / 8 }

    /// - Parameters:
    ///   - start: the offset of the header: 14 in a file, that of the entry in an icon.
    ///   - pixelOffset: as stored in the file header; nil in an icon, where the pixels follow the palette and the height
    ///     includes the mask.
    init(_ bytes: ByteView, at start: Int, pixelOffset declaredPixelOffset: Int?) throws {
        let headerSize = Int(try bytes.u32(start))
        let isIcon = declaredPixelOffset == nil
        guard headerSize == 12 || (16...4096).contains(headerSize) else {
            throw ImagingError.corrupt(.bmp, "a header of \(headerSize) bytes")
        }
        // Every byte of the header must be there, even those without fields.
        _ = try bytes.slice(start, headerSize)
        var colorsUsed = 0
        var code: UInt32 = 0
        if headerSize == 12 {
            width = Int(try bytes.u16(start + 4))
            height = Int(try bytes.u16(start + 6))
            bitCount = Int(try bytes.u16(start + 10))
            paletteEntrySize = 3
        } else {
            width = Int(try bytes.i32(start + 4))
            height = Int(try bytes.i32(start + 8))
            bitCount = Int(try bytes.u16(start + 14))
            code = headerSize >= 20 ? try bytes.u32(start + 16) : 0
            colorsUsed = headerSize >= 36 ? Int(try bytes.u32(start + 32)) : 0
        }
        if height < 0 {
            isTopDown = true
            height = -height
        }
        if isIcon { height /= 2 }
        guard width > 0, height > 0 else { throw ImagingError.corrupt(.bmp, "its size is \(width)x\(height)") }

        let isOS2 = headerSize == 12 || (headerSize <= 64 && ![40, 52, 56].contains(headerSize))
        compression = try Self.compression(code: code, bitCount: bitCount, isOS2: isOS2)
        var end = start + headerSize
        try readMasks(bytes, start: start, headerSize: headerSize, code: code, end: &end)
        try readProfile(bytes, start: start, headerSize: headerSize)

        paletteOffset = end
        let pixels = declaredPixelOffset ?? 0
        let hasPalette = bitCount <= 8 && compression != .jpeg && compression != .png
        let largest = hasPalette ? 1 << bitCount : 0
        let declared = hasPalette && colorsUsed == 0 ? largest : colorsUsed
        // A palette that overlaps the pixels is as long as the gap; OS/2 writers do that on purpose.
        let gap = pixels > paletteOffset ? (pixels - paletteOffset) / paletteEntrySize : declared
        paletteCount = min(declared, gap, largest)
        pixelOffset = pixels >= end ? pixels : end + declared * paletteEntrySize
    }

    private static func compression(code: UInt32, bitCount: Int, isOS2: Bool) throws -> Compression {
        let compression: Compression
        let allowed: [Int]
        switch (code, isOS2) {
        case (0, _): (compression, allowed) = (.none, [1, 2, 4, 8, 16, 24, 32])
        case (1, _): (compression, allowed) = (.runLength8, [8])
        case (2, _): (compression, allowed) = (.runLength4, [4])
        case (3, true): (compression, allowed) = (.huffman1D, [1])
        case (3, false) where bitCount == 1: (compression, allowed) = (.huffman1D, [1])
        case (3, false): (compression, allowed) = (.bitFields, [16, 32])
        case (4, true): (compression, allowed) = (.runLength24, [24])
        case (4, false) where bitCount == 24: (compression, allowed) = (.runLength24, [24])
        // An embedded image has its own depth; that of the header should be 0.
        case (4, false): (compression, allowed) = (.jpeg, [bitCount])
        case (5, false): (compression, allowed) = (.png, [bitCount])
        case (6, false): (compression, allowed) = (.bitFields, [16, 32])
        default: throw ImagingError.corrupt(.bmp, "unknown compression \(code)")
        }
        guard allowed.contains(bitCount) else {
            throw ImagingError.corrupt(.bmp, "\(bitCount) bits per pixel with compression \(code)")
        }
        return compression
    }

    private mutating func readMasks(
        _ bytes: ByteView, start: Int, headerSize: Int, code: UInt32, end: inout Int
    ) throws {
        guard bitCount == 16 || bitCount == 32 else { return }
        masks = bitCount == 16 ? .rgb555 : .rgb888
        guard compression == .bitFields else { return }
        // From BITMAPV2INFOHEADER on the masks are fields; three masks follow a BITMAPINFOHEADER, or four with
        // BI_ALPHABITFIELDS.
        let alphaIsPresent = headerSize >= 56 || (headerSize == 40 && code == 6)
        let maskOffset = headerSize >= 52 ? start + 40 : end
        if headerSize < 52 { end += alphaIsPresent ? 16 : 12 }
        let stored = BMPChannelMasks(
            red: try bytes.u32(maskOffset), green: try bytes.u32(maskOffset + 4), blue: try bytes.u32(maskOffset + 8),
            alpha: alphaIsPresent ? try bytes.u32(maskOffset + 12) : 0)
        // Masks that are all zero would show nothing; the default for the depth is what such a writer means.
        if stored.red | stored.green | stored.blue != 0 { masks = stored }
    }

    private mutating func readProfile(_ bytes: ByteView, start: Int, headerSize: Int) throws {
        let embedded: UInt32 = 0x4D42_4544  // 'MBED', PROFILE_EMBEDDED
        guard headerSize >= 124, try bytes.u32(start + 56) == embedded else { return }
        let (offset, length) = (Int(try bytes.u32(start + 112)), Int(try bytes.u32(start + 116)))
        guard length > 0 else { return }
        profile = (start + offset, length)
    }
}
