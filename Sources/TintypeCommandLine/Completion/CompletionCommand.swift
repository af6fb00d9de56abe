/// `tintype completion`: prints the completion script of a shell.
enum CompletionCommand {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    static let specification = CommandSpecification(
        name: "completion", summary: "Print the completion script of a shell", operands: "bash|zsh|fish",
        discussion: "The script is generated from the table of options.",
        options: [],
        examples: [
            .init(
                line: "tintype completion bash > ~/.local/share/bash-completion/completions/tintype",
                explanation: "For bash; new shells use it"),
            .init(line: "tintype completion zsh > \"${fpath[1]}/_tintype\"", explanation: "For zsh"),
            .init(
                line: "tintype completion fish > ~/.config/fish/completions/tintype.fish", explanation: "For fish"),
        ],
        run: { call in
            guard call.operands.count == 1, let shell = Shell(rawValue: call.operands[0]) else {
                throw UsageError("completion needs the name of a shell: bash, zsh or fish")
            }
            let script =
                switch shell {
                case .bash: BashCompletion.script()
                case .zsh: ZshCompletion.script()
                case .fish: FishCompletion.script()
                }
            call.console.write(script, to: call.console.output)
            return .success
        })
}

/// The words of the commands, for completion.
enum CommandWords {
    /// `info`, `cache`, … without the second words.
    static var first: [String] {
        var seen: Set<String> = []
        return CommandTable.all.map { String($0.name.prefix { $0 != " " }) }.filter { seen.insert($0).inserted } + [
            "help"
        ]
    }

    static func second(after word: String) -> [String] {
        CommandTable.all.filter { $0.name.hasPrefix(word + " ") }.map { String($0.name.dropFirst(word.count + 1)) }
    }

    /// One line about `get`, `cache`, `cache stats` or `help`.
    static func summary(of name: String) -> String {
        if let command = CommandTable.all.first(where: { $0.name == name }) { return command.summary }
        return name == "help" ? "Show the help of a command" : second(after: name).joined(separator: ", ")
    }

    /// Returns the possible words of an operand; nil if it may be any text.
    static func choices(of command: CommandSpecification) -> [String]? {
        guard command.operands.contains("|") else { return nil }
        return command.operands.split(separator: "|").map(String.init)
    }
}
