import CDeflate

/// One chunk of a PNG file (PNG spec 5.3).
struct PNGChunk {
    /// Four ASCII letters.
    let type: UInt32
    /// Offsets of the contents in the file.
    let range: Range<Int>

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Offset of the chunk that follows.
    var end: Int { range.upperBound + 4 }
    /// True if a decoder may skip the chunk: its first letter is lower case.
    var isAncillary: Bool { type & 0x2000_0000 != 0 }

    var name: String { String(decoding: withUnsafeBytes(of: type.bigEndian, Array.init), as: UTF8.self) }

    enum Step {
        case chunk(PNGChunk)
        /// The bytes end inside the chunk, which is given with the part of its contents that is there.
        case truncated(PNGChunk?, needed: Int)
        case notAChunk
    }

    static func read(_ reader: ByteReader, at offset: Int) -> Step {
        guard let length = reader.uint32(offset), let type = reader.uint32(offset + 4) else {
            return .truncated(nil, needed: offset + 8)
        }
        guard length <= 0x7FFF_FFFF, isName(UInt32(type)) else { return .notAChunk }
        let start = offset + 8
        guard start + length + 4 <= reader.count else {
            let available = start..<min(start + length, reader.count)
            return .truncated(PNGChunk(type: UInt32(type), range: available), needed: start + length + 4)
        }
        return .chunk(PNGChunk(type: UInt32(type), range: start..<start + length))
    }

    private static func isName(_ type: UInt32) -> Bool {
        (0..<4).allSatisfy { index in
            let letter = UInt8(truncatingIfNeeded: type >> (index * 8)) | 0x20
            return (0x61...0x7A).contains(letter)
        }
    }

    func hasValidChecksum(_ reader: ByteReader) -> Bool {
        guard let stored = reader.uint32(range.upperBound),
            let covered = reader.slice(range.lowerBound - 4, range.count + 4)
        else { return false }
        return Int(libdeflate_crc32(0, covered.baseAddress, covered.count)) == stored
    }
}

extension PNGChunk {
    static let header: UInt32 = 0x4948_4452  // IHDR
    static let palette: UInt32 = 0x504C_5445  // PLTE
    static let data: UInt32 = 0x4944_4154  // IDAT
    static let end: UInt32 = 0x4945_4E44  // IEND
    static let transparency: UInt32 = 0x7452_4E53  // tRNS
    static let gamma: UInt32 = 0x6741_4D41  // gAMA
    static let chromaticities: UInt32 = 0x6348_524D  // cHRM
    static let sRGB: UInt32 = 0x7352_4742  // sRGB
    static let profile: UInt32 = 0x6943_4350  // iCCP
    static let codePoints: UInt32 = 0x6349_4350  // cICP
    static let exif: UInt32 = 0x6558_4966  // eXIf
    static let animationControl: UInt32 = 0x6163_544C  // acTL
    static let frameControl: UInt32 = 0x6663_544C  // fcTL
    static let frameData: UInt32 = 0x6664_4154  // fdAT
}
