extension JSONParser {
    mutating func number() throws(ResponseCacheError) -> JSONValue {
        let (range, isWhole) = try numberRange()
        let text = UnsafeBufferPointer(rebasing: bytes[range])
        if let value = JSONParser.shortNumber(text) {
            return isWhole
                ? .integer(value.mantissa) : .number(Double(value.mantissa) / JSONParser.powers[value.places])
        }
        let string = String(decoding: text, as: UTF8.self)
        if isWhole, let value = Int(string) { return .integer(value) }
        guard let value = Double(string), value.isFinite else { throw failure("a number out of range") }
        return .number(value)
    }

    /// A number without exponent whose digits fit a `Double` exactly, as do the powers of ten up to the 15th: one
    /// division of the two is the nearest `Double`, as IEEE 754 rounds. Nil for others, and for negative zero.
    private static func shortNumber(_ text: UnsafeBufferPointer<UInt8>) -> (mantissa: Int, places: Int)? {
        guard text.count <= 15 else { return nil }
        let isNegative = text.first == UInt8(ascii: "-")
        var (mantissa, places, isFraction) = (0, 0, false)
        for byte in text.dropFirst(isNegative ? 1 : 0) {
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                mantissa = mantissa &* 10 &+ Int(byte &- 0x30)
                if isFraction { places &+= 1 }
            default: return nil
            }
        }
        if isNegative, mantissa == 0, isFraction { return nil }
        return (isNegative ? -mantissa : mantissa, places)
    }

    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    mutating func numberRange() throws(ResponseCacheError) -> (Range<Int>, isWhole: Bool) {
        let start = position
        var isWhole = true
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits()
        }
        if current == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            try digits()
        }
        if let byte = current, byte | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return (start..<position, isWhole)
    }

    private mutating func digits() throws(ResponseCacheError) {
        let start = position
        while let byte = current, byte &- 0x30 < 10 { position += 1 }
        if position == start { throw failure("a digit is missing") }
    }
}
