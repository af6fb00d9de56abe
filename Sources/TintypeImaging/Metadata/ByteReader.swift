/// Bounds-checked reads from untrusted bytes; reads past the end return nil.
struct ByteReader {
    let bytes: UnsafeRawBufferPointer
    var isBigEndian: Bool

    init(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool = true) {
        self.bytes = bytes
        self.isBigEndian = isBigEndian
    }

    var count: Int { bytes.count }

    func byte(_ offset: Int) -> UInt8? {
        offset >= 0 && offset < bytes.count ? bytes[offset] : nil
    }

    func uint16(_ offset: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - 2 else { return nil }
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
        return Int(isBigEndian ? UInt16(bigEndian: value) : UInt16(littleEndian: value))
    }

    func uint32(_ offset: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - 4 else { return nil }
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return Int(isBigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value))
    }

    /// Returns the bytes in `offset..<offset + count`; nil if some are missing.
    func slice(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    /// Returns whether these ASCII characters are at `offset`.
    func matches(_ text: StaticString, at offset: Int) -> Bool {
        guard let slice = slice(offset, text.utf8CodeUnitCount) else { return false }
        return slice.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
