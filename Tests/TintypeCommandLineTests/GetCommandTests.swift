import Foundation
import TestOrigin
import Testing
import Tintype
import TintypeBase

@testable import TintypeCommandLine

@Suite("tintype get", .serialized)
struct GetCommandTests {
    let tool: Tool
    let origin: TestOrigin

    init() throws {
        tool = try Tool()
        origin = try TestOrigin()
        origin.on("/a.png", .ok(try Images.png(), type: "image/png"))
    }

    @Test("a second process loads the same URL from disk")
    func twice() async throws {
        defer { tool.remove() }
        var sources: [String] = []
        for _ in 0..<2 {
            let outcome = try await tool.run("get", "--json", origin.url("/a.png"))
            #expect(outcome.status == 0, "\(outcome.errors)")
            let finished = try #require(try outcome.events("finished").first)
            sources.append(finished["source"] as? String ?? "")
        }
        #expect(sources == ["network", "disk"])
        #expect(origin.count(of: "/a.png") == 1)
    }

    @Test("events have the documented members")
    func shape() async throws {
        defer { tool.remove() }
        let outcome = try await tool.run("get", "--json", "-o", "x.png", origin.url("/a.png"))
        let lines = outcome.text.split(separator: "\n")
        let finished = try #require(lines.first { $0.contains("\"finished\"") })
        let keys = [
            "event", "url", "source", "status", "revalidated", "stale", "format", "width", "height", "bytes", "seconds",
            "attempts", "path",
        ]
        let places = keys.map { finished.range(of: "\"\($0)\":")?.lowerBound }
        #expect(!places.contains(nil))
        #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted(), "the order of keys is stable")
        let event = try #require(try outcome.events("finished").first)
        #expect(event["status"] as? Int == 200)
        #expect(event["format"] as? String == "png")
        #expect([event["width"] as? Int, event["height"] as? Int] == [40, 20])
        #expect(event["bytes"] as? Int == (try Images.png()).count)
        #expect(event["attempts"] as? Int == 1)
        #expect(event["path"] as? String == "x.png")
        let progress = try outcome.events("progress")
        #expect(progress.last?["received"] as? Int == (try Images.png()).count)
        let summary = try #require(try outcome.events.last)
        #expect(summary["event"] as? String == "summary")
        #expect([summary["loaded"] as? Int, summary["failed"] as? Int, summary["network"] as? Int] == [1, 0, 1])
        #expect(outcome.errors.isEmpty)
    }

