import Foundation
import TestOrigin
import Testing

@testable import TintypeCommandLine

/// `tintype get -i LIST -o FOLDER` with long and untidy lists.
@Suite("Lists of URLs", .serialized)
struct ListTests {
    let tool: Tool
    let origin: TestOrigin

    init() throws {
        tool = try Tool()
        origin = try TestOrigin()
    }

    @Test("blanks, byte order marks, CRLF and control characters around URLs are ignored")
    func untidy() async throws {
        defer { tool.remove() }
        let png = try Images.png()
        origin.onEverythingElse { _ in .ok(png, type: "image/png") }
        let list =
            "\u{FEFF}\(origin.url("/1.png"))\r\n  \(origin.url("/2.png"))\t \r\n\r\n# \(origin.url("/no.png"))\r\n"
            + "\t# indented\n\u{1}\(origin.url("/3.png"))\u{C}\r\(origin.url("/4.png")) "
        try Data(list.utf8).write(to: tool.folder.appendingPathComponent("list.txt"))
        let outcome = try await tool.run("get", "--json", "-i", "list.txt", "-o", "out", " \(origin.url("/0.png"))\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(tool.files("out") == (0...4).map { "\($0).png" })
        let urls = try outcome.events("finished").compactMap { $0["url"] as? String }
        #expect(Set(urls) == Set((0...4).map { origin.url("/\($0).png") }))
        let info = try await tool.run("info", "--json", "  \(origin.url("/0.png")) ")
        #expect(info.status == 0, "\(info.errors)")
    }

    @Test("only URLs are trimmed, not paths")
    func paths() {
        #expect(InputSource.trimmed(" http://h/a\n") == "http://h/a")
        #expect(InputSource.trimmed("\u{0}data:,x\t") == "data:,x")
        #expect(InputSource.trimmed(" image.png ") == " image.png ")
        #expect(InputSource.trimmed("http://h/a") == "http://h/a")
        #expect(InputSource.trimmed("http://h/a\u{A0}") == "http://h/a\u{A0}", "no blank of the URL standard")
        #expect(InputSource.trimmed(" \n") == "")
    }

    @Test("a URL that occurs twice in a list is one file")
    func twice() async throws {
        defer { tool.remove() }
        let png = try Images.png(200, 200)
        origin.onEverythingElse { _ in .ok(png, type: "image/png") }
        let urls = (0..<40).flatMap { index in Array(repeating: origin.url("/\(index).png"), count: 4) }
        let outcome = try await tool.run(["get", "--json", "--no-disk-cache", "-o", "out/"] + urls)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(tool.files("out").count == 40)
        #expect(try outcome.events("failed").isEmpty)
    }

    @Test("1,000 URLs: an interrupted run is repeated, every file is whole, and memory stays below its limit")
    func thousand() async throws {
        defer { tool.remove() }
        // A megabyte of pixels each, in few bytes.
        let images = try (0..<2).map { try Images.png(512, 512, blue: UInt8($0 * 20)) }
        let jpeg = try Images.jpeg(512, 512)
        func wanted(_ index: Int) -> Data { index % 11 == 0 ? jpeg : images[index % 2] }
        let bodies = (0..<1000).map(wanted)
        origin.onEverythingElse { request in
            let index = request.path.split(separator: "/").first.flatMap { Int($0) } ?? 0
            // Whatever it is, the server calls it a GIF.
            return .ok(bodies[index], type: "image/gif")
        }
        // All have the same name but for the number of the folder, and every name is a trap.
        let names = ["a.gif", "..%2f..%2fetc%2fpasswd", "nul.png", "COM1", "x%00y.jpg"]
        let urls = (0..<1000).map { origin.url("/\($0)/\(names[$0 % names.count])") }
        try Data(urls.joined(separator: "\r\n").utf8).write(to: tool.folder.appendingPathComponent("list.txt"))
        let arguments = ["get", "--json", "--no-disk-cache", "--max-memory", "16M", "-i", "list.txt", "-o", "out"]

        let first = try tool.start(arguments)
        #expect(await origin.wait { $0.requestCount > 300 })
        kill(first.process.processIdentifier, SIGINT)
        let interrupted = try await first.end()
        #expect(interrupted.status == 130)
        let written = tool.files("out")
        #expect(written.count > 100 && written.count < 1000)
        #expect(written.allSatisfy { !$0.hasPrefix(".") }, "no partial file stays")

        origin.clearLog()
        let second = try tool.start(arguments)
        let peak = PeakMemory(of: second.process.processIdentifier)
        let outcome = try await second.end()
        #expect(outcome.status == 0, "\(outcome.errors.suffix(500))")
        #expect(try outcome.events("skipped").count == written.count)
        #expect(origin.requestCount == 1000 - written.count, "what is done is not loaded again")
        let bytes = peak.stop()
        // A sanitizer needs memory of its own, and keeps what has been freed for a while.
        let environment = ProcessInfo.processInfo.environment
        let isSanitized = environment["TSAN_OPTIONS"] != nil || environment["ASAN_OPTIONS"] != nil
        #expect(
            bytes > 20 << 20 && (bytes < 250 << 20 || isSanitized),
            "peak: \(bytes >> 20) MiB; all images are 1000 MiB")

        let files = tool.files("out")
        #expect(files.count == 1000)
        #expect(Set(files.map { $0.lowercased() }).count == 1000, "also where case does not count")
        var paths: [String: String] = [:]
        for event in try interrupted.events("finished") + outcome.events("finished") {
            paths[try #require(event["url"] as? String)] = try #require(event["path"] as? String)
        }
        #expect(paths.count == 1000)
        for (index, url) in urls.enumerated() {
            let path = try #require(paths[url])
            #expect(path.hasPrefix("out/") && !path.dropFirst(4).contains("/"))
            #expect(path.hasSuffix(index % 11 == 0 ? ".jpg" : ".png"))
            let stem = path.dropFirst(4).split(separator: ".")[0].lowercased()
            #expect(stem != "nul" && stem != "com1")
            #expect(try Data(contentsOf: tool.folder.appendingPathComponent(path)) == bodies[index], "\(url)")
        }
    }

    @Test("an existing file is not overwritten, and the new file gets a number; --force replaces it")
    func existing() async throws {
        defer { tool.remove() }
        let png = try Images.png()
        origin.onEverythingElse { _ in .ok(png, type: "image/png") }
        try FileManager.default.createDirectory(atPath: tool.path("out"), withIntermediateDirectories: false)
        let mine = tool.folder.appendingPathComponent("out/1.png")
        try Data("mine".utf8).write(to: mine)
        let list = Data("\(origin.url("/1.png"))\n\(origin.url("/2.png"))\n".utf8)
        #expect(try await tool.run("get", "-i", "-", "-o", "out", input: list).status == 0)
        #expect(try Data(contentsOf: mine) == Data("mine".utf8))
        #expect(tool.files("out") == ["1-2.png", "1.png", "2.png"])
        #expect(try await tool.run("get", "--force", "-i", "-", "-o", "out", input: list).status == 0)
        #expect(try Data(contentsOf: mine) == png)
    }
}

/// The most memory that a process had at any moment while it was watched.
final class PeakMemory: @unchecked Sendable {
    // `lock` guards both.
    private let lock = NSLock()
    private var bytes = 0
    private var isStopped = false

    init(of pid: pid_t) {
        Thread.detachNewThread { [self] in
            while !lock.withLock({ isStopped }) {
                let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
                let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
                if let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) {
                    lock.withLock { bytes = max(bytes, kilobytes << 10) }
                }
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
    }

    func stop() -> Int {
        lock.withLock {
            isStopped = true
            return bytes
        }
    }
}
