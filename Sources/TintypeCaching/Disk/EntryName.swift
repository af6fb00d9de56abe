import CCrypto
import TintypeBase

/// The 160 bits that name an entry: a truncated SHA-256 of its key, or for ``DiskCache/Naming/sdWebImage`` the MD5
/// and a mark for the extension.
struct EntryName: Hashable, Sendable {
    var high: UInt64
    var middle: UInt64
    var low: UInt32

    static let byteCount = 20

    /// Calls `body` with the lower-case hexadecimal form, NUL-terminated, without an allocation.
    func withHexadecimal<Result>(digits: Int = 40, _ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        try withUnsafeTemporaryAllocation(of: CChar.self, capacity: 41) { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("a buffer of 41 bytes has an address") }
            writeHexadecimal(to: base)
            buffer[digits] = 0
            return try body(UnsafePointer(base))
        }
    }

    /// All 40 digits, without a NUL.
    func writeHexadecimal(to text: UnsafeMutablePointer<CChar>) {
        var position = 0
        for (word, bitCount) in [(high, 64), (middle, 64), (UInt64(low), 32)] {
            for shift in stride(from: bitCount - 4, through: 0, by: -4) {
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 15
                text[position] = CChar(digit < 10 ? 48 + digit : 87 + digit)
                position += 1
            }
        }
    }

    /// The bits of a digest need no more mixing than the hasher's seed gives; one word of them tells names apart.
    func hash(into hasher: inout Hasher) {
        hasher.combine(high ^ UInt64(low))
    }

    var hexadecimal: String { withHexadecimal { String(cString: $0) } }

    /// Reads `digits` hexadecimal digits; nil for anything else, upper case included.
    init?(hexadecimal name: some Collection<UInt8>, digits: Int) {
        guard name.count == digits, digits == 40 || digits == 32 else { return nil }
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        for (position, byte) in name.enumerated() {
            // The cache writes lower case only.
            guard let value = hexValue(byte), byte == asciiLowered(byte) else { return nil }
            let digit = UInt64(value)
            switch position {
            case 0..<16: words.0 = words.0 << 4 | digit
            case 16..<32: words.1 = words.1 << 4 | digit
            default: words.2 = words.2 << 4 | digit
            }
        }
        self.init(high: words.0, middle: words.1, low: UInt32(truncatingIfNeeded: words.2))
    }

    init(high: UInt64, middle: UInt64, low: UInt32) {
        self.high = high
        self.middle = middle
        self.low = low
    }

    /// From the first 20 (or 16) bytes of a digest.
    init(digest: UnsafeRawBufferPointer) {
        high = UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        middle = UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        low = digest.count < 20 ? 0 : UInt32(bigEndian: digest.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
    }
}

/// Digests of keys. The algorithm is fetched once and the context used again: half the time of a one-shot call.
final class KeyDigest: @unchecked Sendable {
    // `context` guards itself: it is only touched under its lock. `algorithm` is immutable after init.
    private let algorithm: OpaquePointer
    private let context: Locked<OpaquePointer>

    /// Nil when libcrypto does not offer the algorithm (MD5 under FIPS rules).
    init?(_ name: String) {
        guard let algorithm = EVP_MD_fetch(nil, name, nil) else { return nil }
        guard let context = EVP_MD_CTX_new() else {
            EVP_MD_free(algorithm)
            return nil
        }
        self.algorithm = algorithm
        self.context = Locked(context)
    }

    deinit {
        context.withLock { EVP_MD_CTX_free($0) }
        EVP_MD_free(algorithm)
    }

    func name(for key: String) -> EntryName? {
        var key = key
        return key.withUTF8 { bytes in
            withUnsafeTemporaryAllocation(byteCount: Int(EVP_MAX_MD_SIZE), alignment: 8) { digest in
                var count: UInt32 = 0
                let isDone = context.withLock { context in
                    EVP_DigestInit_ex2(context, algorithm, nil) == 1
                        && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
                        && EVP_DigestFinal_ex(context, digest.baseAddress?.assumingMemoryBound(to: UInt8.self), &count)
                            == 1
                }
                guard isDone, count >= 16 else { return nil }
                return EntryName(digest: UnsafeRawBufferPointer(rebasing: digest.prefix(Int(count))))
            }
        }
    }
}
