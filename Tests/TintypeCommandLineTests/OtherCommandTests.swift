import Foundation
import TestOrigin
import Testing

@testable import TintypeCommandLine

@Suite("prefetch, cache, json, demo and help")
struct OtherCommandTests {
    let tool: Tool

    init() throws { tool = try Tool() }

    @Test("prefetch fills the cache; the second run skips cached images")
    func prefetch() async throws {
        defer { tool.remove() }
        let origin = try TestOrigin()
        for name in ["a", "b"] { origin.on("/\(name).png", .ok(try Images.png(), type: "image/png")) }
        let urls = ["/a.png", "/b.png", "/a.png", "/404"].map { origin.url($0) }
        for counts in [[2, 1, 1], [0, 1, 3]] {
            let outcome = try await tool.run(["prefetch", "--json"] + urls)
            #expect(outcome.status == 1)
            let summary = try #require(try outcome.events.last)
            #expect(summary["event"] as? String == "summary")
            #expect(["loaded", "failed", "skipped"].map { summary[$0] as? Int } == counts)
        }
        #expect(origin.count(of: "/a.png") == 1)
        #expect(try await tool.run("get", "--cache-only", urls[1]).status == 0)
        #expect(try await tool.run("prefetch").status == 2)
    }

    @Test("cache path, stats, list, verify, remove, trim and clear work on the disk cache")
    func cache() async throws {
        defer { tool.remove() }
        let origin = try TestOrigin()
        for name in ["a", "b", "c"] { origin.on("/\(name).png", .ok(try Images.png(), type: "image/png")) }
        #expect(try await tool.run(["prefetch"] + ["/a.png", "/b.png", "/c.png"].map { origin.url($0) }).status == 0)
        #expect(try await tool.run("cache", "path").text == tool.path("cache/tintype/default") + "\n")
        let stats = try #require(try await tool.run("cache", "stats", "--json").events.first)
        #expect(stats["entries"] as? Int == 3)
        #expect(stats["expired"] as? Int == 0)
        #expect((stats["bytes"] as? Int ?? 0) > 3 * (try Images.png()).count)
        #expect((stats["oldest"] as? String)?.hasSuffix("Z") == true && stats["newest"] is String)
        let keys = try await tool.run("cache", "list", "--json").events.compactMap { $0["key"] as? String }
        #expect(Set(keys) == Set(["/a.png", "/b.png", "/c.png"].map { origin.url($0) }))
        let removed = try await tool.run(
            "cache", "remove", origin.url("/a.png").uppercased().replacing("/A.PNG", with: "/a.png"))
        #expect(removed.status == 0, "any spelling of the URL names the entry: \(removed.errors)")
        #expect(try await tool.run("cache", "remove", origin.url("/a.png")).status == 1)
        let entries = tool.path("cache/tintype/default/entries")
        let names = FileManager.default.enumerator(atPath: entries)?.allObjects as? [String] ?? []
        let file = try #require(
            names.first {
                !$0.hasSuffix("/") && (try? Data(contentsOf: URL(fileURLWithPath: entries + "/" + $0))) != nil
            })
        try Data("garbage".utf8).write(to: URL(fileURLWithPath: entries + "/" + file))
        let verified = try #require(try await tool.run("cache", "verify", "--json").events.first)
        #expect(verified["damaged"] as? Int == 1)
        #expect(try await tool.run("cache", "stats", "--json").events.first?["entries"] as? Int == 1)
        #expect(try await tool.run("cache", "trim", "--max-bytes", "1", "--json").events.first?["entries"] as? Int == 0)
        #expect(try await tool.run("cache", "clear").status == 0)
        #expect(try await tool.run("cache", "clear").status == 0)
        #expect(try await tool.run("cache").status == 2)
        #expect(try await tool.run("cache", "stast").errors.contains("did you mean 'stats'?"))
    }

    @Test("json put, get, check, remove, size and clear work on the response cache")
    func json() async throws {
        defer { tool.remove() }
        let url = "https://api.example.com/posts"
        #expect(try await tool.run("json", "check", url).status == 1)
        let missing = try await tool.run("json", "get", url)
        #expect(missing.status == 1)
        #expect(missing.errors.hasPrefix("tintype: notInCache: \(url)"))
        #expect(
            try await tool.run(
                "json", "put", url, "--param", "b=2", "--param", "a=1", input: Data(" {\"x\": [1]}".utf8)
            ).status == 0)
        #expect(try await tool.run("json", "get", url, "--param", "a=1", "--param", "b=2").text == " {\"x\": [1]}\n")
        #expect(try await tool.run("json", "check", url, "--param", "a:=1", "--param", "b=2").status == 1)
        #expect(
            try await tool.run("json", "check", url, "--param", "a=1", "--param", "b=2", "--app-version", "2").status
                == 1)
        #expect(try await tool.run("json", "put", url, "--value", "{broken").status == 1)
        #expect(try await tool.run("json", "put", "", "--value", "1").errors.hasPrefix("tintype: invalidURL"))
        #expect(try await tool.run("json", "size", "--json").events.first?["entries"] as? Int == 1)
        #expect(try await tool.run("json", "size").text == "0.2kb\n")
        #expect(try await tool.run("json", "remove", url, "--param", "a=1", "--param", "b=2").status == 0)
        #expect(try await tool.run("json", "clear", "--json").events.first?["removed"] as? Int == 0)
        #expect(try await tool.run("json", "put").status == 2)
        #expect(try await tool.run("json", "put", url, "--param", "x").status == 2)
    }

    @Test("json get with a policy sends a request, and revalidates by ETag")
    func policies() async throws {
        defer { tool.remove() }
        let origin = try TestOrigin()
        origin.on("/posts") { request in
            request.header("If-None-Match") != nil
                ? .status(304, body: Data())
                : .text("{\"q\":\"\(request.query ?? "")\"}", type: "application/json", headers: [("ETag", "\"v\"")])
        }
        let arguments = ["json", "get", "--json", origin.url("/posts"), "--param", "page:=2", "--policy"]
        let first = try #require(try await tool.run(arguments + ["cacheFirst"]).events.first)
        #expect(first["source"] as? String == "network")
        #expect((first["value"] as? [String: String])?["q"] == "page=2")
        let second = try #require(try await tool.run(arguments + ["cacheFirst"]).events.first)
        #expect(second["source"] as? String == "cache")
        let third = try #require(try await tool.run(arguments + ["networkFirst"]).events.first)
        #expect(third["revalidated"] as? Bool == true)
        #expect(origin.requestCount == 2)
        origin.stop()
        let fourth = try #require(try await tool.run(arguments + ["networkFirst"]).events.first)
        #expect(fourth["source"] as? String == "cache")
    }

    @Test("demo succeeds in any working folder")
    func demo() async throws {
        defer { tool.remove() }
        let outcome = try await tool.run("demo", "--json", "-o", "list.png")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let passes = try outcome.events("pass")
        #expect(passes.map { $0["requests"] as? Int } == [21, 0, 0])
        #expect(passes.map { $0["failed"] as? Int } == [1, 1, 1])
        #expect(passes.map { $0["rows"] as? Int } == [28, 28, 28])
        #expect(passes[2]["memory"] as? Int == 27)
        #expect(tool.files() == ["list.png"])
    }

    @Test("help, version and suggestions are printed; the example of every command parses")
    func help() async throws {
        defer { tool.remove() }
        let version = try #require(try await tool.run("--version", "--json").events.first)
        #expect((version["decodes"] as? [String])?.contains("jpeg") == true)
        #expect(try await tool.run("--version").text.hasPrefix("tintype \(VersionReport.version)\n"))
        #expect(try await tool.run("--help").text.contains("convert"))
        #expect(try await tool.run().status == 2)
        #expect(try await tool.run("gte").errors.contains("did you mean 'get'?"))
        for words in [["cache", "--help"], ["cache", "-h"], ["help", "cache"]] {
            let outcome = try await tool.run(words)
            #expect(outcome.status == 0 && outcome.errors.isEmpty)
            for action in ["path", "stats", "list", "trim", "clear", "remove", "verify"] {
                #expect(outcome.text.contains("  cache \(action) "))
            }
            #expect(outcome.text.contains("Examples:\n") && !outcome.text.contains("json get"))
        }
        #expect(try await tool.run("cache").status == 2)
        for command in CommandTable.all {
            let text = HelpText.text(for: command)
            for option in command.options { #expect(text.contains("--" + option.name)) }
            for example in command.examples {
                #expect(text.contains(example.line))
                #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
                // Up to a pipe or redirection, the words must be a command line of ours.
                guard let start = example.line.range(of: "tintype ") else { continue }
                let words = example.line[start.upperBound...].split(separator: " ").map {
                    String($0.replacing(")\"", with: ""))
                }
                .prefix { !["|", ">", "&&", ">>"].contains($0) }
                #expect(throws: Never.self, "\(example.line)") {
                    let (found, rest) = try CommandTable.find(words[...])
                    #expect(found.name == command.name)
                    _ = try OptionParser.parse(rest, options: found.options)
                }
            }
        }
    }

    @Test("completions and manual contain every command and option")
    func completions() async throws {
        defer { tool.remove() }
        let scripts = try [
            await tool.run("completion", "bash").text, await tool.run("completion", "zsh").text,
            await tool.run("completion", "fish").text, await tool.run("manual").text.replacing("\\-", with: "-"),
        ]
        for script in scripts {
            for command in CommandTable.all {
                #expect(script.contains(command.name.split(separator: " ")[0]))
                for option in command.options { #expect(script.contains(option.name)) }
            }
        }
        try Data(scripts[0].utf8).write(to: tool.folder.appendingPathComponent("completion.bash"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [
            "-c",
            "source '\(tool.path("completion.bash"))' && COMP_WORDS=(tintype convert --fit '') && COMP_CWORD=3 "
                + "&& _tintype && echo \"${COMPREPLY[*]}\"",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text == "contain cover fill\n")
        #expect(try await tool.run("completion", "tcsh").status == 2)
    }
}
