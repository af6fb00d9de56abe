import FoundationEssentials
import Tintype

@testable import CommandLineTool

/// Command lines: words, one a line, through the table of options and everything that reads values from them.
extension Subject {
    static let arguments = Subject(name: "arguments") { data in
        let words = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        guard let (command, rest) = try? CommandTable.find(words[...]) else { return }
        let options = command.options + [.flag("help", "h", "Show this help")]
        guard let parsed = try? OptionParser.parse(rest, options: options) else { return }
        expect(parsed.operands.count + parsed.occurrences.count <= max(1, data.count), "words out of nothing")
        let call = Invocation(arguments: parsed, console: Console())
        _ = try? ProcessingOptions(call)
        _ = try? LoadingOptions(call)
        for option in options {
            _ = try? call.byteCount(option.name)
            _ = try? call.integer(option.name, 0...Int.max)
            _ = try? call.number(option.name, above: 0)
        }
        var names = OutputNames()
        for operand in parsed.operands {
            let stem = names.stem(for: operand)
            expect(
                !stem.isEmpty && !stem.contains("/") && stem != ".." && stem != ".", "a name that is a path: \(stem)")
        }
    }
}
