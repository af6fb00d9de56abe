import TintypeBase

/// A bitmap with its header, in a file of its own or in an icon.
struct BMPImage {
    let bytes: ByteView
    let header: BMPHeader

    struct Result {
        var isPartial: Bool
        var isOpaque: Bool
    }

    /// Decodes the pixels. Those that the file leaves out become transparent.
    /// - Throws: `PastEnd` if the bytes end early and `isLenient` is false.
    func draw(to pixels: StraightPixels, isLenient: Bool) throws -> Result {
        switch header.compression {
        case .none, .bitFields:
            return try drawRows(to: pixels, isLenient: isLenient)
        case .runLength4, .runLength8, .runLength24, .huffman1D:
            pixels.clear()
            let end =
                header.compression == .huffman1D
                ? try BMPHuffman(bytes, header: header).decode(
                    bytes, to: pixels.bytes, bytesPerRow: pixels.bytesPerRow)
                : try BMPRunLength(bytes, header: header).decode(
                    bytes, to: pixels.bytes, bytesPerRow: pixels.bytesPerRow)
            guard end == .complete || isLenient else { throw ByteView.PastEnd(byteCount: bytes.count + 1) }
            // Runs may leave pixels out, which `StraightPixels.bitmap` finds.
            return Result(isPartial: end == .truncated, isOpaque: false)
        case .jpeg, .png:
            throw ImagingError.corrupt(.bmp, "\(header.compression) data where plain pixels belong")
        }
    }

    /// The bytes of a file with all pixels; nil where only decoding tells.
    var neededByteCount: Int? {
        guard header.compression == .none || header.compression == .bitFields else { return nil }
        return header.pixelOffset + (header.height - 1) * header.bytesPerStoredRow + header.usedBytesPerStoredRow
    }

    /// The embedded ICC profile, or nil if there is none that can be read.
    func profileData(limits: DecodeLimits, warnings: inout [String]) -> Data? {
        guard let profile = header.profile else { return nil }
        guard limits.acceptsProfile(byteCount: profile.length, warnings: &warnings) else { return nil }
        guard let slice = try? bytes.slice(profile.offset, profile.length) else {
            warnings.append("the ICC profile was ignored: it is not in the file")
            return nil
        }
        return Data(slice)
    }

    private func drawRows(to pixels: StraightPixels, isLenient: Bool) throws -> Result {
        let rows = try BMPRows(bytes, header: header)
        let available = rows.storedRowCount(in: bytes.count)
        if available < header.height, !isLenient {
            throw ByteView.PastEnd(byteCount: neededByteCount ?? bytes.count + 1)
        }
        let usesAlpha = try rows.hasAlphaBits(bytes, rows: available)
        for y in 0..<header.height {
            guard let line = pixels.row(y) else { break }
            let row = rows.storedRow(y)
            if row < available {
                try rows.read(row, from: bytes, usesAlpha: usesAlpha, to: line)
            } else {
                line.update(repeating: 0, count: header.width * 4)
            }
        }
        return Result(isPartial: available < header.height, isOpaque: !usesAlpha && available == header.height)
    }
}

/// The colours of a bitmap with up to 8 bits per pixel, as opaque RGBA. Missing entries are black.
struct BMPPalette {
    /// Always 256 entries, so that no index can miss.
    let colors: [UInt32]

    init(_ bytes: ByteView, header: BMPHeader) throws {
        var colors = [UInt32](repeating: Self.pixel(red: 0, green: 0, blue: 0), count: 256)
        for index in 0..<min(header.paletteCount, 256) {
            let offset = header.paletteOffset + index * header.paletteEntrySize
            colors[index] = Self.pixel(
                red: try bytes.u8(offset + 2), green: try bytes.u8(offset + 1), blue: try bytes.u8(offset))
        }
        self.colors = colors
    }

    /// Returns an opaque RGBA pixel in memory order.
    @inline(__always) static func pixel(red: UInt8, green: UInt8, blue: UInt8) -> UInt32 {
        (UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | 0xFF00_0000).littleEndian
    }
}
