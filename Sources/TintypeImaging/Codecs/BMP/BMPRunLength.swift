/// Decodes BI_RLE8, BI_RLE4 and OS/2's RLE24 ("Bitmap Compression" in Microsoft's documentation).
///
/// Pixels that the runs leave out are not changed. Runs that reach beyond a row are clipped.
struct BMPRunLength {
    enum End { case complete, truncated }

    let header: BMPHeader
    private let palette: [UInt32]

    init(_ bytes: ByteView, header: BMPHeader) throws {
        self.header = header
        palette = header.bitCount <= 8 ? try BMPPalette(bytes, header: header).colors : []
    }

    /// - Parameters:
    ///   - output: `height` rows of RGBA, cleared.
    /// - Returns: `truncated` if the bytes end before the image does.
    func decode(_ bytes: ByteView, to output: UnsafeMutableRawBufferPointer, bytesPerRow: Int) -> End {
        var reader = Reader(bytes: bytes, position: header.pixelOffset)
        var (x, y) = (0, 0)
        while y < header.height {
            guard let count = reader.next(), let second = reader.next() else {
                return isDone(x, y) ? .complete : .truncated
            }
            if count > 0 {
                guard fill(Int(count), first: second, &reader, x: &x, y: y, output, bytesPerRow) else {
                    return .truncated
                }
                continue
            }
            switch second {
            case 0:
                (x, y) = (0, y + 1)
            case 1:
                return .complete
            case 2:
                guard let right = reader.next(), let up = reader.next() else { return .truncated }
                x += Int(right)
                y += Int(up)
            default:
                guard copy(Int(second), &reader, x: &x, y: y, output, bytesPerRow) else { return .truncated }
            }
        }
        return .complete
    }

    /// Returns whether all pixels are there, so that a missing end mark is accepted.
    private func isDone(_ x: Int, _ y: Int) -> Bool { y == header.height - 1 && x >= header.width }

    private func row(_ y: Int, _ output: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) -> UnsafeMutableRawPointer?
    {
        let shown = header.isTopDown ? y : header.height - 1 - y
        return output.baseAddress.map { $0 + shown * bytesPerRow }
    }

    private func fill(
        _ count: Int, first: UInt8, _ reader: inout Reader, x: inout Int, y: Int,
        _ output: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int
    ) -> Bool {
        let even: UInt32
        let odd: UInt32
        switch header.compression {
        case .runLength4:
            even = palette[Int(first >> 4)]
            odd = palette[Int(first & 15)]
        case .runLength24:
            guard let green = reader.next(), let red = reader.next() else { return false }
            even = BMPPalette.pixel(red: red, green: green, blue: first)
            odd = even
        default:
            even = palette[Int(first)]
            odd = even
        }
        guard let row = row(y, output, bytesPerRow) else { return false }
        for index in 0..<max(0, min(count, header.width - x)) {
            row.storeBytes(of: index & 1 == 0 ? even : odd, toByteOffset: (x + index) * 4, as: UInt32.self)
        }
        x += count
        return true
    }

    /// Copies `count` pixels (absolute mode), padded to 16 bits.
    private func copy(
        _ count: Int, _ reader: inout Reader, x: inout Int, y: Int, _ output: UnsafeMutableRawBufferPointer,
        _ bytesPerRow: Int
    ) -> Bool {
        guard let row = row(y, output, bytesPerRow) else { return false }
        let start = reader.position
        var pair: UInt8 = 0
        for index in 0..<count {
            let pixel: UInt32
            switch header.compression {
            case .runLength4:
                if index & 1 == 0 {
                    guard let byte = reader.next() else { return false }
                    pair = byte
                }
                pixel = palette[Int(index & 1 == 0 ? pair >> 4 : pair & 15)]
            case .runLength24:
                guard let blue = reader.next(), let green = reader.next(), let red = reader.next() else { return false }
                pixel = BMPPalette.pixel(red: red, green: green, blue: blue)
            default:
                guard let byte = reader.next() else { return false }
                pixel = palette[Int(byte)]
            }
            if x < header.width { row.storeBytes(of: pixel, toByteOffset: x * 4, as: UInt32.self) }
            x += 1
        }
        if (reader.position - start) & 1 == 1 { reader.position += 1 }
        return true
    }

    private struct Reader {
        let bytes: ByteView
        var position: Int

        @inline(__always) mutating func next() -> UInt8? {
            guard position >= 0, position < bytes.count else { return nil }
            defer { position += 1 }
            return bytes.bytes[position]
        }
    }
}
