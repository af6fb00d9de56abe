#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads JSON text strictly by RFC 8259, in UTF-8. `validate` builds nothing, which is what storing needs.
struct JSONParser {
    /// Deeper nesting is refused: each level is a stack frame.
    static let maximumDepth = 512

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// The value that the bytes spell, without anything behind it.
    /// - Throws: `ResponseCacheError.notJSON`, which names the byte.
    static func parse(_ data: Data) throws(ResponseCacheError) -> JSONValue {
        try read(data) { parser throws(ResponseCacheError) in try parser.value(depth: 0) }
    }

    static func validate(_ data: Data) throws(ResponseCacheError) {
        try read(data) { parser throws(ResponseCacheError) in try parser.skipValue(depth: 0) }
    }

    private static func read<Result>(
        _ data: Data, _ body: (inout JSONParser) throws(ResponseCacheError) -> Result
    ) throws(ResponseCacheError) -> Result {
        let outcome = data.withUnsafeBytes { raw -> Swift.Result<Result, ResponseCacheError> in
            var parser = JSONParser(bytes: raw.bindMemory(to: UInt8.self))
            do throws(ResponseCacheError) {
                // A byte order mark is not JSON, but readers may ignore it (RFC 8259, section 8.1).
                if raw.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }
                let result = try body(&parser)
                parser.skipSpace()
                guard parser.position == raw.count else { throw parser.failure("something follows the value") }
                return .success(result)
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
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private mutating func expect(_ byte: UInt8) throws(ResponseCacheError) {
        guard current == byte else { throw failure("'\(Character(UnicodeScalar(byte)))' is missing") }
        position += 1
    }

    private mutating func word(_ text: StaticString) throws(ResponseCacheError) {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count,
            UnsafeBufferPointer(rebasing: bytes[position..<position + count]).elementsEqual(
                UnsafeBufferPointer(start: text.utf8Start, count: count))
        else { throw failure("an unknown word") }
        position += count
    }

    private mutating func value(depth: Int) throws(ResponseCacheError) -> JSONValue {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"):
            var members: [String: JSONValue] = [:]
            try elements(depth, closing: UInt8(ascii: "}")) { parser throws(ResponseCacheError) in
                let key = try parser.string()
                parser.skipSpace()
                try parser.expect(UInt8(ascii: ":"))
                // The last of equal keys wins, as in every common reader.
                members[key] = try parser.value(depth: depth + 1)
            }
            return .object(members)
        case UInt8(ascii: "["):
            var elements: [JSONValue] = []
            try self.elements(depth, closing: UInt8(ascii: "]")) { parser throws(ResponseCacheError) in
                elements.append(try parser.value(depth: depth + 1))
            }
            return .array(elements)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"):
            try word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        default: return try number()
        }
    }

    private mutating func skipValue(depth: Int) throws(ResponseCacheError) {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"):
            try elements(depth, closing: UInt8(ascii: "}")) { parser throws(ResponseCacheError) in
                try parser.skipString()
                parser.skipSpace()
                try parser.expect(UInt8(ascii: ":"))
                try parser.skipValue(depth: depth + 1)
            }
        case UInt8(ascii: "["):
            try elements(depth, closing: UInt8(ascii: "]")) { parser throws(ResponseCacheError) in
                try parser.skipValue(depth: depth + 1)
            }
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: _ = try numberRange()
        }
    }

    /// The inside of an object or array, with its commas.
    private mutating func elements(
        _ depth: Int, closing: UInt8, _ element: (inout JSONParser) throws(ResponseCacheError) -> Void
    ) throws(ResponseCacheError) {
        guard depth < JSONParser.maximumDepth else { throw failure("more than \(JSONParser.maximumDepth) levels") }
        position += 1
        skipSpace()
        if current == closing {
            position += 1
            return
        }
        while true {
            skipSpace()
            try element(&self)
            skipSpace()
            if current == closing {
                position += 1
                return
            }
            try expect(UInt8(ascii: ","))
        }
    }

    private mutating func number() throws(ResponseCacheError) -> JSONValue {
        let (range, isWhole) = try numberRange()
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        if isWhole, let value = Int(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw failure("a number out of range") }
        return .number(value)
    }

    private mutating func numberRange() throws(ResponseCacheError) -> (Range<Int>, isWhole: Bool) {
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

extension JSONParser {
    /// Checks a string and steps over it; gives the bytes between the quotes and whether some are escaped.
    @discardableResult
    private mutating func skipString() throws(ResponseCacheError) -> (Range<Int>, hasEscapes: Bool) {
        try expect(UInt8(ascii: "\""))
        let start = position
        var hasEscapes = false
        var isASCII = true
        while let byte = current {
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

    private mutating func string() throws(ResponseCacheError) -> String {
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
