/// Compares two names byte by byte, letters of the ASCII range without case.
@inline(__always)
func asciiEqualIgnoringCase(_ left: String, _ right: String) -> Bool {
    let leftBytes = left.utf8
    let rightBytes = right.utf8
    guard leftBytes.count == rightBytes.count else { return false }
    return zip(leftBytes, rightBytes).allSatisfy { $0 == $1 || asciiLowered($0) == asciiLowered($1) }
}

@inline(__always)
func asciiLowered(_ byte: UInt8) -> UInt8 {
    byte &- 65 < 26 ? byte | 32 : byte
}

func asciiLowercased(_ text: some StringProtocol) -> String {
    String(decoding: text.utf8.map(asciiLowered), as: UTF8.self)
}

/// `tchar` of RFC 9110 §5.6.2.
func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122: true
    case 33, 35, 36, 37, 38, 39, 42, 43, 45, 46, 94, 95, 96, 124, 126: true
    default: false
    }
}

func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
}

/// The text without blanks and tabs at both ends.
func trimmedBlanks(_ text: some StringProtocol) -> String {
    var bytes = Substring(text).utf8
    while let first = bytes.first, first == 32 || first == 9 { bytes.removeFirst() }
    while let last = bytes.last, last == 32 || last == 9 { bytes.removeLast() }
    return String(Substring(bytes))
}

/// A number of digits only; nil for anything else, and for numbers that do not fit.
func digitsValue(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
    return Int(text)
}