    @Test(
        "every kind of bad input fails with its code and exit status 1, is not cached, and does not affect other loads")
    func badInput() async throws {
        defer { tool.remove() }
        origin.on("/html", .text("<!doctype html><title>no</title>", type: "text/html"))
        origin.on("/empty", .ok(Data(), type: "image/png"))
        origin.on("/cut", .truncated(try Images.jpeg(), sent: 100))
        origin.on(
            "/broken", .ok(Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 1]), type: "image/png"))
        origin.on("/loop", .redirect(to: "/loop"))
        let closed = try TestOrigin()
        let refused = closed.url("/x.png")
        closed.stop()
        let wanted: [(String, [String])] = [
            ("not a url", ["invalidURL"]), ("", ["invalidURL"]), ("http://", ["invalidURL"]),
            ("ftp://example.com/x.png", ["unsupportedScheme"]), ("http://nothing.invalid/x.png", ["connectionFailed"]),
            (refused, ["connectionFailed"]), (origin.url("/404"), ["badStatus"]),
            (origin.url("/html"), ["unsupportedFormat"]), (origin.url("/empty"), ["emptyBody"]),
            (origin.url("/cut"), ["truncated"]), (origin.url("/broken"), ["truncated", "corrupt"]),
            (origin.url("/loop"), ["tooManyRedirects"]), ("/no/such/file.png", ["ioFailed"]),
            ("data:image/png;base64,@@", ["corrupt"]),
        ]
        let outcome = try await tool.run(
            ["get", "--json", "--retry", "0", "-o", "out/"] + wanted.map(\.0) + [origin.url("/a.png")])
        #expect(outcome.status == 1)
        let failures = try outcome.events("failed")
        for (url, codes) in wanted {
            let event = failures.first { $0["url"] as? String == url }
            let error = event?["error"] as? [String: Any]
            #expect(codes.contains(error?["code"] as? String ?? "-"), "\(url): \(String(describing: event))")
            let message = error?["message"] as? String
            #expect(message?.isEmpty == false)
            #expect(event?["attempts"] as? Int != nil)
        }
        #expect(failures.count == wanted.count)
        #expect(try outcome.events("finished").count == 1)
        #expect(tool.files("out") == ["a.png"])
        let list = try await tool.run("cache", "list", "--json")
        #expect(try list.events.map { $0["key"] as? String } == [origin.url("/a.png")])
        // On standard error, one line each: tintype: CODE: sentence
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == wanted.count)
        #expect(lines.allSatisfy { $0.hasPrefix("tintype: ") && $0.split(separator: ":").count >= 3 })
    }

    @Test("a missing URL and an unknown option are usage errors")
    func usage() async throws {
        defer { tool.remove() }
        #expect(try await tool.run("get").status == 2)
        let outcome = try await tool.run("get", "--ouptut", "x", "y")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("did you mean --output?"))
        #expect(outcome.output.isEmpty)
    }

    @Test("-o FILE saves the original bytes, converts by extension or flag, and overwrites only with --force")
    func files() async throws {
        defer { tool.remove() }
        let url = origin.url("/a.png")
        #expect(try await tool.run("get", "-o", "a.png", url).status == 0)
        #expect(try Data(contentsOf: tool.folder.appendingPathComponent("a.png")) == Images.png())
        #expect(try await tool.run("get", "-o", "a.png", url).status == 0, "the same bytes again are no conflict")
        #expect(try await tool.run("get", "-o", "a.jpg", "--resize", "10x", url).status == 0)
        let info = try await tool.run("info", "--json", "a.jpg")
        #expect(try info.events.first?["format"] as? String == "jpeg")
        #expect(try info.events.first?["width"] as? Int == 10)
        try Data("mine".utf8).write(to: tool.folder.appendingPathComponent("mine.png"))
        let refused = try await tool.run("get", "-o", "mine.png", url)
        #expect(refused.status == 1)
        #expect(refused.errors.hasPrefix("tintype: ioFailed: mine.png"))
        #expect(try String(contentsOfFile: tool.path("mine.png"), encoding: .utf8) == "mine")
        #expect(try await tool.run("get", "--force", "-o", "mine.png", url).status == 0)
        #expect(try Data(contentsOf: tool.folder.appendingPathComponent("mine.png")) == Images.png())
        let piped = try await tool.run("get", "-o", "-", url)
        #expect(try piped.output == Images.png())
    }

    @Test(
        "a list is saved in a folder with safe names and extensions by content, and the second run skips existing files"
    )
    func list() async throws {
        defer { tool.remove() }
        let png = try Images.png()
        origin.onEverythingElse { request in request.path == "/gone.png" ? .status(404) : .ok(png, type: "image/jpeg") }
        let urls = [
            "/x/same.jpg", "/y/same.jpg", "/%2e%2e%2f%2e%2e%2fevil.png", "/.hidden", "/", "/a%00b.png", "/q?x=/../../z",
            "/gone.png", "/-rf", "/caf%C3%A9.gif",
        ]
        let list = "# images\n\n" + urls.map { origin.url($0) }.joined(separator: "\n") + "\r\n"
        try Data(list.utf8).write(to: tool.folder.appendingPathComponent("list.txt"))
        let first = try await tool.run("get", "--json", "-i", "list.txt", "-o", "out")
        #expect(first.status == 1)
        #expect(try first.events("finished").count == urls.count - 1, "\(first.errors)")
        #expect(tool.files() == ["cache", "list.txt", "out"])
        let names = tool.files("out")
        #expect(names.count == urls.count - 1)
        #expect(
            names.allSatisfy { $0.hasSuffix(".png") && !$0.hasPrefix(".") && !$0.hasPrefix("-") && !$0.contains("/") })
        #expect(names.contains("same.png") && names.contains("same-2.png") && names.contains("café.png"))
        origin.clearLog()
        let second = try await tool.run(
            "get", "--json", "-i", "-", "-o", "out", "--cache-dir", "other", input: Data(list.utf8))
        #expect(try second.events("skipped").count == urls.count - 1)
        #expect(origin.log.map(\.path) == ["/gone.png"])
    }

    @Test("--cache-only, --key, --no-disk-cache, --cache-dir and --refresh control the caches")
    func caching() async throws {
        defer { tool.remove() }
        let png = try Images.png()
        origin.on("/tagged.png") { request in
            request.header("If-None-Match") != nil
                ? .status(304, headers: [("ETag", "\"1\"")], body: Data())
                : .ok(png, type: "image/png", headers: [("ETag", "\"1\"")])
        }
        let url = origin.url("/tagged.png")
        let miss = try await tool.run("get", "--cache-only", url)
        #expect(miss.status == 1)
        #expect(miss.errors.hasPrefix("tintype: notInCache: "))
        #expect(origin.requestCount == 0)
        #expect(try await tool.run("get", "--no-disk-cache", url).status == 0)
        #expect(try await tool.run("get", "--cache-only", url).status == 1)
        #expect(try await tool.run("get", "--key", "K", url).status == 0)
        #expect(try await tool.run("get", "--cache-only", "--key", "K", "http://other.invalid/").status == 0)
        #expect(try await tool.run("get", "--cache-dir", "elsewhere", url).status == 0)
        #expect(tool.files("elsewhere") == ["default"])
        #expect(try await tool.run("get", url).status == 0)
        let refreshed = try await tool.run("get", "--json", "--refresh", url)
        let event = try #require(try refreshed.events("finished").first)
        #expect(event["revalidated"] as? Bool == true)
        #expect(event["source"] as? String == "disk")
    }

    @Test("--block-private gets nothing from a cache that was filled without it, in all commands that load")
    func blockPrivate() async throws {
        defer { tool.remove() }
        let url = origin.url("/a.png")
        for flags in [[], ["--resize", "8x8"], ["--cache-only"]] {
            if flags.first != "--cache-only" { #expect(try await tool.run(["get"] + flags + [url]).status == 0) }
            for command in ["get", "prefetch"] {
                let outcome = try await tool.run([command, "--json", "--block-private"] + flags + [url])
                #expect(outcome.status == 1)
                let codes = try outcome.events("failed").map { ($0["error"] as? [String: Any])?["code"] as? String }
                #expect(codes == [flags == ["--cache-only"] ? "notInCache" : "blockedAddress"], "\(command) \(flags)")
            }
        }
        #expect(try await tool.run("get", "--cache-only", url).status == 0)
    }

    @Test("encoding an animation ends with --timeout, at the next frame")
    func encodingTime() async throws {
        defer { tool.remove() }
        let frames = try (0..<3).map {
            EncodableFrame(bitmap: try Images.bitmap(40, 20, blue: UInt8($0 * 90)), duration: 0.1)
        }
        try GIFEncoder().encode(frames: frames, loopCount: 0, options: EncodeOptions())
            .write(to: tool.folder.appendingPathComponent("a.gif"))
        let late = try await tool.run("get", "--timeout", "0.000001", "--format", "png", "-o", "out/", "a.gif")
        #expect(late.status == 1)
        #expect(late.errors.hasPrefix("tintype: timedOut: a.gif: "), "\(late.errors)")
        #expect(tool.files("out").isEmpty)
        #expect(try await tool.run("get", "--timeout", "600", "--format", "png", "-o", "out/", "a.gif").status == 0)
    }

    @Test("work on frames stops when its task is cancelled")
    func stoppableWork() async throws {
        defer { tool.remove() }
        let pool = WorkerPool(name: "test", width: 1)
        let (started, begin) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await pool.run(stoppingAfter: nil) {
                begin.finish()
                while true { try ImagingCancellation.check() }
            }
        }
        for await _ in started {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("flags set header fields, limits, retries, address policy, passwords and order")
    func network() async throws {
        defer { tool.remove() }
        let png = try Images.png()
        #expect(try await tool.run("get", "--header", "X-Test: one two", origin.url("/a.png")).status == 0)
        #expect(origin.log.first?.header("X-Test") == "one two")
        func code(_ arguments: String...) async throws -> String {
            let outcome = try await tool.run(["get", "--no-disk-cache"] + arguments)
            return outcome.errors.split(separator: ":").dropFirst().first?.trimmingCharacters(in: .whitespaces) ?? "-"
        }
        #expect(try await code("--max-bytes", "50", origin.url("/a.png")) == "bodyTooLarge")
        #expect(try await code("--max-pixels", "100", origin.url("/a.png")) == "imageTooLarge")
        #expect(try await code("--block-private", origin.url("/a.png")) == "blockedAddress")
        origin.on("/hang", .hang)
        #expect(try await code("--timeout", "0.3", "--retry", "0", origin.url("/hang")) == "timedOut")
        origin.on("/flaky", .status(503), .status(503), .ok(png, type: "image/png"))
        let flaky = try await tool.run("get", "--json", "--retry", "3", origin.url("/flaky"))
        #expect(try flaky.events("finished").first?["attempts"] as? Int == 3)
        origin.on("/500", .status(500))
        let failed = try await tool.run("get", "--json", "--retry", "1", origin.url("/500"))
        #expect(try failed.events("failed").first?["attempts"] as? Int == 2)
        for challenge in [true, false] {
            origin.on("/secret") { request in
                let sent = request.header("Authorization")
                if sent == "Basic dTpwOnA=" { return .ok(png, type: "image/png") }
                return .status(401, headers: challenge ? [("WWW-Authenticate", "Basic realm=\"x\"")] : [])
            }
            #expect(try await tool.run("get", "--no-disk-cache", "--user", "u:p:p", origin.url("/secret")).status == 0)
        }
        origin.clearLog()
        origin.onEverythingElse { _ in .ok(png, type: "image/png") }
        let order = ["/1", "/2", "/3"].map { origin.url($0) }
        #expect(try await tool.run(["get", "--lifo", "--concurrency", "1"] + order).status == 0)
        #expect(origin.log.map(\.path) == ["/3", "/2", "/1"])
    }
}
