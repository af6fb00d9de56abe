import Foundation
import Testing

@testable import TintypeCommandLine

/// Types into real shells and presses the tabulator. `tintype` is a function
/// there that notes its words: what counts is what the shell would have run.
@Suite("Completion", .serialized)
struct ShellCompletionTests {
    enum Shell: String, CaseIterable, CustomTestStringConvertible {
        case bash, zsh, fish

        var path: String? {
            ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + rawValue }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
        }
        var testDescription: String { rawValue }
        static let installed = allCases.filter { $0.path != nil }
    }

    /// What is typed (`\t` is the key), and the words of the command that runs then.
    static let typed: [(String, [String])] = [
        ("tintype ge\t", ["get"]),
        ("tintype pref\t", ["prefetch"]),
        ("tintype convert --fi\t\u{15}", []),
        ("tintype convert --fit co\t\u{15}", []),
        ("tintype convert --fit cov\ta b", ["convert", "--fit", "cover", "a", "b"]),
        ("tintype convert --qua\t9", ["convert", "--quality", "9"]),
        ("tintype cache sta\t", ["cache", "stats"]),
        ("tintype cache stats --js\t", ["cache", "stats", "--json"]),
        ("tintype json get --pol\tnetworkF\t", ["json", "get", "--policy", "networkFirst"]),
        ("tintype get --cache-dir fold\t", ["get", "--cache-dir", "folder one"]),
        ("tintype info imag\t", ["info", "image one.png"]),
        ("tintype get -i imag\t", ["get", "-i", "image one.png"]),
        ("tintype completion zs\t", ["completion", "zsh"]),
        ("tintype help conv\t", ["help", "convert"]),
        ("tintype help cache ver\t", ["help", "cache", "verify"]),
        ("tintype --ver\t", ["--version"]),
        ("tintype json size --he\t", ["json", "size", "--help"]),
    ]

    @Test("bash, zsh and fish complete commands, options and values", arguments: Shell.installed)
    func typing(_ shell: Shell) async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let script = try await tool.run("completion", shell.rawValue).text
        try FileManager.default.createDirectory(atPath: tool.path("folder one"), withIntermediateDirectories: false)
        for name in ["image one.png", "other.png"] { try Data().write(to: tool.folder.appendingPathComponent(name)) }
        let terminal = try start(shell, script, tool)
        // No line is typed before the shell reads it with its own editor.
        terminal.type("echo re''ady\n")
        try #require(try await terminal.wait { $0.contains("ready") }, "\(terminal.screen)")
        for (index, (keys, wanted)) in Self.typed.enumerated() {
            for (number, piece) in keys.components(separatedBy: "\t").enumerated() {
                // A tabulator that comes in one burst with other keys is taken for pasted text.
                if number > 0 { try await terminal.typeAndWait("\t") }
                if !piece.isEmpty { try await terminal.typeAndWait(piece) }
            }
            terminal.type("\n")
            terminal.type("echo do''ne-\(index)-\n")
            try #require(try await terminal.wait { $0.contains("done-\(index)-") }, "\(keys): \(terminal.screen)")
            let file = tool.folder.appendingPathComponent("words")
            let words =
                try FileManager.default.fileExists(atPath: file.path)
                ? String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                    // zsh takes the slash away when the line ends.
                    .map { String($0.hasSuffix("/") ? $0.dropLast() : $0) } : []
            // zsh completes --quality to --quality=, which is the same.
            let apart = words.flatMap { $0.hasPrefix("--") ? $0.split(separator: "=").map(String.init) : [$0] }
            #expect(apart == wanted, "\(shell): \(keys.replacing("\t", with: "<TAB>"))")
            if !words.isEmpty { try FileManager.default.removeItem(at: file) }
        }
        terminal.type("exit\n")
        let (_, screen) = try await terminal.end()
        #expect(!screen.contains("command not found") && !screen.contains("bad pattern"), "\(screen)")
        #expect(!screen.contains("syntax error") && !screen.contains("Unknown command"), "\(screen)")
        // Both ways to go on from --fit co; bash lists them only at the second tabulator.
        #expect(shell == .bash || screen.contains("contain") && screen.contains("cover"))
    }

    private func start(_ shell: Shell, _ script: String, _ tool: Tool) throws -> PseudoTerminal {
        let path = try #require(shell.path)
        var environment = ["HOME": tool.path(""), "PS1": "> ", "TERM": "xterm", "LC_ALL": "C.UTF-8"]
        switch shell {
        case .bash:
            let setup =
                script + "\ntintype() { printf '%s\\n' \"$@\" > words; }\nbind 'set enable-bracketed-paste off'\n"
            try Data(setup.utf8).write(to: tool.folder.appendingPathComponent(".setup"))
            return try PseudoTerminal(
                path, ["--noprofile", "--rcfile", tool.path(".setup"), "-i"], folder: tool.folder,
                environment: environment)
        case .zsh:
            try Data(script.utf8).write(to: tool.folder.appendingPathComponent("_tintype"))
            let setup = """
                fpath=(\(tool.path("")) $fpath)
                autoload -Uz compinit && compinit -u -D
                tintype() { print -rl -- "$@" > words }
                unset zle_bracketed_paste
                """
            try Data(setup.utf8).write(to: tool.folder.appendingPathComponent(".zshrc"))
            environment["ZDOTDIR"] = tool.path("")
            return try PseudoTerminal(path, ["-d", "-i"], folder: tool.folder, environment: environment)
        case .fish:
            let completions = tool.path(".config/fish/completions")
            try FileManager.default.createDirectory(atPath: completions, withIntermediateDirectories: true)
            try Data(script.utf8).write(to: URL(fileURLWithPath: completions + "/tintype.fish"))
            let setup = """
                function tintype; printf '%s\\n' $argv > words; end
                function fish_prompt; echo '> '; end
                set -g fish_greeting
                set -g fish_autosuggestion_enabled 0
                """
            try Data(setup.utf8).write(to: URL(fileURLWithPath: tool.path(".config/fish/config.fish")))
            environment["XDG_CONFIG_HOME"] = tool.path(".config")
            environment["XDG_DATA_HOME"] = tool.path(".data")
            return try PseudoTerminal(path, ["-i"], folder: tool.folder, environment: environment)
        }
    }

    @Test(
        "fish completes words by their position", .enabled(if: Shell.fish.path != nil),
        arguments: [
            ("tintype json get --", "--policy", "--lifo"), ("tintype get --", "--lifo", "--policy"),
            ("tintype cache clear --", "--cache-dir", "--other-versions"),
            ("tintype json clear --", "--other-versions", "--force"), ("tintype get list", "", "stats"),
            ("tintype get x --format ", "webp", "--json"), ("tintype c", "convert", "contain"),
        ])
    func fish(_ line: String, _ there: String, _ absent: String) async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let script = try await tool.run("completion", "fish").text
        try Data(script.utf8).write(to: tool.folder.appendingPathComponent("tintype.fish"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Shell.fish.path))
        process.arguments = ["--no-config", "-c", "source \(tool.path("tintype.fish")); complete -C '\(line)'"]
        process.environment = ["HOME": tool.path(""), "PATH": "/usr/bin:/bin"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let words = text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        #expect(there.isEmpty || words.contains(there), "\(words)")
        #expect(!words.contains(absent), "\(words)")
    }
}
