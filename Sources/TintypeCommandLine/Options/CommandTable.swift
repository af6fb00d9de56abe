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

    /// What the first words of the command line name, and what is left of them.
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
