import Tintype
import TintypeBase

/// The command-line tool `tintype`.
public enum TintypeTool {
    /// Runs the tool on the arguments of this process and exits with its status.
    public static func main() {
        StandardStreams.occupy()
        // A closed pipe and the limit on the size of files are reported by write(2), as EPIPE and EFBIG.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        MemorySupply.prepare()
        SignalWatcher.start()
        let console = Console(errors: StandardStreams.claimErrors())
        Cleanup.leave(console.finish(run(Array(arguments.dropFirst()), console: console)))
    }

    /// The words of the command line. `CommandLine.arguments` loses bytes that are not UTF-8.
    private static var arguments: [String] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            CommandLine.unsafeArgv[index].map { word in
                PathText.text(UnsafeRawBufferPointer(start: word, count: strlen(word)))
            }
        }
    }

    static func run(_ words: [String], console: Console) -> ExitStatus {
        do {
            return try dispatch(words[...], console)
        } catch let error as UsageError {
            console.report(Problem("usage", error.message))
            return .usage
        } catch {
            console.report(Problem(error, source: nil))
            return .failure
        }
    }

    private static func dispatch(_ words: ArraySlice<String>, _ console: Console) throws -> ExitStatus {
        switch words.first {
        case nil:
            console.noteLines(HelpText.overview())
            return .usage
        case "--help", "-h", "help":
            console.printLines(try help(about: words.dropFirst()))
            return .success
        case "--version", "-V":
            VersionReport.print(json: words.contains("--json"), console)
            return .success
        case let option? where option.hasPrefix("-"):
            let suggestion = Suggestion.nearest(to: option, among: ["--help", "--version"])
            throw UsageError("there is no option \(option)" + (suggestion.map { "; did you mean \($0)?" } ?? ""))
        default: break
        }
        if let first = words.first, words.dropFirst().allSatisfy({ $0 == "--help" || $0 == "-h" }), words.count > 1,
            !CommandTable.family(first).isEmpty
        {
            console.printLines(try help(about: [first]))
            return .success
        }
        let (command, rest) = try CommandTable.find(words)
        do throws(UsageError) {
            let arguments = try OptionParser.parse(rest, options: command.optionsWithHelp)
            let call = Invocation(arguments: arguments, console: console)
            if call.has("help") {
                console.printLines(HelpText.text(for: command))
                return .success
            }
            guard DescriptorSupply.isSufficient() else {
                let message =
                    "the process may open too few files: \(DescriptorSupply.minimum) more are needed (see ulimit -n)"
                console.report(Problem("ioFailed", message))
                return .failure
            }
            guard MemorySupply.isSufficient() else {
                let message = "the process may use too little memory for its threads (see ulimit -v)"
                console.report(Problem("ioFailed", message))
                return .failure
            }
            return try execute(command, call)
        } catch {
            throw UsageError("\(error.message) (see 'tintype \(command.name) --help')")
        }
    }

    private static func help(about words: ArraySlice<String>) throws(UsageError) -> String {
        guard let first = words.first else { return HelpText.overview() }
        let family = CommandTable.family(first)
        if words.count == 1, !family.isEmpty { return HelpText.text(forFamily: first, family) }
        return HelpText.text(for: try CommandTable.find(words).0)
    }

    private static func execute(_ command: CommandSpecification, _ call: Invocation) throws(UsageError) -> ExitStatus {
        do {
            return try command.run(call)
        } catch let error as UsageError {
            throw error
        } catch {
            call.console.report(Problem(error, source: nil))
            return .failure
        }
    }
}

/// `tintype --version`: the version, and what this build can read and write.
enum VersionReport {
    static let version = "0.2.0"

    static var decodable: [ImageFormat] { ImageFormat.allCases.filter { ImageCodecs.standard.decoder(for: $0) != nil } }
    static var encodable: [ImageFormat] { ImageFormat.allCases.filter { ImageCodecs.standard.encoder(for: $0) != nil } }

    static func print(json: Bool, _ console: Console) {
        if json {
            console.print([
                "version": .string(version), "decodes": .array(decodable.map { .string($0.rawValue) }),
                "encodes": .array(encodable.map { .string($0.rawValue) }),
            ])
            return
        }
        console.print("tintype \(version)")
        console.print("decodes: " + decodable.map(\.rawValue).joined(separator: " "))
        console.print("encodes: " + encodable.map(\.rawValue).joined(separator: " "))
    }
}
