import TintypeBase

/// A value to print as JSON. Objects keep the order of their keys, so lines look the same in each run.
///
/// Strings and objects can be written as literals: `["event": "failed", "url": .string(url)]`.
enum JSONOutput: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
    case null
    case boolean(Bool)
    case integer(Int)
    /// A measurement: rounded to a millionth.
    case double(Double)
    /// A number with all its digits.
    case exact(Double)
    case string(String)
    case array([JSONOutput])
    case object([(key: String, value: JSONOutput)])

    init(stringLiteral value: String) { self = .string(value) }
    init(dictionaryLiteral members: (String, JSONOutput)...) { self = .object(members.map { ($0.0, $0.1) }) }

    static func == (first: JSONOutput, second: JSONOutput) -> Bool { first.line == second.line }

    /// Nil becomes null.
    static func optional(_ value: Int?) -> JSONOutput { value.map { .integer($0) } ?? .null }
    static func optional(_ value: String?) -> JSONOutput { value.map { .string($0) } ?? .null }

    /// The value on one line, without a line feed (JSON Lines; RFC 8259).
    var line: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .double(let value): text += JSONOutput.digits(value)
        case .exact(let value): text += value.isFinite ? value.description : "null"
        case .string(let value): JSONOutput.write(value, to: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                JSONOutput.write(member.key, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    /// Rounded to a millionth, so that 0.1 + 0.2 prints as 0.3; JSON has no infinity and no NaN.
    private static func digits(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        let rounded = abs(value) < 1e9 ? (value * 1e6).rounded() / 1e6 : value
        if rounded == rounded.rounded(), abs(rounded) < 1e15 { return String(Int(rounded)) }
        return rounded.description
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case let scalar where TerminalText.isHarmful(scalar):
                let hex = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            case let scalar where PathText.byte(scalar) != nil:
                // JSON is Unicode: a byte of a file name that is not UTF-8 is escaped as in messages.
                text += PathText.byte(scalar).map { "\\" + TerminalText.byteEscape($0) } ?? ""
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
