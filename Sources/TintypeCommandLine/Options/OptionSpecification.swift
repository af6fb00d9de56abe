/// One option of the command line, as the parser, the help, the completions and the man page know it.
struct OptionSpecification: Sendable {
    /// What a value is, so that shells can complete it.
    enum ValueKind: Sendable {
        case text, file, directory
        case choice([String])
    }

    /// Long name without the dashes.
    let name: String
    let short: Character?
    /// The word that stands for the value in the help; nil for a flag.
    let value: String?
    let kind: ValueKind
    let isRepeatable: Bool
    let help: String

    static func flag(_ name: String, _ short: Character? = nil, _ help: String) -> OptionSpecification {
        OptionSpecification(name: name, short: short, value: nil, kind: .text, isRepeatable: false, help: help)
    }

    static func value(
        _ name: String, _ short: Character? = nil, _ value: String, kind: ValueKind = .text, isRepeatable: Bool = false,
        _ help: String
    ) -> OptionSpecification {
        OptionSpecification(
            name: name, short: short, value: value, kind: kind, isRepeatable: isRepeatable, help: help)
    }

    /// `--json`, or `-o, --output FILE`.
    var synopsis: String {
        let long = "--" + name + (value.map { " " + $0 } ?? "")
        return short.map { "-\($0), " + long } ?? "    " + long
    }
}

/// A command of the tool.
struct CommandSpecification: Sendable {
    struct Example: Sendable {
        let line: String
        let explanation: String
    }

    /// `get`, or `cache stats` for a command of two words.
    let name: String
    /// One line for the list of commands.
    let summary: String
    /// The arguments that are not options, as the usage line shows them: `SOURCE…`.
    let operands: String
    /// What is worth saying beyond the options, in paragraphs.
    let discussion: String
    let options: [OptionSpecification]
    let examples: [Example]
    /// Runs on the main thread; gives the exit status.
    let run: @Sendable (Invocation) throws -> ExitStatus
}

/// What the process says to its parent.
enum ExitStatus: Int32, Sendable {
    case success = 0
    case failure = 1
    case usage = 2
    case interrupted = 130
    case terminated = 143
}
