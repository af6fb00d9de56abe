/// The IHDR chunk (PNG spec 11.2.1): size and pixel format.
struct PNGHeader: Sendable, Hashable {
    enum ColorType: UInt8, Sendable {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayAlpha = 4
        case rgba = 6

        var channels: Int {
            switch self {
            case .gray, .palette: 1
            case .grayAlpha: 2
            case .rgb: 3
            case .rgba: 4
            }
        }

        var hasAlpha: Bool { self == .grayAlpha || self == .rgba }
    }

    var size: PixelSize
    var bitDepth: Int
    var colorType: ColorType
    var isInterlaced: Bool

    /// Bytes of the chunk's contents.
    static let byteCount = 13

    /// - Throws: `corrupt` for a combination that the specification does not allow.
    init(_ reader: ByteReader, limits: DecodeLimits) throws {
        guard reader.count == Self.byteCount, let width = reader.uint32(0), let height = reader.uint32(4) else {
            throw ImagingError.corrupt(.png, "a header chunk of \(reader.count) bytes")
        }
        size = PixelSize(width: width, height: height)
        guard width <= 0x7FFF_FFFF, height <= 0x7FFF_FFFF else {
            throw ImagingError.corrupt(.png, "its size is \(size)")
        }
        try limits.check(size, format: .png)
        bitDepth = Int(reader.bytes[8])
        guard let colorType = ColorType(rawValue: reader.bytes[9]) else {
            throw ImagingError.corrupt(.png, "colour type \(reader.bytes[9]) does not exist")
        }
        self.colorType = colorType
        let depths =
            switch colorType {
            case .gray: [1, 2, 4, 8, 16]
            case .palette: [1, 2, 4, 8]
            default: [8, 16]
            }
        guard depths.contains(bitDepth) else {
            throw ImagingError.corrupt(.png, "\(bitDepth) bits do not go with colour type \(colorType.rawValue)")
        }
        guard reader.bytes[10] == 0, reader.bytes[11] == 0, reader.bytes[12] <= 1 else {
            throw ImagingError.corrupt(.png, "an unknown compression, filter or interlace method")
        }
        isInterlaced = reader.bytes[12] == 1
    }

    var bitsPerPixel: Int { colorType.channels * bitDepth }
    /// The distance to the pixel on the left for row filters, in bytes.
    var filterStride: Int { max(1, bitsPerPixel / 8) }
    /// Returns the bytes of one row without its filter byte.
    func rowByteCount(width: Int) -> Int { (width * bitsPerPixel + 7) / 8 }

    /// Returns the bytes of all inflated rows with their filter bytes; nil on overflow.
    func inflatedByteCount(size: PixelSize) -> Int? {
        var total = 0
        for pass in passes(size: size) {
            let (bits, overflow) = pass.size.width.multipliedReportingOverflow(by: bitsPerPixel)
            let (bytes, overflow2) = (bits / 8 + 2).multipliedReportingOverflow(by: pass.size.height)
            guard !overflow, !overflow2, bytes < Int.max - total else { return nil }
            total += (rowByteCount(width: pass.size.width) + 1) * pass.size.height
        }
        return total
    }

    func passes(size: PixelSize) -> [PNGPass] {
        isInterlaced ? PNGPass.adam7(size) : [PNGPass(size: size)]
    }
}

/// One of the seven images of an interlaced PNG (PNG spec 8.2), or the only one of other PNGs.
struct PNGPass: Hashable {
    var x = 0
    var y = 0
    var xStep = 1
    var yStep = 1
    /// Size of the block that one pixel covers until later passes fill it in.
    var blockWidth = 1
    var blockHeight = 1
    var size: PixelSize

    private init(_ values: [Int], of size: PixelSize) {
        (x, y, xStep, yStep) = (values[0], values[1], values[2], values[3])
        (blockWidth, blockHeight) = (values[4], values[5])
        self.size = PixelSize(
            width: (size.width - x + xStep - 1) / xStep, height: (size.height - y + yStep - 1) / yStep)
    }

    init(size: PixelSize) { self.size = size }

    /// Returns the passes that have pixels: small images lack some.
    static func adam7(_ size: PixelSize) -> [PNGPass] {
        let table = [
            [0, 0, 8, 8, 8, 8], [4, 0, 8, 8, 4, 8], [0, 4, 4, 8, 4, 4], [2, 0, 4, 4, 2, 4], [0, 2, 2, 4, 2, 2],
            [1, 0, 2, 2, 1, 2], [0, 1, 1, 2, 1, 1],
        ]
        return table.map { PNGPass($0, of: size) }.filter { $0.size.width > 0 && $0.size.height > 0 }
    }
}
