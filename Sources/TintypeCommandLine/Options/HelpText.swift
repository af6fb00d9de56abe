/// The text of `--help`.
enum HelpText {
    static let width = 80

    static func overview() -> String {
        var lines = [
            "Loads, converts and caches images.", "",
            "Usage: tintype COMMAND [OPTIONS] …", "       tintype COMMAND --help", "       tintype --version", "",
            "Commands:",
        ]
        lines += summaries(CommandTable.all)
        lines += [
            "", "Exit status: 0 all good, 1 something failed, 2 the command line is wrong, 130 stopped by Ctrl-C.",
            "Errors go to standard error as 'tintype: CODE: sentence'; --json prints JSON Lines to standard output.",
        ]
        return lines.joined(separator: "\n")
    }

    /// Of commands that share their first word.
    static func text(forFamily word: String, _ commands: [CommandSpecification]) -> String {
        let lines = [
            "Usage: tintype \(word) ACTION [OPTIONS] …", "       tintype \(word) ACTION --help", "", "Actions:",
        ]
        return (lines + summaries(commands)).joined(separator: "\n")
    }

    /// A line about each command, then an example of each.
    private static func summaries(_ commands: [CommandSpecification]) -> [String] {
        var lines: [String] = []
        let column = (commands.map(\.name.count).max() ?? 0) + 2
        for command in commands { lines += entry("  " + command.name, command.summary, column: column + 2) }
        lines += ["", "Examples:"]
        for command in commands {
            if let example = command.examples.first { lines.append("  " + example.line) }
        }
        return lines
    }

    static func text(for command: CommandSpecification) -> String {
        var lines = [command.summary + ".", "", usage(command)]
        for paragraph in command.discussion.split(separator: "\n", omittingEmptySubsequences: true) {
            lines += [""] + wrapped(String(paragraph), width: width)
        }
        lines += ["", "Options:"]
        let options = command.optionsWithHelp
        let column = min(30, (options.map(\.synopsis.count).max() ?? 0) + 4)
        for option in options { lines += entry("  " + option.synopsis, option.help, column: column) }
        lines += ["", command.examples.count == 1 ? "Example:" : "Examples:"]
        for example in command.examples {
            lines += ["  " + example.line] + wrapped(example.explanation, width: width - 6).map { "      " + $0 }
        }
        return lines.joined(separator: "\n")
    }

    static func usage(_ command: CommandSpecification) -> String {
        ["Usage: tintype", command.name, "[OPTIONS]", command.operands].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// A word, and its explanation in a column of its own.
    private static func entry(_ head: String, _ text: String, column: Int) -> [String] {
        let indent = String(repeating: " ", count: column)
        var lines = wrapped(text, width: max(30, width - column)).map { indent + $0 }
        if head.count + 2 <= column, !lines.isEmpty {
            lines[0] = head + lines[0].dropFirst(head.count)
            return lines
        }
        return [head] + lines
    }

    static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
