import CXXHash
import TintypeBase

/// The start of an entry file, all integers little-endian:
///
/// | offset | bytes | what |
/// |---|---|---|
/// | 0 | 8 | magic |
/// | 8 | 8 | XXH3 of the bytes from 16 to the payload |
/// | 16 | 2 | version |
/// | 18 | 2 | flags, 0 |
/// | 20 | 4 | bytes of the key |
/// | 24 | 4 | bytes of the metadata |
/// | 28 | 4 | offset of the payload: behind the metadata, a multiple of 16 |
/// | 32 | 8 | bytes of the payload |
/// | 40 | 8 | XXH3 of the payload |
/// | 48 | 8 | stored at: seconds since 2001, IEEE 754 |
/// | 56 | 8 | expires at, likewise; +∞: by the maximum age |
/// | 64 | | key (UTF-8), metadata, zeros up to the payload |
///
/// The file ends with the payload. A file that disagrees with any of this is not an entry.
struct EntryHeader: Equatable {
    static let size = 64
    /// The first byte is not text and the last is a line feed: transfers that mangle text show at once.
    static let magic: UInt64 = 0x0A45_5059_544E_5489  // 89 'T' 'N' 'T' 'Y' 'P' 'E' 0A
    static let version: UInt16 = 1

    var keyByteCount: Int
    var metadataByteCount: Int
    var payloadOffset: Int
    var payloadByteCount: Int
    var payloadChecksum: UInt64
    var checksum: UInt64
    var storedAt: Double
    var expiresAt: Double

    var fileByteCount: Int { payloadOffset + payloadByteCount }

    enum Fault: Error {
        case notAnEntry
        /// Written by a later version: left alone, and a miss.
        case fromTheFuture
    }

    /// Reads the fixed part. `fileByteCount` is the real size of the file; sizes that do not add up to it are a fault.
    init(_ bytes: UnsafeRawBufferPointer, fileByteCount: Int) throws(Fault) {
        guard bytes.count >= Self.size, fileByteCount >= Self.size else { throw .notAnEntry }
        func integer<Value: FixedWidthInteger>(_ offset: Int, _: Value.Type) -> Value {
            Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
        }
        guard integer(0, UInt64.self) == Self.magic else { throw .notAnEntry }
        guard integer(16, UInt16.self) == Self.version else { throw .fromTheFuture }
        checksum = integer(8, UInt64.self)
        keyByteCount = Int(integer(20, UInt32.self))
        metadataByteCount = Int(integer(24, UInt32.self))
        payloadOffset = Int(integer(28, UInt32.self))
        guard let payload = Int(exactly: integer(32, UInt64.self)) else { throw .notAnEntry }
        payloadByteCount = payload
        payloadChecksum = integer(40, UInt64.self)
        storedAt = Double(bitPattern: integer(48, UInt64.self))
        expiresAt = Double(bitPattern: integer(56, UInt64.self))
        // Each of the three is below 2³², so their sum cannot overflow; the payload is compared by subtraction.
        guard payloadOffset == Self.payloadOffset(keyByteCount, metadataByteCount),
            fileByteCount >= payloadOffset, fileByteCount - payloadOffset == payloadByteCount,
            storedAt.isFinite, !expiresAt.isNaN
        else { throw .notAnEntry }
    }

    static func payloadOffset(_ keyByteCount: Int, _ metadataByteCount: Int) -> Int {
        (size + keyByteCount + metadataByteCount + 15) & ~15
    }

    /// Whether the part before the payload is what was written. `bytes` holds at least that part.
    func isIntact(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= payloadOffset, let base = bytes.baseAddress else { return false }
        return ct_xxh3(base + 16, payloadOffset - 16) == checksum
    }

    /// The bytes of a file up to its payload.
    static func encode(
        key: String, metadata: CacheEntryMetadata, payload: UnsafeRawBufferPointer
    ) -> [UInt8]? {
        let metadataBytes = metadata.encoded()
        let keyByteCount = key.utf8.count
        let offset = payloadOffset(keyByteCount, metadataBytes.count)
        guard UInt32(exactly: offset) != nil else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(offset)
        func append<Value: FixedWidthInteger>(_ value: Value) {
            withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
        }
        append(magic)
        append(UInt64(0))
        append(version)
        append(UInt16(0))
        append(UInt32(keyByteCount))
        append(UInt32(metadataBytes.count))
        append(UInt32(offset))
        append(UInt64(payload.count))
        append(ct_xxh3(payload.baseAddress, payload.count))
        append(metadata.storedAt.timeIntervalSinceReferenceDate.bitPattern)
        append((metadata.expiresAt?.timeIntervalSinceReferenceDate ?? .infinity).bitPattern)
        bytes.append(contentsOf: key.utf8)
        bytes.append(contentsOf: metadataBytes)
        bytes.append(contentsOf: repeatElement(0, count: offset - bytes.count))
        let checksum = bytes.withUnsafeBytes { ct_xxh3($0.baseAddress.map { $0 + 16 }, $0.count - 16) }
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: checksum.littleEndian, toByteOffset: 8, as: UInt64.self) }
        return bytes
    }
}
