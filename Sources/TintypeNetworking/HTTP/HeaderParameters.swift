import TintypeBase

/// The comma-separated elements of `Cache-Control` and many other fields (RFC 9110 §5.6).
///
/// An element is a name with an optional value, which may be a quoted string. Text that is not an element is skipped.
struct HeaderParameters: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Returns the next element: the name in lower case, the value without quotes and backslashes.
    mutating func next() -> (name: String, value: String?)? {
        while index < bytes.count {
            skip { $0 == 32 || $0 == 9 || $0 == 44 }
            let start = index
            skip(while: isTokenByte)
            guard index > start else {
                skipToComma()
                continue
            }
            let name = String(decoding: bytes[start..<index].map(asciiLowered), as: UTF8.self)
            skip { $0 == 32 || $0 == 9 }
            guard index < bytes.count, bytes[index] == 61 else {
                skipToComma()
                return (name, nil)
            }
            index += 1
            skip { $0 == 32 || $0 == 9 }
            let value = index < bytes.count && bytes[index] == 34 ? quoted() : bare()
            skipToComma()
            return (name, value)
        }
        return nil
    }

    private mutating func skip(while matches: (UInt8) -> Bool) {
        while index < bytes.count, matches(bytes[index]) { index += 1 }
    }

    private mutating func bare() -> String {
        let start = index
        skip { $0 != 44 && $0 != 32 && $0 != 9 && $0 != 59 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func quoted() -> String {
        index += 1
        var value: [UInt8] = []
        while index < bytes.count, bytes[index] != 34 {
            if bytes[index] == 92, index + 1 < bytes.count { index += 1 }
            value.append(bytes[index])
            index += 1
        }
        index = Swift.min(index + 1, bytes.count)
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func skipToComma() {
        while index < bytes.count, bytes[index] != 44 {
            if bytes[index] == 34 { _ = quoted() } else { index += 1 }
        }
    }
}
