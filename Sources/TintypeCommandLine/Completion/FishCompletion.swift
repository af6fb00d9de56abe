/// Completion for fish.
enum FishCompletion {
    static func script() -> String {
        var lines = [
            "# fish completion for tintype; made by 'tintype completion fish'",
            "",
            "# Whether the words before the cursor are these, and nothing else.",
            "function __tintype_after",
            "    set -l words (commandline -opc)",
            "    test \"$words[2..-1]\" = \"$argv\"",
            "end",
            "",
            "# Whether they begin with these. The place decides: 'json get' is not 'get'.",
            "function __tintype_in",
            "    set -l words (commandline -opc)",
            "    test (count $words) -gt (count $argv); or return 1",
            "    test \"$words[2..\"(math 1 + (count $argv))\"]\" = \"$argv\"",
            "end",
            "",
        ]
        for word in CommandWords.first {
            for place in ["", " help"] where place.isEmpty || word != "help" {
                lines.append(offer(word, CommandWords.summary(of: word), if: "__tintype_after" + place))
            }
            for action in CommandWords.second(after: word) {
                let summary = CommandWords.summary(of: "\(word) \(action)")
                for place in ["", " help"] {
                    lines.append(offer(action, summary, if: "__tintype_after\(place) \(word)"))
                }
            }
        }
        lines.append("complete -c tintype -f -n __tintype_after -l version -s V -d 'Show the version'")
        lines.append("complete -c tintype -f -n __tintype_after -l help -s h -d 'Show the help'")
        for command in CommandTable.all {
            let condition = "__tintype_in \(command.name)"
            if let words = CommandWords.choices(of: command) {
                for word in words { lines.append(offer(word, "", if: "__tintype_after \(command.name)")) }
            } else if command.operands.isEmpty {
                lines.append("complete -c tintype -f -n '\(condition)'")
            }
            for option in command.optionsWithHelp {
                var line = "complete -c tintype -n '\(condition)'"
                if let short = option.short { line += " -s \(short)" }
                line += " -l \(option.name)"
                if option.value != nil {
                    switch option.kind {
                    case .choice(let words): line += " -x -a \(quoted(words.joined(separator: " ")))"
                    case .directory: line += " -x -a '(__fish_complete_directories)'"
                    case .file: line += " -r -F"
                    case .text: line += " -x"
                    }
                }
                lines.append(line + " -d \(quoted(option.help))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func offer(_ word: String, _ summary: String, if condition: String) -> String {
        "complete -c tintype -f -n '\(condition)' -a \(word)" + (summary.isEmpty ? "" : " -d \(quoted(summary))")
    }

    private static func quoted(_ text: String) -> String {
        var result = ""
        for character in text {
            if character == "'" || character == "\\" { result += "\\" }
            result.append(character)
        }
        return "'\(result)'"
    }
}
