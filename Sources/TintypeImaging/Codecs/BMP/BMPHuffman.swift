/// Decodes OS/2's Huffman 1D: rows of ITU-T T.4, one-dimensional coding, most significant bit first. White runs are
/// palette entry 0, black ones entry 1.
struct BMPHuffman {
    private let header: BMPHeader
    private let palette: [UInt32]

    init(_ bytes: ByteView, header: BMPHeader) throws {
        self.header = header
        palette = try BMPPalette(bytes, header: header).colors
    }

    /// - Parameter output: `height` rows of RGBA, cleared.
    /// - Returns: `truncated` if the codes end or are invalid before the end of the image.
    func decode(_ bytes: ByteView, to output: UnsafeMutableRawBufferPointer, bytesPerRow: Int) -> BMPRunLength.End {
        guard let base = output.baseAddress, palette.count >= 2 else { return .truncated }
        var reader = BitReader(bytes: bytes, position: header.pixelOffset * 8)
        for y in 0..<header.height {
            reader.skipEndOfLine()
            let shown = header.isTopDown ? y : header.height - 1 - y
            let row = (base + shown * bytesPerRow).assumingMemoryBound(to: UInt32.self)
            guard decodeRow(&reader, to: row) else { return .truncated }
        }
        return .complete
    }

    private func decodeRow(_ reader: inout BitReader, to row: UnsafeMutablePointer<UInt32>) -> Bool {
        var x = 0
        var isBlack = false
        while x < header.width {
            guard let run = reader.run(isBlack ? Self.black : Self.white), run <= header.width - x else { return false }
            (row + x).update(repeating: palette[isBlack ? 1 : 0], count: run)
            x += run
            isBlack.toggle()
        }
        return true
    }

    // MARK: Codes

    private static let longestCode = 13

    /// For each 13 bits, the run at their start and the length of its code; -1 if there is none.
    private typealias Table = [(run: Int16, length: UInt8)]

    private static let white = table(whiteCodes)
    private static let black = table(blackCodes)

    private static func table(_ codes: String) -> Table {
        var table = Table(repeating: (-1, 0), count: 1 << longestCode)
        let own = codes.split(separator: " ")
        for (index, code) in (own + commonCodes.split(separator: " ")).enumerated() {
            // 0 to 63 end a run; 64, 128 and so on precede one of these.
            let run = index < 64 ? index : (index - 63) * 64
            let rest = longestCode - code.utf8.count
            let first = (Int(code, radix: 2) ?? 0) << rest
            for bits in first..<first + 1 << rest { table[bits] = (Int16(run), UInt8(code.utf8.count)) }
        }
        return table
    }

    // ITU-T T.4, tables 2, 3a and 3b, in the order of the runs.
    private static let whiteCodes = """
        00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010 101011 \
        0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010 00000011 \
        00011010 00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001 00101010 00101011 \
        00101100 00101101 00000100 00000101 00001010 00001011 01010010 01010011 01010100 01010101 00100100 00100101 \
        01011000 01011001 01011010 01011011 01001010 01001011 00110010 00110011 00110100 11011 10010 010111 0110111 \
        00110110 00110111 01100100 01100101 01101000 01100111 011001100 011001101 011010010 011010011 011010100 \
        011010101 011010110 011010111 011011000 011011001 011011010 011011011 010011000 010011001 010011010 011000 \
        010011011
        """
    private static let blackCodes = """
        0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 000011000 \
        0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 00000010111 \
        00000011000 000011001010 000011001011 000011001100 000011001101 000001101000 000001101001 000001101010 \
        000001101011 000011010010 000011010011 000011010100 000011010101 000011010110 000011010111 000001101100 \
        000001101101 000011011010 000011011011 000001010100 000001010101 000001010110 000001010111 000001100100 \
        000001100101 000001010010 000001010011 000000100100 000000110111 000000111000 000000100111 000000101000 \
        000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111 0000001111 \
        000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 0000001101100 0000001101101 \
        0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011 0000001110100 \
        0000001110101 0000001110110 0000001110111 0000001010010 0000001010011 0000001010100 0000001010101 \
        0000001011010 0000001011011 0000001100100 0000001100101
        """
    private static let commonCodes = """
        00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110 \
        000000010111 000000011100 000000011101 000000011110 000000011111
        """

    private struct BitReader {
        let bytes: ByteView
        /// In bits.
        var position: Int

        private var isAtEnd: Bool { position >= bytes.count * 8 }

        /// The next 13 bits; zeros after the end.
        private var next: Int {
            var value = 0
            for index in position / 8..<position / 8 + 3 {
                value = value << 8 | (index >= 0 && index < bytes.count ? Int(bytes.bytes[index]) : 0)
            }
            return value >> (24 - longestCode - position % 8) & (1 << longestCode - 1)
        }

        /// Skips end-of-line codes: eleven or more zeros, and a one.
        mutating func skipEndOfLine() {
            while next >> 2 == 0, !isAtEnd {
                let start = position
                position += 11
                while !isAtEnd, next >> (longestCode - 1) == 0 { position += 1 }
                guard !isAtEnd else {
                    position = start
                    return
                }
                position += 1
            }
        }

        /// Reads one run; nil if the bits are no code.
        mutating func run(_ table: Table) -> Int? {
            var sum = 0
            while true {
                let (run, length) = table[next]
                guard run >= 0, position + Int(length) <= bytes.count * 8 else { return nil }
                position += Int(length)
                sum += Int(run)
                if run < 64 { return sum }
                guard sum < 1 << 30 else { return nil }
            }
        }
    }
}
