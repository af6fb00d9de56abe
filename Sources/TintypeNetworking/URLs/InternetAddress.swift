import TintypeBase

/// An IPv4 or IPv6 address.
package enum InternetAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(high: UInt64, low: UInt64)

    /// 4 or 16 bytes in network order.
    init?(networkBytes bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16:
            self = .v6(
                high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
                low: bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) })
        default: return nil
        }
    }

    /// The text of an IPv6 address without brackets, or dotted decimal IPv4 (``WebURL`` knows the other spellings of IPv4).
    package init?(_ text: String) {
        var six = in6_addr()
        var four = in_addr()
        if inet_pton(AF_INET6, text, &six) == 1 {
            guard let address = withUnsafeBytes(of: six, { InternetAddress(networkBytes: $0) }) else { return nil }
            self = address
        } else if inet_pton(AF_INET, text, &four) == 1 {
            self = .v4(UInt32(bigEndian: four.s_addr))
        } else {
            return nil
        }
    }

    /// IPv4 as browsers read a host whose last label is a number: 1 to 4 parts, each decimal, octal (`0…`) or
    /// hexadecimal (`0x…`), the last one filling what is left (URL standard, "IPv4 parser").
    init?(hostNumber text: String) {
        var parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 1, parts.last == "" { parts.removeLast() }
        guard 1...4 ~= parts.count else { return nil }
        var numbers: [UInt64] = []
        for part in parts {
            guard let number = Self.number(part) else { return nil }
            numbers.append(number)
        }
        guard let last = numbers.popLast(), numbers.allSatisfy({ $0 <= 255 }) else { return nil }
        guard last < UInt64(1) << (8 * (4 - numbers.count)) else { return nil }
        var value = UInt32(truncatingIfNeeded: last)
        for (index, number) in numbers.enumerated() {
            value |= UInt32(truncatingIfNeeded: number) << (8 * (3 - index))
        }
        self = .v4(value)
    }

    /// Whether browsers read a host as an IPv4 number: its last label is all digits, or `0x` and hexadecimal digits.
    static func looksLikeNumber(_ host: String) -> Bool {
        var labels = host.split(separator: ".", omittingEmptySubsequences: false)
        if labels.count > 1, labels.last == "" { labels.removeLast() }
        guard let last = labels.last, !last.isEmpty else { return false }
        if last.utf8.allSatisfy(isDigit) { return true }
        // However many digits: a number that is too large is no address, and no name either.
        return asciiLowercased(last.prefix(2)) == "0x" && last.utf8.dropFirst(2).allSatisfy { hexValue($0) != nil }
    }

    private static func number(_ text: Substring) -> UInt64? {
        var digits = text
        var radix = 10
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            digits = digits.dropFirst(2)
            radix = 16
        } else if digits.count > 1, digits.first == "0" {
            digits = digits.dropFirst()
            radix = 8
        }
        if digits.isEmpty { return radix == 16 ? 0 : nil }
        guard digits.first != "+", digits.first != "-" else { return nil }
        return UInt64(digits, radix: radix)
    }
}

extension InternetAddress: CustomStringConvertible {
    /// Dotted decimal, or the shortest IPv6 form (RFC 5952).
    package var description: String {
        switch self {
        case .v4(let value):
            return "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)"
        case .v6(let high, let low):
            var address = in6_addr()
            withUnsafeMutableBytes(of: &address) { bytes in
                bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
                bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            guard inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return "::" }
            return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
