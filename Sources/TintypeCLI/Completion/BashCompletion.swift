/// Completion for bash, without the helper package.
enum BashCompletion {
    static func script() -> String {
        var lines = [
            "# bash completion for tintype; made by 'tintype completion bash'",
            "_tintype() {",
            "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}",
            "    local command=${COMP_WORDS[1]}",
            "    COMPREPLY=()",
            "    if [ \"$COMP_CWORD\" -eq 1 ]; then",
            "        COMPREPLY=($(compgen -W '\(CommandWords.first.joined(separator: " ")) --help --version' -- \"$current\"))",
            "        return",
            "    fi",
            "    case $command in",
        ]
        for word in CommandWords.first {
            let actions = CommandWords.second(after: word)
            guard !actions.isEmpty else { continue }
            lines += [
                "        \(word))",
                "            if [ \"$COMP_CWORD\" -eq 2 ]; then",
                "                COMPREPLY=($(compgen -W '\(actions.joined(separator: " "))' -- \"$current\"))",
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
            let words = CommandWords.options(of: command).map { "--" + $0.name }.joined(separator: " ")
            lines.append(
                "        '\(command.name)') [[ $current == -* ]] && COMPREPLY=($(compgen -W '\(words)' -- \"$current\")) ;;"
            )
        }
        lines += ["    esac", "}", "complete -o default -F _tintype tintype", ""]
        return lines.joined(separator: "\n")
    }

    private static func values(_ option: OptionSpecification) -> String {
        switch option.kind {
        case .choice(let words): "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$current\"))"
        case .directory: "COMPREPLY=($(compgen -d -- \"$current\"))"
        case .file: "COMPREPLY=($(compgen -f -- \"$current\"))"
        case .text: "COMPREPLY=()"
        }
    }
}
