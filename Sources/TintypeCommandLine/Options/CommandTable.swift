/// One option, for the parser, the help, the completions and the manual page.
struct OptionSpecification: Sendable {
    /// The kind of a value, for shell completion.
    enum ValueKind: Sendable {
        case text, file, directory
        case choice([String])
    }

    /// Long name without the dashes.
    let name: String
    let short: Character?
    /// The placeholder of the value in the help; nil for a flag.
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
    /// One line in the list of commands.
    let summary: String
    /// The arguments that are not options, as the usage line shows them: `SOURCE…`.
    let operands: String
    /// Further paragraphs of the help.
    let discussion: String
    let options: [OptionSpecification]
    let examples: [Example]
    /// Runs the command on the main thread.
    let run: @Sendable (Invocation) throws -> ExitStatus

    var optionsWithHelp: [OptionSpecification] { options + [.flag("help", "h", "Show this help")] }
}

/// The exit status of the process.
enum ExitStatus: Int32, Sendable {
    case success = 0
    case failure = 1
    case usage = 2
    case interrupted = 130
    case terminated = 143
}

/// Every command, in the order of the help.
enum CommandTable {
    static let all: [CommandSpecification] =
        [
            InfoCommand.specification, ConvertCommand.specification, GetCommand.specification,
            PrefetchCommand.specification,
        ] + CacheCommands.all + JSONCommands.all
        + [DemoCommand.specification, CompletionCommand.specification, ManualCommand.specification]

    /// The commands that share their first word, such as `cache`.
    static func family(_ word: String) -> [CommandSpecification] { all.filter { $0.name.hasPrefix(word + " ") } }

    /// Returns the command that the first words name, and the other words.
    static func find(_ words: ArraySlice<String>) throws(UsageError) -> (CommandSpecification, ArraySlice<String>) {
        guard let first = words.first else { throw UsageError("name a command; 'tintype --help' lists them") }
        if let command = all.first(where: { $0.name == first }) { return (command, words.dropFirst()) }
        let family = family(first)
        guard !family.isEmpty else {
            let names = Set(all.map { String($0.name.prefix { $0 != " " }) }).union(["help"]).sorted()
            let suggestion = Suggestion.nearest(to: first, among: names).map { "; did you mean '\($0)'?" } ?? ""
            throw UsageError("there is no command '\(first)'" + suggestion)
        }
        let actions = family.map { String($0.name.dropFirst(first.count + 1)) }
        guard let second = words.dropFirst().first, !second.hasPrefix("-") else {
            throw UsageError("\(first) needs one of: " + actions.joined(separator: ", "))
        }
        guard let command = family.first(where: { $0.name == "\(first) \(second)" }) else {
            let suggestion = Suggestion.nearest(to: second, among: actions).map { "; did you mean '\($0)'?" } ?? ""
            throw UsageError("there is no command '\(first) \(second)'" + suggestion)
        }
        return (command, words.dropFirst(2))
    }
}
