/// Converts uncompressed rows to straight (not premultiplied) RGBA.
struct BMPRows {
    let header: BMPHeader
    private let palette: [UInt32]
    private let red: BMPChannelMasks.Channel
    private let green: BMPChannelMasks.Channel
    private let blue: BMPChannelMasks.Channel
    private let alpha: BMPChannelMasks.Channel

    init(_ bytes: ByteView, header: BMPHeader) throws {
        self.header = header
        palette = header.bitCount <= 8 ? try BMPPalette(bytes, header: header).colors : []
        red = .init(header.masks.red)
        green = .init(header.masks.green)
        blue = .init(header.masks.blue)
        alpha = .init(header.masks.alpha)
    }

    /// Returns the number of complete stored rows. The padding of the last one may be missing.
    func storedRowCount(in byteCount: Int) -> Int {
        let rest = byteCount - header.pixelOffset - header.usedBytesPerStoredRow
        return rest < 0 ? 0 : min(header.height, rest / header.bytesPerStoredRow + 1)
    }

    /// Returns the stored row that is shown as row `y`.
    func storedRow(_ y: Int) -> Int { header.isTopDown ? y : header.height - 1 - y }

    /// Returns whether any of the first `rows` stored rows has an alpha bit set. Writers without alpha leave all of them
    /// zero, and such an image is opaque.
    func hasAlphaBits(_ bytes: ByteView, rows: Int) throws -> Bool {
        guard header.masks.alpha != 0 else { return false }
        for row in 0..<rows {
            let source = try stored(row, bytes)
            if header.bitCount == 32 {
                for x in 0..<header.width where source.word32(x) & header.masks.alpha != 0 { return true }
            } else {
                for x in 0..<header.width where UInt32(source.word16(x)) & header.masks.alpha != 0 { return true }
            }
        }
        return false
    }

    /// Converts stored row `row` to `output`.
    /// - Parameter usesAlpha: false makes every pixel opaque.
    func read(_ row: Int, from bytes: ByteView, usesAlpha: Bool, to output: UnsafeMutablePointer<UInt8>) throws {
        let source = try stored(row, bytes)
        let pixels = UnsafeMutableRawPointer(output).assumingMemoryBound(to: UInt32.self)
        switch header.bitCount {
        case 32 where header.masks == .rgb888:
            for x in 0..<header.width {
                let value = source.word32(x)
                pixels[x] = ((value & 0xFF00) | (value >> 16 & 0xFF) | (value & 0xFF) << 16 | 0xFF00_0000).littleEndian
            }
        case 32:
            for x in 0..<header.width { pixels[x] = pixel(source.word32(x), usesAlpha) }
        case 24:
            for x in 0..<header.width {
                pixels[x] = BMPPalette.pixel(red: source[x * 3 + 2], green: source[x * 3 + 1], blue: source[x * 3])
            }
        case 16:
            for x in 0..<header.width { pixels[x] = pixel(UInt32(source.word16(x)), usesAlpha) }
        default:
            readIndexes(source, to: pixels)
        }
    }

    @inline(__always) private func pixel(_ value: UInt32, _ usesAlpha: Bool) -> UInt32 {
        let opacity = usesAlpha ? alpha.value(value) : 255
        return
            (UInt32(red.value(value)) | UInt32(green.value(value)) << 8 | UInt32(blue.value(value)) << 16
            | UInt32(opacity) << 24).littleEndian
    }

    private func readIndexes(_ source: UnsafeRawBufferPointer, to pixels: UnsafeMutablePointer<UInt32>) {
        palette.withUnsafeBufferPointer { palette in
            if header.bitCount == 8 {
                for x in 0..<header.width { pixels[x] = palette[Int(source[x])] }
                return
            }
            let bits = header.bitCount
            let perByte = 8 / bits
            let mask = (1 << bits) - 1
            for x in 0..<header.width {
                let shift = 8 - bits * (x % perByte + 1)
                pixels[x] = palette[Int(source[x / perByte]) >> shift & mask]
            }
        }
    }

    private func stored(_ row: Int, _ bytes: ByteView) throws -> UnsafeRawBufferPointer {
        try bytes.slice(header.pixelOffset + row * header.bytesPerStoredRow, header.usedBytesPerStoredRow)
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the little-endian word at an index, with any alignment.
    @inline(__always) fileprivate func word16(_ index: Int) -> UInt16 {
        UInt16(littleEndian: loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
    }

    @inline(__always) fileprivate func word32(_ index: Int) -> UInt32 {
        UInt32(littleEndian: loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
    }
}

/// The bits of each channel in a 16 or 32 bit pixel. Any set of bits is allowed, also overlapping ones.
struct BMPChannelMasks: Hashable {
    var red: UInt32
    var green: UInt32
    var blue: UInt32
    var alpha: UInt32

    static let none = BMPChannelMasks(red: 0, green: 0, blue: 0, alpha: 0)
    static let rgb555 = BMPChannelMasks(red: 0x7C00, green: 0x03E0, blue: 0x001F, alpha: 0)
    static let rgb888 = BMPChannelMasks(red: 0xFF_0000, green: 0xFF00, blue: 0xFF, alpha: 0)

    /// Bits of the widest colour channel.
    var bitDepth: Int {
        max(1, max(Channel(red).bits, max(Channel(green).bits, Channel(blue).bits)))
    }

    /// Extracts one channel of a pixel and scales it to 8 bits.
    struct Channel {
        let mask: UInt32
        let shift: UInt32
        let bits: Int
        /// The 8-bit value of each value of the channel, for channels of up to 8 bits.
        private let table: [UInt8]

        init(_ mask: UInt32) {
            self.mask = mask
            shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
            let bits = mask == 0 ? 0 : 32 - mask.leadingZeroBitCount - mask.trailingZeroBitCount
            self.bits = bits
            if bits == 0 || bits > 8 {
                table = []
            } else {
                let largest = (1 << bits) - 1
                table = (0...largest).map { UInt8(($0 * 255 + largest / 2) / largest) }
            }
        }

        @inline(__always) func value(_ pixel: UInt32) -> UInt8 {
            if bits == 0 { return 0 }
            let value = Int((pixel & mask) >> shift)
            if bits <= 8 { return table[value] }
            let largest = (1 << bits) - 1
            return UInt8((value * 255 + largest / 2) / largest)
        }
    }
}
