import CSystemShim
import TintypeBase

/// Hashes and equality of keys for ``MemoryCache``.
///
/// Strings are most of the keys and the standard hasher is half of the time of a hit on a URL, so strings that are
/// all ASCII go through a multiplication hash (the scheme of wyhash) with a random seed for each cache. Everything
/// else takes the standard hasher.
@usableFromInline
enum KeyHash {
    @inlinable @inline(__always)
    static func of<Key: Hashable>(_ key: Key, seed: UInt64) -> Int {
        if Key.self == String.self { return ofString(unsafeBitCast(key, to: String.self), seed) }
        return key.hashValue
    }

    @inlinable @inline(__always)
    static func ofString(_ string: String, _ seed: UInt64) -> Int {
        let hash = string.utf8.withContiguousStorageIfAvailable { ct_ascii_hash($0.baseAddress, $0.count, seed) }
        if let hash, hash != 0 { return Int(truncatingIfNeeded: hash) }
        return ofUnusual(string, seed)
    }

    /// Equal strings must have equal hashes, and equality of strings is canonical equivalence: three characters outside
    /// ASCII are equivalent to one inside (U+212A to K, U+037E to the semicolon, U+1FEF to the grave accent).
    @usableFromInline
    static func ofUnusual(_ string: String, _ seed: UInt64) -> Int {
        var bytes: [UInt8] = []
        for scalar in string.unicodeScalars {
            switch scalar.value {
            case 0..<0x80: bytes.append(UInt8(scalar.value))
            case 0x212A: bytes.append(UInt8(ascii: "K"))
            case 0x037E: bytes.append(UInt8(ascii: ";"))
            case 0x1FEF: bytes.append(UInt8(ascii: "`"))
            default: return string.hashValue
            }
        }
        return Int(truncatingIfNeeded: bytes.withUnsafeBytes { ct_ascii_hash($0.baseAddress, $0.count, seed) })
    }

    @inlinable @inline(__always)
    static func areEqual<Key: Hashable>(_ first: Key, _ second: Key) -> Bool {
        guard Key.self == String.self else { return first == second }
        return areEqual(unsafeBitCast(first, to: String.self), unsafeBitCast(second, to: String.self))
    }

    /// First by bytes, which is what equal strings nearly always share.
    @inlinable @inline(__always)
    static func areEqual(_ first: String, _ second: String) -> Bool {
        let haveEqualBytes = first.utf8.withContiguousStorageIfAvailable { first in
            second.utf8.withContiguousStorageIfAvailable { second in
                first.count == second.count && ct_have_equal_bytes(first.baseAddress, second.baseAddress, first.count)
            } ?? false
        }
        return haveEqualBytes ?? false || first == second
    }
}
