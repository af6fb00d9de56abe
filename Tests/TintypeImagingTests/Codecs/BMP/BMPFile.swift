/// A bitmap file for tests, with every part open to abuse.
struct BMPFile {
    var headerSize = 40
    var width = 2
    var height = 2
    var bitCount = 24
    var compression = 0
    var colorsUsed = 0
    /// Red, green, blue, and alpha from 56 bytes of header on or with BI_ALPHABITFIELDS.
    var masks: [UInt32] = []
    /// Red, green, blue.
    var palette: [(Int, Int, Int)] = []
    var pixels: [UInt8] = []

    /// - Parameter isIcon: leaves the file header out.
    func build(isIcon: Bool = false) -> ByteBuilder {
        var header = ByteBuilder()
        header.u32(headerSize)
        if headerSize == 12 {
            header.u16(width, height, 1, bitCount)
        } else {
            header.u32(width, height)
            header.u16(1, bitCount)
            header.u32(compression, pixels.count, 2835, 2835, colorsUsed, 0)
            if headerSize < header.bytes.count { header.bytes.removeLast(header.bytes.count - headerSize) }
        }
        for mask in masks { header.u32(mask) }
        while header.bytes.count < headerSize { header.u8(0) }
        for color in palette {
            header.u8(color.2, color.1, color.0)
            if headerSize != 12 { header.u8(0) }
        }
        if isIcon {
            header.append(pixels)
            return header
        }
        var file = ByteBuilder()
        file.ascii("BM")
        file.u32(14 + header.bytes.count + pixels.count, 0, 14 + header.bytes.count)
        file.append(header)
        file.append(pixels)
        return file
    }
}
