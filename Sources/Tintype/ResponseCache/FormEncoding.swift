/// Parameters as `name=value&…` (the URL standard's `application/x-www-form-urlencoded`, with `%20` for blanks, which
/// every server reads in a query). Sorted, so that equal parameters are equal bytes.
enum FormEncoding {
    static func text(_ parameters: [String: JSONValue]) -> String {
        parameters.keys.sorted(by: JSONValue.precedes)
            .flatMap { pairs($0, parameters[$0] ?? .null) }
            .map { escaped($0.name) + "=" + escaped($0.value) }
            .joined(separator: "&")
    }

    /// The URL with the parameters behind its own query and before its fragment.
    static func url(_ url: String, adding parameters: [String: JSONValue]) throws -> String {
        let fragment = url.firstIndex(of: "#") ?? url.endIndex
        let base = url[..<fragment]
        let separator = base.contains("?") ? (base.last == "?" || base.last == "&" ? "" : "&") : "?"
        return base + separator + text(parameters) + url[fragment...]
    }

    private static func pairs(_ name: String, _ value: JSONValue) -> [(name: String, value: String)] {
        switch value {
        case .null: [(name, "")]
        case .bool(let value): [(name, value ? "true" : "false")]
        case .integer(let value): [(name, String(value))]
        case .number(let value): [(name, Int(exactly: value).map { String($0) } ?? value.description)]
        case .string(let value): [(name, value)]
        case .array(let elements): elements.flatMap { pairs(name + "[]", $0) }
        case .object(let members):
            members.keys.sorted(by: JSONValue.precedes).flatMap { pairs("\(name)[\($0)]", members[$0] ?? .null) }
        }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(UnicodeScalar(byte))
            default: result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
