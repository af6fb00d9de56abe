import TintypeBase

/// One call of one command: its arguments, read by name, and where it writes.
struct Invocation: Sendable {
    let arguments: ParsedArguments
    let console: Console

    var operands: [String] { arguments.operands }
    var wantsJSON: Bool { has("json") }

    func has(_ name: String) -> Bool { arguments.occurrences.contains { $0.name == name } }

    /// The value that counts if an option is given more than once: the last.
    func text(_ name: String) -> String? { arguments.occurrences.last { $0.name == name }?.value }

    func texts(_ name: String) -> [String] { arguments.occurrences.filter { $0.name == name }.map(\.value) }

    func integer(_ name: String, _ range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let bounds =
                range.upperBound == .max
                ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
            throw UsageError("--\(name) needs a whole number \(bounds), not '\(text)'")
        }
        return number
    }

    /// Bytes, with an optional K, M or G (powers of 1024).
    func byteCount(_ name: String) throws(UsageError) -> Int? {
        guard let text = text(name) else { return nil }
        let units: [Character: Int] = ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30]
        var digits = text[...]
        var unit = 1
        if let last = text.last, let factor = units[Character(last.lowercased())] {
            unit = factor
            digits = digits.dropLast()
        }
        guard let number = Int(digits), number > 0,
            case (let bytes, false) = number.multipliedReportingOverflow(by: unit)
        else { throw UsageError("--\(name) needs a number of bytes such as 500000, 512K or 20M, not '\(text)'") }
        return bytes
    }

    /// Seconds, or anything else that is counted in parts.
    func number(_ name: String, above lowest: Double, upTo highest: Double = .greatestFiniteMagnitude)
        throws(UsageError) -> Double?
    {
        guard let text = text(name) else { return nil }
        guard let number = Double(text), number > lowest, number <= highest else {
            let bounds = highest == .greatestFiniteMagnitude ? "above \(lowest)" : "above \(lowest), up to \(highest)"
            throw UsageError("--\(name) needs a number \(bounds), not '\(text)'")
        }
        return number
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, _ type: Choice.Type) throws(UsageError)
        -> Choice? where Choice.RawValue == String
    {
        guard let text = text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--\(name) must be one of \(all), not '\(text)'")
        }
        return choice
    }
}
