extension JSONParser {
    /// Checks a string and steps over it; gives the bytes between the quotes and whether some are escaped.
    @discardableResult
    mutating func skipString() throws(ResponseCacheError) -> (Range<Int>, hasEscapes: Bool) {
        try expect(UInt8(ascii: "\""))
        let start = position
        var hasEscapes = false
        var isASCII = true
        while true {
            skipPlainText()
            guard let byte = current else { break }
            switch byte {
            case UInt8(ascii: "\""):
                let range = start..<position
                if !isASCII, String(validating: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self) == nil {
                    throw failure("a string that is not UTF-8 ends")
                }
                position += 1
                return (range, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position += 1
                switch current {
                case UInt8(ascii: "u"):
                    position += 1
                    _ = try hexDigits()
                case .some(let letter) where "\"\\/bfnrt".utf8.contains(letter): position += 1
                default: throw failure("an unknown escape")
                }
            case 0..<0x20: throw failure("a control character in a string")
            default:
                if byte >= 0x80 { isASCII = false }
                position += 1
            }
        }
        throw failure("a string does not end")
    }

    /// Steps over eight bytes at a time that are ASCII and neither a quote, a backslash nor a control character.
    private mutating func skipPlainText() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let quotes = ones &* UInt64(UInt8(ascii: "\""))
        let backslashes = ones &* UInt64(UInt8(ascii: "\\"))
        while bytes.count &- position >= 8 {
            let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: position, as: UInt64.self)
            // A byte of zero, or below 0x20, borrows into its top bit; a borrow from a neighbour only makes this careful.
            let special = ((word ^ quotes) &- ones) | ((word ^ backslashes) &- ones) | (word &- ones &* 0x20) | word
            guard special & tops == 0 else { return }
            position &+= 8
        }
    }

    private mutating func hexDigits() throws(ResponseCacheError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                throw failure("four hexadecimal digits are missing")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    mutating func string() throws(ResponseCacheError) -> String {
        let (range, hasEscapes) = try skipString()
        guard hasEscapes else { return String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self) }
        let end = position
        position = range.lowerBound
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        while position < range.upperBound {
            let byte = bytes[position]
            position += 1
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            let letter = bytes[position]
            position += 1
            switch letter {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"): text += String(try scalar()).utf8
            default: text.append(letter)
            }
        }
        position = end
        return String(decoding: text, as: UTF8.self)
    }

    /// Behind `\u`: a scalar, of one or two UTF-16 units. Half a pair becomes U+FFFD: Swift strings cannot hold it.
    private mutating func scalar() throws(ResponseCacheError) -> Character {
        let first = try hexDigits()
        guard (0xD800..<0xDC00).contains(first) else { return Character(UnicodeScalar(first) ?? "\u{FFFD}") }
        guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { return "\u{FFFD}" }
        let before = position
        position += 2
        let second = try hexDigits()
        guard (0xDC00..<0xE000).contains(second) else {
            position = before
            return "\u{FFFD}"
        }
        return Character(UnicodeScalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}")
    }
}
