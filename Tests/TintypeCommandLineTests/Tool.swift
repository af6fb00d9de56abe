import Foundation
import Testing

/// The built binary, run as a user runs it.
struct Tool {
    struct Outcome {
        let status: Int32
        let output: Data
        let errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
        /// Standard output as JSON Lines; fails the test if a line is none.
        var events: [[String: Any]] {
            get throws {
                try text.split(separator: "\n").map { line in
                    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
                }
            }
        }
        func events(_ name: String) throws -> [[String: Any]] {
            try events.filter { $0["event"] as? String == name }
        }
    }

    /// A folder of this test's own, which is also where the tool runs.
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tintype-tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Beside the test bundle, which holds the running program.
    static let binary: URL = {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        var folder = program.deletingLastPathComponent()
        for _ in 0..<4 {
            let candidate = folder.appendingPathComponent("tintype")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            folder.deleteLastPathComponent()
        }
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("tintype")
    }()

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func start(
        _ arguments: [String], program: URL = Tool.binary, input: Data? = nil, environment: [String: String] = [:]
    ) throws -> Running {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        var variables = ProcessInfo.processInfo.environment
        variables["XDG_CACHE_HOME"] = path("cache")
        variables["NO_COLOR"] = "1"
        variables.merge(environment) { $1 }
        process.environment = variables
        // Files rather than pipes: they need no reader while the tool runs.
        let mark = UUID().uuidString
        let (output, errors) = (path(".out-\(mark)"), path(".err-\(mark)"))
        for file in [output, errors] { try Data().write(to: URL(fileURLWithPath: file)) }
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
        if let input {
            try input.write(to: URL(fileURLWithPath: path(".in-\(mark)")))
            process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: path(".in-\(mark)")))
        } else {
            process.standardInput = FileHandle.nullDevice
        }
        try process.run()
        return Running(process: process, output: output, errors: errors)
    }

    struct Running {
        let process: Process
        let output: String
        let errors: String

        /// Waits on a thread of its own, which may block.
        func end() async throws -> Outcome {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { try wait() }) }
            }
        }

        func wait() throws -> Outcome {
            process.waitUntilExit()
            return Outcome(
                status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
                output: try Data(contentsOf: URL(fileURLWithPath: output)),
                errors: String(decoding: try Data(contentsOf: URL(fileURLWithPath: errors)), as: UTF8.self))
        }
    }

    func run(_ arguments: String..., input: Data? = nil, environment: [String: String] = [:]) async throws -> Outcome {
        try await run(arguments, input: input, environment: environment)
    }

    func run(
        _ arguments: [String], program: URL = Tool.binary, input: Data? = nil, environment: [String: String] = [:]
    ) async throws -> Outcome {
        // A thread of its own may block: the test's origin and other tests go on meanwhile.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try start(arguments, program: program, input: input, environment: environment).wait()
                    })
            }
        }
    }

    /// Runs a script of bash, in which `$T` is the tool. For redirections, limits, and names that are no UTF-8.
    func shell(_ script: String, environment: [String: String] = [:]) async throws -> Outcome {
        var environment = environment
        environment["T"] = Tool.binary.path
        return try await run(
            ["-c", script], program: URL(fileURLWithPath: "/bin/bash"), environment: environment)
    }

    /// Names in the folder, or below it, without those that start with a dot.
    func files(_ name: String = "") -> [String] {
        let path = name.isEmpty ? folder.path : path(name)
        let all = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return all.filter { !$0.hasPrefix(".out-") && !$0.hasPrefix(".err-") && !$0.hasPrefix(".in-") }.sorted()
    }

    func remove() {
        do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
    }
}
