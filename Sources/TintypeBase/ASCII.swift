// Classes of ASCII bytes, by the name that the standards give them.

/// Returns whether two names are equal byte by byte, letters of the ASCII range without case.
@inlinable
package func asciiEqualIgnoringCase(_ left: String, _ right: String) -> Bool {
    let leftBytes = left.utf8
    let rightBytes = right.utf8
    guard leftBytes.count == rightBytes.count else { return false }
    return zip(leftBytes, rightBytes).allSatisfy { $0 == $1 || asciiLowered($0) == asciiLowered($1) }
}

/// Returns the lower-case form of a letter, and any other byte unchanged.
@inlinable
package func asciiLowered(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
}

/// Returns the text with ASCII letters in lower case.
package func asciiLowercased(_ text: some StringProtocol) -> String {
    String(decoding: text.utf8.map(asciiLowered), as: UTF8.self)
}

/// Returns whether a byte is one of `0–9`.
@inlinable
package func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

/// Returns whether a byte is one of `A–Z a–z`.
@inlinable
package func isLetter(_ byte: UInt8) -> Bool { asciiLowered(byte) &- UInt8(ascii: "a") < 26 }

/// Returns whether a byte is a letter or a digit.
@inlinable
package func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

/// Returns whether a byte is a space or a tab, the white space of header fields.
@inlinable
package func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

/// Returns whether a byte is a `tchar` of RFC 9110 §5.6.2.
package func isTokenByte(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
}

/// Returns the value of a hexadecimal digit, or nil for another byte.
@inlinable
package func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
}

/// Returns the bytes as lower-case hexadecimal digits.
package func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// Returns the text without spaces and tabs at both ends.
package func trimmedBlanks(_ text: some StringProtocol) -> String {
    var bytes = Substring(text).utf8
    while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return String(Substring(bytes))
}

/// Returns the number that a text of digits spells; nil for any other text, and for numbers that do not fit.
package func digitsValue(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
    return Int(text)
}
