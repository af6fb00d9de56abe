import Testing

@testable import TintypeCommandLine

@Suite("Option parsing")
struct OptionParserTests {
    static let table: [OptionSpecification] = [
        .flag("json", "j", "JSON"), .flag("verbose", "v", "talk"),
        .value("output", "o", "FILE", "where"), .value("header", nil, "'K: V'", isRepeatable: true, "a header"),
    ]

    func parse(_ words: String...) throws -> ParsedArguments { try OptionParser.parse(words, options: Self.table) }

    @Test("options and operands may be in any order, values attached or separate")
    func order() throws {
        let parsed = try parse("a", "--output=x y", "-j", "b", "--header", "K: V", "--header", "-x", "-")
        #expect(parsed.operands == ["a", "b", "-"])
        #expect(
            parsed.occurrences == [
                .init(name: "output", value: "x y"), .init(name: "json", value: ""),
                .init(name: "header", value: "K: V"), .init(name: "header", value: "-x"),
            ])
    }

    @Test("-- ends the options")
    func end() throws {
        let parsed = try parse("--json", "--", "--json", "-o", "--")
        #expect(parsed.operands == ["--json", "-o", "--"])
        #expect(parsed.occurrences.count == 1)
    }

    @Test("short options can be joined, and take the rest of the word as value")
    func cluster() throws {
        #expect(try parse("-jvofile").occurrences.map(\.name) == ["json", "verbose", "output"])
        #expect(try parse("-jvofile").occurrences.last?.value == "file")
        #expect(try parse("-o", "-j").occurrences == [.init(name: "output", value: "-j")])
    }

    @Test("an empty value is a value")
    func empty() throws {
        #expect(try parse("--output=").occurrences == [.init(name: "output", value: "")])
        #expect(try parse("--output", "").occurrences == [.init(name: "output", value: "")])
    }

    @Test(
        "a usage error is one sentence",
        arguments: [
            (["--ouptut", "x"], "there is no option --ouptut; did you mean --output?"),
            (["--zzzzzzzz"], "there is no option --zzzzzzzz"),
            (["--json=yes"], "--json takes no value"),
            (["--output"], "--output needs a value: --output FILE"),
            (["-o"], "-o needs a value: -o FILE"),
            (["-jx"], "there is no option -x"),
        ])
    func mistakes(_ words: [String], _ message: String) {
        #expect(throws: UsageError(message)) { try OptionParser.parse(words, options: Self.table) }
    }

    @Test("only similar words are suggested")
    func suggestions() {
        let names = ["info", "convert", "get", "prefetch", "cache", "json", "demo"]
        #expect(Suggestion.nearest(to: "inof", among: names) == "info")
        #expect(Suggestion.nearest(to: "convrt", among: names) == "convert")
        #expect(Suggestion.nearest(to: "pre", among: names) == "prefetch")
        #expect(Suggestion.nearest(to: "quack", among: names) == nil)
        #expect(Suggestion.distance("abcd", "acbd") == 1)
        #expect(Suggestion.distance("", "abc") == 3)
    }

    @Test("every option of a command has one meaning")
    func tables() {
        for command in CommandTable.all {
            let names = command.options.map(\.name)
            #expect(Set(names).count == names.count, "\(command.name)")
            let shorts = command.options.compactMap(\.short)
            #expect(Set(shorts).count == shorts.count, "\(command.name)")
            #expect(!command.examples.isEmpty, "\(command.name) shows no example")
        }
    }
}
