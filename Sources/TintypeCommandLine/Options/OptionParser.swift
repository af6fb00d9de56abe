/// The words of one command line, sorted into options and operands.
struct ParsedArguments: Sendable {
    struct Occurrence: Sendable, Equatable {
        let name: String
        let value: String
    }

    /// In the order of the command line; a flag has an empty value.
    var occurrences: [Occurrence] = []
    var operands: [String] = []
}

/// An invalid command line. The exit status is 2.
struct UsageError: Error, Equatable {
    let message: String

    init(_ message: String) { self.message = message }
}

/// Sorts words by a table of options.
///
/// The rules are those of getopt_long(3), without its abbreviations: options and operands in any order, `--name value`
/// and `--name=value`, `-n value` and `-nvalue`, flags of one letter joined, `--` before operands that start with a dash,
/// and `-` is an operand.
enum OptionParser {
    static func parse(_ words: some Sequence<String>, options: [OptionSpecification]) throws(UsageError)
        -> ParsedArguments
    {
        var result = ParsedArguments()
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            if word == "--" {
                result.operands += rest
                return result
            } else if word.hasPrefix("--") {
                result.occurrences.append(try long(word.dropFirst(2), &rest, options))
            } else if word.hasPrefix("-"), word != "-" {
                result.occurrences += try cluster(word.dropFirst(), &rest, options)
            } else {
                result.operands.append(word)
            }
        }
        return result
    }

    private static func long(
        _ body: Substring, _ rest: inout ArraySlice<String>, _ options: [OptionSpecification]
    ) throws(UsageError) -> ParsedArguments.Occurrence {
        let equals = body.firstIndex(of: "=")
        let name = String(body[..<(equals ?? body.endIndex)])
        let attached = equals.map { String(body[body.index(after: $0)...]) }
        guard let option = options.first(where: { $0.name == name }) else {
            let suggestion = Suggestion.nearest(to: name, among: options.map(\.name))
            throw UsageError("there is no option --\(name)" + (suggestion.map { "; did you mean --\($0)?" } ?? ""))
        }
        guard let wanted = option.value else {
            if attached != nil { throw UsageError("--\(name) takes no value") }
            return .init(name: name, value: "")
        }
        guard let value = attached ?? rest.popFirst() else {
            throw UsageError("--\(name) needs a value: --\(name) \(wanted)")
        }
        return .init(name: name, value: value)
    }

    private static func cluster(
        _ body: Substring, _ rest: inout ArraySlice<String>, _ options: [OptionSpecification]
    ) throws(UsageError) -> [ParsedArguments.Occurrence] {
        var found: [ParsedArguments.Occurrence] = []
        var letters = body
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.short == letter }) else {
                throw UsageError("there is no option -\(letter)")
            }
            guard let wanted = option.value else {
                found.append(.init(name: option.name, value: ""))
                continue
            }
            guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
                throw UsageError("-\(letter) needs a value: -\(letter) \(wanted)")
            }
            found.append(.init(name: option.name, value: value))
            break
        }
        return found
    }
}

/// Suggestions for mistyped words.
enum Suggestion {
    /// Returns the candidate with the fewest edits, if these are few enough for a typing error.
    static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let limit = max(1, min(3, word.count / 3))
        let ranked = candidates.map { (distance(word, $0), $0) }
        if let best = ranked.min(by: { $0.0 < $1.0 }), best.0 <= limit { return best.1 }
        // An incomplete word is as common as a wrong letter.
        let longer = ranked.filter { word.count >= 3 && $0.1.hasPrefix(word) }
        return longer.count == 1 ? longer[0].1 : nil
    }

    /// Insertions, deletions, changes and exchanges of neighbours (optimal string alignment).
    static func distance(_ first: String, _ second: String) -> Int {
        let a = Array(first)
        let b = Array(second)
        var before: [Int] = []
        var previous = Array(0...b.count)
        for i in a.indices {
            var current = [i + 1]
            for j in b.indices {
                var best = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
                current.append(best)
            }
            before = previous
            previous = current
        }
        return previous[b.count]
    }
}
