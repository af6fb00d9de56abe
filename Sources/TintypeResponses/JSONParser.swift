import TintypeBase

/// Reads JSON text strictly by RFC 8259, in UTF-8.
///
/// `JSONDecoder` is not used: it accepts `[1,]`, keeps the first of equal keys, refuses half a surrogate pair, and takes
/// longer than `JSONSerialization`, since a value of any kind is decoded by trial.
struct JSONParser {
    /// Deeper nesting is an error: each level is a stack frame.
    static let maximumDepth = 512

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// Returns the value that the data holds, and nothing behind it.
    ///
    /// - Throws: `ResponseCacheError.notJSON`, which names the byte.
    static func parse(_ data: Data) throws(ResponseCacheError) -> JSONValue {
        let outcome = data.withUnsafeBytes { raw -> Result<JSONValue, ResponseCacheError> in
            var parser = JSONParser(bytes: raw.bindMemory(to: UInt8.self))
            do throws(ResponseCacheError) {
                // A byte order mark is not JSON, but readers may ignore it (RFC 8259 §8.1).
                if raw.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }
                let value = try parser.value(depth: 0)
                parser.skipSpace()
                guard parser.position == raw.count else { throw parser.failure("something follows the value") }
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private func failure(_ what: String) -> ResponseCacheError {
        position >= bytes.count ? .notJSON("it ends early") : .notJSON("\(what) at byte \(position)")
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    /// Steps over a byte, if it comes next.
    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(ResponseCacheError) {
        guard take(byte) else { throw failure("'\(Character(UnicodeScalar(byte)))' is missing") }
    }

    private mutating func value(depth: Int) throws(ResponseCacheError) -> JSONValue {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return .object(try object(depth))
        case UInt8(ascii: "["): return .array(try array(depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ text: String, _ value: JSONValue) throws(ResponseCacheError) -> JSONValue {
        guard bytes[position...].starts(with: text.utf8) else { throw failure("an unknown word") }
        position += text.utf8.count
        return value
    }

    // MARK: Containers

    private mutating func object(_ depth: Int) throws(ResponseCacheError) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        var isMore = try open(depth, closing: UInt8(ascii: "}"))
        while isMore {
            let key = try string()
            skipSpace()
            try expect(UInt8(ascii: ":"))
            // The last of equal keys wins, as in every common reader.
            members[key] = try value(depth: depth + 1)
            isMore = try comma(closing: UInt8(ascii: "}"))
        }
        return members
    }

    private mutating func array(_ depth: Int) throws(ResponseCacheError) -> [JSONValue] {
        var elements: [JSONValue] = []
        var isMore = try open(depth, closing: UInt8(ascii: "]"))
        while isMore {
            elements.append(try value(depth: depth + 1))
            isMore = try comma(closing: UInt8(ascii: "]"))
        }
        return elements
    }

    /// Steps into an object or array; returns whether it has an element.
    private mutating func open(_ depth: Int, closing: UInt8) throws(ResponseCacheError) -> Bool {
        guard depth < JSONParser.maximumDepth else { throw failure("more than \(JSONParser.maximumDepth) levels") }
        position += 1
        skipSpace()
        return !take(closing)
    }

    /// Steps over the comma before the next element, or over the end; returns whether an element follows.
    private mutating func comma(closing: UInt8) throws(ResponseCacheError) -> Bool {
        skipSpace()
        if take(closing) { return false }
        try expect(UInt8(ascii: ","))
        skipSpace()
        return true
    }

    // MARK: Numbers

    private mutating func number() throws(ResponseCacheError) -> JSONValue {
        let start = position
        var isWhole = true
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let value = Int(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw failure("a number out of range") }
        return .number(value)
    }

    private mutating func digits() throws(ResponseCacheError) {
        let start = position
        while let byte = current, byte &- 0x30 < 10 { position += 1 }
        if position == start { throw failure("a digit is missing") }
    }

    // MARK: Strings

    private mutating func string() throws(ResponseCacheError) -> String {
        try expect(UInt8(ascii: "\""))
        var decoded: [UInt8] = []
        var start = position
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                let rest = UnsafeBufferPointer(rebasing: bytes[start..<position])
                let text =
                    decoded.isEmpty
                    ? String(validating: rest, as: UTF8.self) : String(validating: decoded + rest, as: UTF8.self)
                guard let text else { throw failure("a string that is not UTF-8 ends") }
                position += 1
                return text
            case UInt8(ascii: "\\"):
                decoded += bytes[start..<position]
                position += 1
                try decodeEscape(into: &decoded)
                start = position
            case 0..<0x20: throw failure("a control character in a string")
            default: position += 1
            }
        }
        throw failure("a string does not end")
    }

    private mutating func decodeEscape(into decoded: inout [UInt8]) throws(ResponseCacheError) {
        switch current {
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"):
            position += 1
            decoded += String(try scalar()).utf8
            return
        case .some(let letter) where "\"\\/".utf8.contains(letter): decoded.append(letter)
        default: throw failure("an unknown escape")
        }
        position += 1
    }

    /// Reads one or two UTF-16 units behind `\u`. Half a pair becomes U+FFFD: a Swift string cannot hold it.
    private mutating func scalar() throws(ResponseCacheError) -> Character {
        let first = try hexDigits()
        guard (0xD800..<0xDC00).contains(first) else { return Character(UnicodeScalar(first) ?? "\u{FFFD}") }
        let end = position
        if take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
            let second = try hexDigits()
            if (0xDC00..<0xE000).contains(second) {
                return Character(UnicodeScalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}")
            }
        }
        position = end
        return "\u{FFFD}"
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
}
