/// Hashes of keys for ``MemoryCache``.
///
/// Strings are most of the keys and the standard hasher is half of the time of a hit on a URL, so strings that are
/// all ASCII go through a multiplication hash (the scheme of wyhash) with a random seed for each process. Everything
/// else takes the standard hasher.
@usableFromInline
enum KeyHash {
    @usableFromInline static let seed = UInt64.random(in: .min ... .max)

    @inlinable @inline(__always)
    static func of<Key: Hashable>(_ key: Key) -> Int {
        if Key.self == String.self { return ofString(unsafeBitCast(key, to: String.self)) }
        return key.hashValue
    }

    @inlinable @inline(__always)
    static func ofString(_ string: String) -> Int {
        let hash = string.utf8.withContiguousStorageIfAvailable { ofASCII(UnsafeRawBufferPointer($0)) }
        if let hash, let hash { return hash }
        return ofUnusual(string)
    }

    /// Nil when a byte is not ASCII.
    @inlinable @inline(__always)
    static func ofASCII(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let count = bytes.count
        var state = seed ^ UInt64(truncatingIfNeeded: count)
        var seen: UInt64 = 0
        func word(_ offset: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        func mix(_ first: UInt64, _ second: UInt64) {
            seen |= first | second
            let product = (first ^ 0xa076_1d64_78bd_642f ^ state).multipliedFullWidth(
                by: second ^ 0xe703_7ed1_a0b4_28db)
            state = product.high ^ product.low
        }
        if count >= 16 {
            var offset = 0
            while offset &+ 16 <= count {
                mix(word(offset), word(offset &+ 8))
                offset &+= 16
            }
            // The last 16 bytes once more, overlapping, instead of a loop over what is left.
            mix(word(count &- 16), word(count &- 8))
        } else {
            var first: UInt64 = 0
            var second: UInt64 = 0
            for index in 0..<count {
                let byte = UInt64(bytes[index])
                if index < 8 {
                    first |= byte << UInt64(index &* 8)
                } else {
                    second |= byte << UInt64((index &- 8) &* 8)
                }
            }
            mix(first, second)
        }
        if seen & 0x8080_8080_8080_8080 != 0 { return nil }
        let product = (state ^ 0x8ebc_6af0_9c88_c6e3).multipliedFullWidth(by: 0x5899_65cc_7537_4cc3)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }

    /// Equal strings must have equal hashes, and equality of strings is canonical equivalence: three characters outside
    /// ASCII are equivalent to one inside (U+212A to K, U+037E to the semicolon, U+1FEF to the grave accent).
    @usableFromInline
    static func ofUnusual(_ string: String) -> Int {
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
        return bytes.withUnsafeBytes { ofASCII($0) } ?? string.hashValue
    }
}
