/// The percent-encoding of RFC 3986, for text that may already be encoded.
package enum PercentCoding {
    /// Returns whether a byte needs no escape in a path: `pchar` and the slash.
    @inlinable
    package static func isPathByte(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || isSubDelimiter(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "@")
            || byte == UInt8(ascii: "/")
    }

    /// Returns whether a byte needs no escape in a query: `pchar`, slash and question mark.
    @inlinable
    package static func isQueryByte(_ byte: UInt8) -> Bool { isPathByte(byte) || byte == UInt8(ascii: "?") }

    /// Returns whether a byte is `unreserved`.
    @inlinable
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "~")
    }

    /// Returns whether a byte is one of the `sub-delims` (`!$&'()*+,;=`).
    @inlinable
    package static func isSubDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: "="):
            true
        default: false
        }
    }

    /// Returns the text with every byte escaped that `isAllowed` refuses. Existing escapes stay; a percent sign that starts
    /// no escape becomes `%25`.
    package static func encodingOnce(_ text: some StringProtocol, where isAllowed: (UInt8) -> Bool) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "%") {
                if escapedByte(bytes, at: index) == nil { appendEscape(byte, to: &result) } else { result.append(byte) }
            } else if isAllowed(byte) {
                result.append(byte)
            } else {
                appendEscape(byte, to: &result)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the bytes without escapes; a percent sign that starts no escape stays.
    package static func decodedBytes(_ text: some StringProtocol) -> [UInt8] {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let byte = escapedByte(bytes, at: index) {
                result.append(byte)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// Returns one spelling for equal URLs: escapes of unreserved characters decoded, the others in upper case
    /// (RFC 3986 §6.2.2).
    package static func canonical(_ encoded: String) -> String {
        guard encoded.utf8.contains(UInt8(ascii: "%")) else { return encoded }
        let bytes = Array(encoded.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let byte = escapedByte(bytes, at: index) {
                if isUnreserved(byte) { result.append(byte) } else { appendEscape(byte, to: &result) }
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the byte of the escape that starts at an index, or nil if none does.
    private static func escapedByte(_ bytes: [UInt8], at index: Int) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = hexValue(bytes[index + 1]),
            let low = hexValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    /// Appends the escape of a byte.
    package static func appendEscape(_ byte: UInt8, to result: inout [UInt8]) {
        let digits: StaticString = "0123456789ABCDEF"
        result.append(UInt8(ascii: "%"))
        result.append(digits.utf8Start[Int(byte >> 4)])
        result.append(digits.utf8Start[Int(byte & 15)])
    }
}
