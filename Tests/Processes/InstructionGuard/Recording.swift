import Foundation

/// The recorded counts, as they are committed.
struct Recording: Codable {
    /// What changes the counts without a change of ours.
    var compiler: String
    var valgrind: String
    /// The codec libraries, by Debian's versions; empty where there is no dpkg.
    var libraries: [String: String]
    /// Instructions of one run.
    var instructions: [String: Int]

    static func surroundings() throws -> Recording {
        let swift = try output(["swift", "--version"])
        let compiler = swift.split(separator: "\n").first { $0.contains("Swift version") }.map(String.init) ?? swift
        var libraries: [String: String] = [:]
        for name in ["libjpeg62-turbo", "libdeflate0", "libc6"] {
            // Elsewhere than on Debian nothing can be said.
            let version = (try? output(["dpkg-query", "-W", "-f", "${Version}", name])) ?? ""
            if !version.isEmpty { libraries[name] = version }
        }
        return Recording(
            compiler: compiler.trimmingCharacters(in: .whitespaces),
            valgrind: try output(["valgrind", "--version"]).trimmingCharacters(in: .newlines), libraries: libraries,
            instructions: [:])
    }

    /// Sentences about what is not as it was when the counts were recorded.
    func differences(from recorded: Recording) -> [String] {
        var result: [String] = []
        if compiler != recorded.compiler { result.append("recorded with \(recorded.compiler); this is \(compiler)") }
        if valgrind != recorded.valgrind { result.append("recorded with \(recorded.valgrind); this is \(valgrind)") }
        for (name, version) in recorded.libraries.sorted(by: { $0.key < $1.key }) where libraries[name] != version {
            result.append("recorded with \(name) \(version); this is \(libraries[name] ?? "another system")")
        }
        return result
    }

    static func output(_ command: [String], environment: [String: String]? = nil, errors: Bool = false) throws -> String
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        if let environment { process.environment = environment }
        let pipe = Pipe()
        process.standardOutput = errors ? FileHandle.nullDevice : pipe
        process.standardError = errors ? pipe : FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        guard process.terminationStatus == 0 else {
            throw GuardError(
                "\(command.joined(separator: " ")) ended with \(process.terminationStatus)\n\(text.suffix(2000))")
        }
        return text
    }
}
