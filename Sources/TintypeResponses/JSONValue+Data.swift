import TintypeBase

extension JSONValue {
    /// Reads JSON text (RFC 8259, UTF-8); a lone string or number is a value, too.
    ///
    /// - Throws: `ResponseCacheError.notJSON`, which names the byte.
    public init(data: Data) throws(ResponseCacheError) {
        self = try JSONParser.parse(data)
    }

    /// Returns compact JSON text with sorted keys: equal values give equal bytes.
    ///
    /// - Throws: `ResponseCacheError.notEncodable` for infinity, NaN, and more than 512 levels.
    public func data() throws(ResponseCacheError) -> Data {
        var bytes: [UInt8] = []
        try write(to: &bytes, depth: 0)
        return Data(bytes)
    }

    private func write(to bytes: inout [UInt8], depth: Int) throws(ResponseCacheError) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += value ? "true".utf8 : "false".utf8
        case .integer(let value): bytes += String(value).utf8
        case .number(let value):
            guard value.isFinite else { throw .notEncodable("\(value) is not a JSON number") }
            bytes += value.description.utf8
        case .string(let value): JSONValue.write(value, to: &bytes)
        case .array(let elements):
            guard depth < JSONParser.maximumDepth else { throw tooDeep }
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try element.write(to: &bytes, depth: depth + 1)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            guard depth < JSONParser.maximumDepth else { throw tooDeep }
            bytes.append(UInt8(ascii: "{"))
            let sorted = members.sorted { JSONValue.precedes($0.key, $1.key) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONValue.write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                try member.value.write(to: &bytes, depth: depth + 1)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private var tooDeep: ResponseCacheError { .notEncodable("it has more than \(JSONParser.maximumDepth) levels") }

    /// Compares by Unicode scalars, which is the same on every machine; `String` compares by canonical equivalence.
    static func precedes(_ first: String, _ second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }

    private static func write(_ string: String, to bytes: inout [UInt8]) {
        var string = string
        bytes.append(UInt8(ascii: "\""))
        string.withUTF8 { text in
            var start = 0
            for (index, byte) in text.enumerated() where needsEscape(byte) {
                bytes += text[start..<index]
                writeEscaped(byte, to: &bytes)
                start = index + 1
            }
            bytes += text[start...]
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func writeEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case 0x0A: bytes += "\\n".utf8
        case 0x0D: bytes += "\\r".utf8
        case 0x09: bytes += "\\t".utf8
        case 0..<0x20:
            bytes += "\\u00".utf8
            if byte < 0x10 { bytes.append(0x30) }
            bytes += String(byte, radix: 16).utf8
        default: bytes += [UInt8(ascii: "\\"), byte]
        }
    }
}
