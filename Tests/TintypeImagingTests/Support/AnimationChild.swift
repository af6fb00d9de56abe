import Foundation
import Testing

/// The other process of these tests, which lies beside the test bundle.
enum AnimationChild {
    /// Runs it to its end.
    static func run(_ arguments: [String]) throws -> (status: Int32, output: Data) {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folders = [own, CommandLine.arguments[0]].map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        let candidates = folders.map { $0.appendingPathComponent("AnimationChild") }
        let process = Process()
        let child: URL = try #require(
            candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) })
        process.executableURL = child
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus, data)
    }
}
