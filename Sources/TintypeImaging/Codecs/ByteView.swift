/// Bounds-checked reads from the bytes of a file. Reading past the end throws `PastEnd`, which the decoder's door turns
/// into `truncated` or `needsMoreData`.
package struct ByteView {
    /// A read went beyond the last byte.
    package struct PastEnd: Error {
        /// Bytes the file would need for this read.
        package let byteCount: Int
    }

    package let bytes: UnsafeRawBufferPointer

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var count: Int { bytes.count }

    package func u8(_ offset: Int) throws -> UInt8 {
        try require(offset, 1)
        return bytes[offset]
    }

    package func u16(_ offset: Int) throws -> UInt16 {
        try require(offset, 2)
        return UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    package func u32(_ offset: Int) throws -> UInt32 {
        try require(offset, 4)
        return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    package func i32(_ offset: Int) throws -> Int32 { Int32(bitPattern: try u32(offset)) }

    package func bigEndian16(_ offset: Int) throws -> UInt16 { try u16(offset).byteSwapped }

    package func bigEndian32(_ offset: Int) throws -> UInt32 { try u32(offset).byteSwapped }

    /// The bytes from `offset` on, `length` of them.
    package func slice(_ offset: Int, _ length: Int) throws -> UnsafeRawBufferPointer {
        try require(offset, length)
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
    }

    private func require(_ offset: Int, _ length: Int) throws {
        guard offset >= 0, length >= 0, length <= count, offset <= count - length else {
            throw PastEnd(byteCount: offset.addingReportingOverflow(length).partialValue)
        }
    }
}
