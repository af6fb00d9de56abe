/// Completion for zsh, with the explanations of the help.
enum ZshCompletion {
    static func script() -> String {
        var lines = ["#compdef tintype", "# made by 'tintype completion zsh'", "_tintype() {", "    local -a commands"]
        lines += list("commands", CommandWords.first.map { ($0, CommandWords.summary(of: $0)) }, indent: 4)
        lines += [
            "    if (( CURRENT == 2 )); then",
            "        if [[ $words[2] == -* ]]; then",
            "            compadd -- --help --version",
            "        else",
            "            _describe command commands",
            "        fi",
            "        return",
            "    fi",
            "    local command=$words[2]",
            "    if [[ $command == help ]]; then",
            "        if (( CURRENT == 3 )); then",
            "            _describe command commands",
            "            return",
            "        fi",
            "        shift words",
            "        (( CURRENT-- ))",
            "        command=$words[2]",
            "    fi",
            "    case $command in",
        ]
        for word in CommandWords.first {
            let actions = CommandWords.second(after: word)
            guard !actions.isEmpty else { continue }
            lines += [
                "        \(word))", "            if (( CURRENT == 3 )); then", "                local -a actions",
            ]
            lines += list("actions", actions.map { ($0, CommandWords.summary(of: "\(word) \($0)")) }, indent: 16)
            lines += [
                "                _describe 'command' actions",
                "                return",
                "            fi",
                "            command=\"$command $words[3]\"",
                "            shift words",
                "            (( CURRENT-- )) ;;",
            ]
        }
        lines += ["    esac", "    shift words", "    (( CURRENT-- ))", "    case $command in"]
        for command in CommandTable.all {
            lines.append("        '\(command.name)')")
            lines.append("            _arguments \\")
            for option in command.optionsWithHelp { lines.append("                \(argument(option)) \\") }
            let operands =
                switch (CommandWords.choices(of: command), command.operands.isEmpty) {
                case (let words?, _): "'1:word:(\(words.joined(separator: " ")))'"
                case (nil, true): "&& return"
                case (nil, false): "'*:file:_files'"
                }
            lines.append("                \(operands) ;;")
        }
        lines += [
            "    esac", "}",
            // Works as a file in fpath, and when it is read by source or eval.
            "if [[ $funcstack[1] == _tintype ]]; then", "    _tintype \"$@\"", "else", "    compdef _tintype tintype",
            "fi", "",
        ]
        return lines.joined(separator: "\n")
    }

    /// An array of words and explanations, as _describe takes it.
    private static func list(_ name: String, _ entries: [(String, String)], indent: Int) -> [String] {
        let space = String(repeating: " ", count: indent)
        return ["\(space)\(name)=("]
            + entries.map { "\(space)    '\($0.0):\(quoted($0.1, escaping: ":\\"))'" } + ["\(space))"]
    }

    private static func argument(_ option: OptionSpecification) -> String {
        let text = "[\(quoted(option.help, escaping: "[]\\"))]"
        var value = ""
        if let name = option.value {
            let action =
                switch option.kind {
                case .choice(let words): "(\(words.joined(separator: " ")))"
                case .directory: "_files -/"
                case .file: "_files"
                case .text: " "
                }
            value = ":\(quoted(name, escaping: ":\\")):\(action)"
        }
        let long = "--\(option.name)\(option.value == nil ? "" : "=")"
        guard let short = option.short else { return "'\(option.isRepeatable ? "*" : "")\(long)\(text)\(value)'" }
        let others = option.isRepeatable ? "*" : "(-\(short) --\(option.name))"
        return "'\(others)-\(short)\(text)\(value)' '\(others)\(long)\(text)\(value)'"
    }

    /// Inside single quotes.
    private static func quoted(_ text: String, escaping special: String) -> String {
        var result = ""
        for character in text {
            if character == "'" {
                result += "'\\''"
            } else {
                if special.contains(character) { result += "\\" }
                result.append(character)
            }
        }
        return result
    }
}
