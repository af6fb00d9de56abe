import CICUShim
import TintypeBase

extension WebURL {
    /// The host as it is sent and compared: lower case ASCII, addresses in their shortest form.
    static func normalizedHost(_ text: Substring) throws(Problem) -> String {
        if text.isEmpty { throw Problem(reason: "the host is missing") }
        if text.hasPrefix("[") {
            guard text.hasSuffix("]"),
                case .v6(let high, let low)? = InternetAddress(String(text.dropFirst().dropLast()))
            else { throw Problem(reason: "\"\(text)\" is not an IPv6 address") }
            return "[\(InternetAddress.v6(high: high, low: low))]"
        }
        let decoded = PercentCoding.decodedBytes(text)
        guard let name = String(validating: decoded, as: UTF8.self) else {
            throw Problem(reason: "the host is not UTF-8")
        }
        let ascii = name.utf8.allSatisfy { $0 < 128 } ? asciiLowercased(name) : try internationalHost(name)
        // Of the characters that the standard allows here, libcurl refuses those that are refused here too.
        if let bad = ascii.unicodeScalars.first(where: { !isHostCharacter($0) }) {
            throw Problem(reason: "the host holds the character U+\(String(bad.value, radix: 16, uppercase: true))")
        }
        if InternetAddress.looksLikeNumber(ascii) {
            guard let address = InternetAddress(hostNumber: ascii) else {
                throw Problem(reason: "\"\(ascii)\" is not an IPv4 address")
            }
            return address.description
        }
        let labels = ascii.split(separator: ".", omittingEmptySubsequences: false)
        // One dot may be at the end: it makes the name absolute. Browsers accept other empty labels and overlong ones, but
        // the DNS has no such names.
        let named = labels.count > 1 && labels.last == "" ? labels.dropLast() : labels[...]
        guard named.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 63 }), ascii.utf8.count <= 254 else {
            throw Problem(reason: "the host has an empty or overlong label")
        }
        return ascii
    }

    /// The ASCII form of an international name: UTS #46, non-transitional, with the checks of the URL standard.
    private static func internationalHost(_ name: String) throws(Problem) -> String {
        guard let idna = InternationalNames.shared else { throw Problem(reason: "ICU has no data for host names") }
        var mapped = String(String.UnicodeScalarView(name.unicodeScalars.compactMap(InternationalNames.premapped)))
        // Each character becomes at most a few bytes of Punycode or of its mapping; 18 is the longest mapping.
        let capacity = mapped.utf8.count * 20 + 64
        guard capacity <= Self.maximumHostBuffer else { throw Problem(reason: "the host is too long") }
        let ascii = mapped.withUTF8 { name in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { output -> String? in
                let count = name.withMemoryRebound(to: CChar.self) { name in
                    tt_idna_to_ascii(
                        idna.handle, name.baseAddress, Int32(name.count), output.baseAddress, Int32(output.count))
                }
                guard count > 0 else { return nil }
                return String(decoding: output.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
            }
        }
        guard let ascii else { throw Problem(reason: "the international host name is not valid") }
        return ascii
    }

    /// No name that fits into the DNS needs more.
    private static let maximumHostBuffer = 1 << 16

    private static func isHostCharacter(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value > 32, scalar.value < 127 else { return false }
        return !"\"#%/:<>?@[\\]^`{|}".unicodeScalars.contains(scalar)
    }
}

/// ICU's tables for international host names.
private struct InternationalNames: @unchecked Sendable {
    // `handle` points to an object that ICU never changes after it was opened.
    let handle: OpaquePointer

    static let shared = tt_idna_open().map { InternationalNames(handle: $0) }

    /// Mappings of UTS #46 version 15.1 and later that older versions of ICU lack. Nil: the character is dropped.
    static func premapped(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x1E9E: "\u{DF}"
        case 0x04C0: "\u{4CF}"
        case 0x10A0...0x10CD: Unicode.Scalar(scalar.value + 0x1C60)
        case 0x2132: "\u{214E}"
        case 0x2183: "\u{2184}"
        case 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x206A...0x206F, 0x3164, 0xFFA0: nil
        default: scalar
        }
    }
}
