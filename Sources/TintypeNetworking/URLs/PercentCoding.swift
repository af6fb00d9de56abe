import TintypeBase

/// Percent-encoding of RFC 3986 for text that may already be encoded.
enum PercentCoding {
    /// Bytes that stay as they are in a path: `pchar` and the slash.
    static func isPathByte(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || isSubDelimiter(byte) || byte == 58 || byte == 64 || byte == 47
    }

    /// Bytes that stay as they are in a query: `pchar`, slash and question mark.
    static func isQueryByte(_ byte: UInt8) -> Bool { isPathByte(byte) || byte == 63 }

    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, 45, 46, 95, 126: true
        default: false
        }
    }

    static func isSubDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 33, 36, 38, 39, 40, 41, 42, 43, 44, 59, 61: true
        default: false
        }
    }

    /// Encodes every byte that `isAllowed` refuses, leaves escapes that are already there alone, and turns a percent
    /// sign that starts no escape into `%25`.
    static func encodingOnce(_ text: some StringProtocol, where isAllowed: (UInt8) -> Bool) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        for (index, byte) in bytes.enumerated() {
            if byte == 37 {
                let isEscape =
                    index + 2 < bytes.count && hexValue(bytes[index + 1]) != nil && hexValue(bytes[index + 2]) != nil
                if isEscape { result.append(byte) } else { appendEscape(byte, to: &result) }
            } else if isAllowed(byte) {
                result.append(byte)
            } else {
                appendEscape(byte, to: &result)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The bytes that the escapes stand for; a percent sign that starts no escape stays.
    static func decodedBytes(_ text: some StringProtocol) -> [UInt8] {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == 37, index + 2 < bytes.count, let high = hexValue(bytes[index + 1]),
                let low = hexValue(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// One spelling for equal URLs: escapes of unreserved characters undone, the others in upper case (RFC 3986 §6.2.2).
    static func canonical(_ encoded: String) -> String {
        guard encoded.utf8.contains(37) else { return encoded }
        let bytes = Array(encoded.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == 37, index + 2 < bytes.count, let high = hexValue(bytes[index + 1]),
                let low = hexValue(bytes[index + 2])
            {
                let byte = high << 4 | low
                if isUnreserved(byte) { result.append(byte) } else { appendEscape(byte, to: &result) }
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    static func appendEscape(_ byte: UInt8, to result: inout [UInt8]) {
        let digits: StaticString = "0123456789ABCDEF"
        result.append(37)
        result.append(digits.utf8Start[Int(byte >> 4)])
        result.append(digits.utf8Start[Int(byte & 15)])
    }
}
