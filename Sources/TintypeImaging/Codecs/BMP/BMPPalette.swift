/// The colours of a bitmap with up to 8 bits per pixel, as opaque RGBA. Indexes without an entry are black.
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

    /// One opaque RGBA pixel as it lies in memory.
    @inline(__always) static func pixel(red: UInt8, green: UInt8, blue: UInt8) -> UInt32 {
        (UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | 0xFF00_0000).littleEndian
    }
}
