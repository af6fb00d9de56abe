import TintypeBase

/// One bitmap whose header was read: in a file of its own, or in an icon.
struct BMPImage {
    let bytes: ByteView
    let header: BMPHeader

    struct Result {
        var isPartial: Bool
        var isOpaque: Bool
    }

    /// Draws the image. Pixels that the file leaves out become transparent.
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
            // Whether the runs left pixels out is found by looking.
            return Result(isPartial: end == .cut, isOpaque: false)
        case .jpeg, .png:
            throw ImagingError.corrupt(.bmp, "\(header.compression) data where plain pixels belong")
        }
    }

    /// The bytes that are needed for every pixel; nil where only decoding tells.
    var neededByteCount: Int? {
        guard header.compression == .none || header.compression == .bitFields else { return nil }
        return header.pixelOffset + (header.height - 1) * header.bytesPerStoredRow + header.usedBytesPerStoredRow
    }

    /// The embedded ICC profile, or nil if there is none that can be read.
    func profileData(limits: DecodeLimits, warnings: inout [String]) -> Data? {
        guard let profile = header.profile else { return nil }
        guard profile.length <= limits.maximumMetadataByteCount,
            let slice = try? bytes.slice(profile.offset, profile.length)
        else {
            warnings.append("the ICC profile was ignored: it is too long or not in the file")
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
