import TintypeBase

/// Reads JSON text strictly by RFC 8259, in UTF-8. `validate` builds nothing, which is what storing needs.
struct JSONParser {
    /// Deeper nesting is refused: each level is a stack frame.
    static let maximumDepth = 512

    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    /// What the open arrays and objects hold so far, the innermost last: each is made once, at its full size.
    var elements: [JSONValue] = []
    var members: [(key: String, value: JSONValue)] = []

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

    func failure(_ what: String) -> ResponseCacheError {
        position >= bytes.count ? .notJSON("it ends early") : .notJSON("\(what) at byte \(position)")
    }

    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    mutating func expect(_ byte: UInt8) throws(ResponseCacheError) {
        guard current == byte else { throw failure("'\(Character(UnicodeScalar(byte)))' is missing") }
        position += 1
    }

    mutating func word(_ text: StaticString) throws(ResponseCacheError) {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count,
            UnsafeBufferPointer(rebasing: bytes[position..<position + count]).elementsEqual(
                UnsafeBufferPointer(start: text.utf8Start, count: count))
        else { throw failure("an unknown word") }
        position += count
    }

    mutating func value(depth: Int) throws(ResponseCacheError) -> JSONValue {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
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

    mutating func object(_ depth: Int) throws(ResponseCacheError) -> JSONValue {
        let start = members.count
        var isMore = try open(depth, closing: UInt8(ascii: "}"))
        while isMore {
            let key = try string()
            try colon()
            members.append((key, try value(depth: depth + 1)))
            isMore = try comma(closing: UInt8(ascii: "}"))
        }
        var object: [String: JSONValue] = [:]
        object.reserveCapacity(members.count - start)
        // The last of equal keys wins, as in every common reader.
        for (key, value) in members[start...] { object[key] = value }
        members.removeSubrange(start...)
        return .object(object)
    }

    mutating func array(_ depth: Int) throws(ResponseCacheError) -> JSONValue {
        let start = elements.count
        var isMore = try open(depth, closing: UInt8(ascii: "]"))
        while isMore {
            elements.append(try value(depth: depth + 1))
            isMore = try comma(closing: UInt8(ascii: "]"))
        }
        let array = Array(elements[start...])
        elements.removeSubrange(start...)
        return .array(array)
    }

    mutating func skipValue(depth: Int) throws(ResponseCacheError) {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"):
            var isMore = try open(depth, closing: UInt8(ascii: "}"))
            while isMore {
                try skipString()
                try colon()
                try skipValue(depth: depth + 1)
                isMore = try comma(closing: UInt8(ascii: "}"))
            }
        case UInt8(ascii: "["):
            var isMore = try open(depth, closing: UInt8(ascii: "]"))
            while isMore {
                try skipValue(depth: depth + 1)
                isMore = try comma(closing: UInt8(ascii: "]"))
            }
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: _ = try numberRange()
        }
    }

    /// Steps into an object or array; whether something is in it.
    mutating func open(_ depth: Int, closing: UInt8) throws(ResponseCacheError) -> Bool {
        guard depth < JSONParser.maximumDepth else { throw failure("more than \(JSONParser.maximumDepth) levels") }
        position += 1
        skipSpace()
        guard current == closing else { return true }
        position += 1
        return false
    }

    /// Steps over what follows an element: a comma before the next one, or the end.
    mutating func comma(closing: UInt8) throws(ResponseCacheError) -> Bool {
        skipSpace()
        if current == closing {
            position += 1
            return false
        }
        try expect(UInt8(ascii: ","))
        skipSpace()
        return true
    }

    mutating func colon() throws(ResponseCacheError) {
        skipSpace()
        try expect(UInt8(ascii: ":"))
    }
}
