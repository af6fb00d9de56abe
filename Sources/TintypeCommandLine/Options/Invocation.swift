import TintypeBase

/// One call of a command: its arguments, read by name, and its output.
struct Invocation: Sendable {
    let arguments: ParsedArguments
    let console: Console

    var operands: [String] { arguments.operands }
    var wantsJSON: Bool { has("json") }

    func has(_ name: String) -> Bool { arguments.occurrences.contains { $0.name == name } }

    /// Returns the last value of an option.
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

    /// Returns a decimal number, such as seconds.
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

    /// Prints a JSON object with `--json`, and the line otherwise.
    func print(_ json: @autoclosure () -> JSONOutput, else line: @autoclosure () -> String) {
        if wantsJSON { console.print(json()) } else { console.print(line()) }
    }

    /// Runs the work on one source. A failure is printed, with `--json` as an object too; a usage error is thrown.
    ///
    /// - Parameters:
    ///   - member: the name of the source in the object, which has no source without a name.
    ///   - fallback: the source in the message if there is no source.
    func reportingFailure(
        _ member: String? = nil, _ source: String?, else fallback: String? = nil, _ work: () throws -> ExitStatus
    ) throws(UsageError) -> ExitStatus {
        do {
            return try work()
        } catch let error as UsageError {
            throw error
        } catch {
            let problem = Problem(error, source: source ?? fallback)
            if wantsJSON {
                console.print(.object((member.map { [($0, .optional(source))] } ?? []) + [("error", problem.json)]))
            }
            console.report(problem)
            return .failure
        }
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

/// Runs asynchronous work and blocks for its result. Only for the main thread, which is not part of the cooperative pool.
func waitFor<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let gate = BlockingGate<Result<Value, any Error>>()
    Task.detached {
        do { gate.open(.success(try await body())) } catch { gate.open(.failure(error)) }
    }
    return try gate.wait().get()
}
