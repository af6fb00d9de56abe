import FoundationEssentials
import Tintype

@testable import TintypeCommandLine

/// Command lines: words, one a line, through the parser of options and everything that reads values from them.
extension Subject {
    private static let table =
        ProcessingOptions.table + [
            .flag("json", "j", "A flag"), .flag("verbose", "v", "Another"),
            .value("output", "o", "FILE", "A value"), .value("max-pixels", nil, "N", "A number"),
            .value("header", nil, "'K: V'", isRepeatable: true, "Given often"),
            .value("max-bytes", nil, "N", "A number of bytes"),
        ]

    static let arguments = Subject(name: "arguments") { data in
        let words = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        guard let parsed = try? OptionParser.parse(words, options: table) else { return }
        expect(parsed.operands.count + parsed.occurrences.count <= data.count + 1, "words out of nothing")
        let call = Invocation(arguments: parsed, console: Console())
        if let options = try? ProcessingOptions(call) {
            expect(options.limits.maximumPixelCount > 0, "no pixels allowed")
            expect(options.steps.count <= parsed.occurrences.count, "steps out of nothing")
        }
        for option in table {
            if let count = try? call.byteCount(option.name) { expect(count > 0, "bytes below one") }
            if let number = try? call.integer(option.name, 3...Int.max) { expect(number >= 3, "out of its range") }
            if let number = try? call.number(option.name, above: 0, upTo: 10) {
                expect(number > 0 && number <= 10, "out of its range")
            }
        }
        for word in words { _ = Suggestion.nearest(to: String(word.prefix(200)), among: table.map(\.name)) }
        _ = words.map(Problem.shortened)
    }
}
