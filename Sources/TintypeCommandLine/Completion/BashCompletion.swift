/// Completion for bash, without the helper package.
enum BashCompletion {
    static func script() -> String {
        let first = CommandWords.first.joined(separator: " ")
        var lines = [
            "# bash completion for tintype; made by 'tintype completion bash'",
            "_tintype() {",
            "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}",
            "    local command=${COMP_WORDS[1]} place=$COMP_CWORD",
            "    COMPREPLY=()",
            "    # bash takes --fit=cover for three words.",
            "    if [ \"$current\" = '=' ]; then",
            "        current=''",
            "    elif [ \"$previous\" = '=' ]; then",
            "        previous=${COMP_WORDS[COMP_CWORD-2]}",
            "    fi",
            "    if [ \"$place\" -eq 1 ]; then",
            words("\(first) --help --version", indent: 8),
            "        return",
            "    fi",
            "    if [ \"$command\" = help ]; then",
            "        command=${COMP_WORDS[2]}",
            "        place=$((place - 1))",
            "        if [ \"$place\" -eq 1 ]; then",
            words(first, indent: 12),
            "            return",
            "        fi",
            "    fi",
            "    case $command in",
        ]
        for word in CommandWords.first {
            let actions = CommandWords.second(after: word)
            guard !actions.isEmpty else { continue }
            lines += [
                "        \(word))",
                "            if [ \"$place\" -eq 2 ]; then",
                words(actions.joined(separator: " "), indent: 16),
                "                return",
                "            fi",
                "            command=\"$command ${COMP_WORDS[2]}\" ;;",
            ]
        }
        lines += ["    esac", "    case \"$command:$previous\" in"]
        for command in CommandTable.all {
            for option in command.options where option.value != nil {
                let names = ["--" + option.name] + (option.short.map { ["-\($0)"] } ?? [])
                let patterns = names.map { "'\(command.name):\($0)'" }.joined(separator: "|")
                lines.append("        \(patterns)) \(values(option)); return ;;")
            }
        }
        lines += ["    esac", "    case $command in"]
        for command in CommandTable.all {
            let options = command.optionsWithHelp.map { "--" + $0.name }.joined(separator: " ")
            lines.append("        '\(command.name)')")
            lines.append("            if [[ $current == -* ]]; then")
            lines.append(words(options, indent: 16))
            if let choices = CommandWords.choices(of: command) {
                lines += ["            else", words(choices.joined(separator: " "), indent: 16)]
            }
            lines.append("            fi ;;")
        }
        // Readline completes file names where COMPREPLY is empty.
        lines += ["    esac", "}", "complete -o default -F _tintype tintype", ""]
        return lines.joined(separator: "\n")
    }

    private static func words(_ list: String, indent: Int) -> String {
        String(repeating: " ", count: indent) + "COMPREPLY=($(compgen -W '\(list)' -- \"$current\"))"
    }

    private static func values(_ option: OptionSpecification) -> String {
        switch option.kind {
        case .choice(let list): words(list.joined(separator: " "), indent: 0)
        // Not compgen, which would take a name with a blank for two.
        case .directory: "compopt -o dirnames 2>/dev/null"
        case .file: ":"
        case .text: "compopt +o default 2>/dev/null"
        }
    }
}
