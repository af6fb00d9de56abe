import Foundation
import TestOrigin
import Testing

@Suite("Signals and pipes", .serialized)
struct SignalTests {
    let tool: Tool
    let origin: TestOrigin

    init() throws {
        tool = try Tool()
        origin = try TestOrigin()
    }

    @Test("SIGINT exits with 130 and leaves no partial files and no cache entries")
    func interrupt() async throws {
        defer { tool.remove() }
        origin.on("/slow.png", .stalled(try Images.png(), after: 60))
        let running = try tool.start([
            "get", "--json", "-o", "out/", origin.url("/slow.png"), origin.url("/slow.png?2"),
        ])
        #expect(await origin.wait { $0.requestCount == 2 })
        kill(running.process.processIdentifier, SIGINT)
        let outcome = try await running.end()
        #expect(outcome.status == 130)
        #expect(tool.files("out").isEmpty)
        let codes = try outcome.events("failed").map { ($0["error"] as? [String: Any])?["code"] as? String }
        #expect(codes == ["cancelled", "cancelled"])
        #expect(try await tool.run("cache", "list").output.isEmpty)
    }

    @Test("SIGTERM lets running loads finish and starts no more")
    func terminate() async throws {
        defer { tool.remove() }
        let gate = OriginGate()
        let png = try Images.png()
        origin.onEverythingElse { _ in OriginResponse.ok(png, type: "image/png").gated(gate) }
        let urls = (0..<9).map { origin.url("/\($0).png") }
        let running = try tool.start(["get", "--json", "--concurrency", "1", "-o", "out/"] + urls)
        #expect(await origin.wait { $0.requestCount == 1 })
        kill(running.process.processIdentifier, SIGTERM)
        try await Task.sleep(for: .milliseconds(200))
        gate.open()
        let outcome = try await running.end()
        #expect(outcome.status == 143)
        #expect(try outcome.events("finished").count == 1)
        #expect(try outcome.events("failed").isEmpty)
        #expect(tool.files("out") == ["0.png"])
    }

    @Test("SIGTERM cancels loads that do not finish; a second signal ends the tool at once")
    func grace() async throws {
        defer { tool.remove() }
        origin.on("/slow.png", .stalled(try Images.png(), after: 60))
        let arguments = ["get", "--json", "--no-disk-cache", "-o", "out/", origin.url("/slow.png")]
        let patient = try tool.start(arguments)
        let hasty = try tool.start(arguments)
        #expect(await origin.wait { $0.requestCount == 2 })
        kill(hasty.process.processIdentifier, SIGTERM)
        kill(hasty.process.processIdentifier, SIGINT)
        kill(patient.process.processIdentifier, SIGTERM)
        let (second, first) = (try await hasty.end(), try await patient.end())
        #expect([first.status, second.status].contains(143))
        let codes = try first.events("failed").map { ($0["error"] as? [String: Any])?["code"] as? String }
        #expect(codes == ["cancelled"])
        #expect(try second.events("failed").isEmpty)
        #expect(tool.files("out").isEmpty)
    }

    @Test("a decoder that cannot be cancelled does not delay the end", arguments: ["get", "convert", "prefetch"])
    func busy(command: String) async throws {
        defer { tool.remove() }
        try Images.png().write(to: tool.folder.appendingPathComponent("a.png"))
        origin.on("/a.png", .ok(try Images.png(), type: "image/png"))
        // Each of these calls takes seconds.
        let work = ["--resize", "9000x9000", "--fit", "fill"] + (0..<8).flatMap { ["--blur", "\(500 + $0)"] }
        let start = ["--no-disk-cache", origin.url("/a.png")] + work
        let running =
            switch command {
            case "get": try tool.start(["get", "-o", "out/"] + start)
            case "prefetch": try tool.start(["prefetch"] + start)
            default: try tool.start(["convert", "a.png", "out.png"] + work)
            }
        if command != "convert" { #expect(await origin.wait { $0.requestCount == 1 }) }
        try await Task.sleep(for: .milliseconds(1500))
        #expect(running.process.isRunning, "too little work for this test")
        let time = ContinuousClock.now
        kill(running.process.processIdentifier, SIGINT)
        #expect(try await running.end().status == 130)
        // Two seconds are the promise; the machine may be busy.
        #expect(time.duration(to: .now) < .seconds(10))
        #expect(tool.files().filter { $0.hasPrefix(".tintype") || $0 == "out.png" }.isEmpty)
        #expect(tool.files("out").isEmpty)
    }

    @Test("a closed pipe is not an error")
    func brokenPipe() async throws {
        defer { tool.remove() }
        try Images.png().write(to: tool.folder.appendingPathComponent("a.png"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        let names = Array(repeating: "a.png", count: 3000).joined(separator: " ")
        process.arguments = ["-c", "'\(Tool.binary.path)' info \(names) | head -1 >/dev/null; echo ${PIPESTATUS[0]}"]
        process.currentDirectoryURL = tool.folder
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text == "0\n")
    }
}
