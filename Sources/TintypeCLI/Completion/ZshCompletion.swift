/// Completion for zsh, with the explanations of the help.
enum ZshCompletion {
    static func script() -> String {
        var lines = ["#compdef tintype", "# made by 'tintype completion zsh'", "_tintype() {", "    local -a commands"]
        lines.append("    commands=(")
        for word in CommandWords.first {
            let summary =
                CommandTable.all.first { $0.name == word }?.summary
                ?? (word == "help"
                    ? "Show the help of a command" : CommandWords.second(after: word).joined(separator: ", "))
            lines.append("        '\(word):\(quoted(summary))'")
        }
        lines += [
            "    )",
            "    if (( CURRENT == 2 )); then",
            "        _describe command commands",
            "        _arguments '--help[Show the help]' '--version[Show the version]'",
            "        return",
            "    fi",
            "    local command=$words[2]",
            "    case $command in",
        ]
        for word in CommandWords.first {
            let actions = CommandWords.second(after: word)
            guard !actions.isEmpty else { continue }
            lines += [
                "        \(word))",
                "            if (( CURRENT == 3 )); then",
                "                compadd -- \(actions.joined(separator: " "))",
                "                return",
                "            fi",
                "            command=\"$command $words[3]\" ;;",
            ]
        }
        lines += ["    esac", "    case $command in"]
        for command in CommandTable.all {
            lines.append("        '\(command.name)')")
            lines.append("            _arguments \\")
            for option in CommandWords.options(of: command) { lines.append("                \(argument(option)) \\") }
            lines.append("                '*:file:_files' ;;")
        }
        lines += ["    esac", "}", "_tintype \"$@\"", ""]
        return lines.joined(separator: "\n")
    }

    private static func argument(_ option: OptionSpecification) -> String {
        let text = "[\(quoted(option.help))]"
        var value = ""
        if let name = option.value {
            let action =
                switch option.kind {
                case .choice(let words): "(\(words.joined(separator: " ")))"
                case .directory: "_files -/"
                case .file: "_files"
                case .text: " "
                }
            value = ":\(quoted(name)):\(action)"
        }
        let star = option.isRepeatable ? "*" : ""
        let long = "'\(star)--\(option.name)\(option.value == nil ? "" : "=")\(text)\(value)'"
        return option.short.map { "'\(star)-\($0)\(text)\(value)' " + long } ?? long
    }

    /// Inside single quotes and brackets of an _arguments specification.
    private static func quoted(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "'": result += "'\\''"
            case "[", "]", ":", "\\": result += "\\\(character)"
            default: result.append(character)
            }
        }
        return result
    }
}
