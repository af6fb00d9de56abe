/// Completion for fish.
enum FishCompletion {
    static func script() -> String {
        var lines = ["# fish completion for tintype; made by 'tintype completion fish'"]
        let all = CommandWords.first.joined(separator: " ")
        for word in CommandWords.first {
            let summary = CommandTable.all.first { $0.name == word }?.summary ?? ""
            lines.append(
                "complete -c tintype -f -n 'not __fish_seen_subcommand_from \(all)' -a \(word) -d \(quoted(summary))")
            for action in CommandWords.second(after: word) {
                let others = CommandWords.second(after: word).joined(separator: " ")
                let summary = CommandTable.all.first { $0.name == "\(word) \(action)" }?.summary ?? ""
                lines.append(
                    "complete -c tintype -f -n '__fish_seen_subcommand_from \(word); and not __fish_seen_subcommand_from "
                        + "\(others)' -a \(action) -d \(quoted(summary))")
            }
        }
        lines.append(
            "complete -c tintype -f -n 'not __fish_seen_subcommand_from \(all)' -l version -d 'Show the version'")
        for command in CommandTable.all {
            let words = command.name.split(separator: " ")
            let condition = words.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
            for option in CommandWords.options(of: command) {
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

    private static func quoted(_ text: String) -> String {
        var result = ""
        for character in text {
            if character == "'" || character == "\\" { result += "\\" }
            result.append(character)
        }
        return "'\(result)'"
    }
}
