import TintypeBase

/// Bounds-checked reads from the bytes of a file. Reading past the end throws `PastEnd`, which `ByteView.read` converts to
/// `truncated` or `needsMoreData`.
struct ByteView {
    /// A read went beyond the last byte.
    struct PastEnd: Error {
        /// Bytes that the file would need for this read.
        let byteCount: Int
    }

    let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Calls `body` with the bytes of a file. A read past the end throws `ImagingError.truncated`, or `needsMoreData` for a
    /// prefix.
    static func read<Result>(
        _ data: Data, as format: ImageFormat, isComplete: Bool, _ body: (ByteView) throws -> Result
    ) throws -> Result {
        do {
            return try data.withUnsafeBytes { try body(ByteView($0)) }
        } catch let end as PastEnd {
            throw isComplete
                ? ImagingError.truncated(format) : ImagingError.needsMoreData(format, byteCount: end.byteCount)
        }
    }

    var count: Int { bytes.count }

    func u8(_ offset: Int) throws -> UInt8 {
        try require(offset, 1)
        return bytes[offset]
    }

    func u16(_ offset: Int) throws -> UInt16 {
        try require(offset, 2)
        return UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    func u32(_ offset: Int) throws -> UInt32 {
        try require(offset, 4)
        return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    func i32(_ offset: Int) throws -> Int32 { Int32(bitPattern: try u32(offset)) }

    func bigEndian16(_ offset: Int) throws -> UInt16 { try u16(offset).byteSwapped }

    func bigEndian32(_ offset: Int) throws -> UInt32 { try u32(offset).byteSwapped }

    /// Returns `length` bytes from `offset` on.
    func slice(_ offset: Int, _ length: Int) throws -> UnsafeRawBufferPointer {
        try require(offset, length)
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
    }

    private func require(_ offset: Int, _ length: Int) throws {
        guard offset >= 0, length >= 0, length <= count, offset <= count - length else {
            throw PastEnd(byteCount: offset.addingReportingOverflow(length).partialValue)
        }
    }
}
