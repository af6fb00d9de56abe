import Foundation
import TestOrigin
import Testing

@Suite("get -o FOLDER", .serialized)
struct FolderOutputTests {
    let tool: Tool
    let origin: TestOrigin
    let images: [Data]

    init() throws {
        tool = try Tool()
        origin = try TestOrigin()
        let images = try (0..<8).map { try Images.png(60, 40, blue: UInt8($0 * 30)) }
        self.images = images
        origin.onEverythingElse { request in
            // /3/name.png is the third image, whatever the name.
            let number = request.path.split(separator: "/").first.flatMap { Int($0) } ?? 0
            return .ok(images[number % images.count], type: "image/png")
        }
    }

    private func data(_ name: String) throws -> Data { try Data(contentsOf: tool.folder.appendingPathComponent(name)) }

    @Test("another URL with the same name gets another file; the same URL with the same flags is skipped")
    func sameName() async throws {
        defer { tool.remove() }
        func get(_ arguments: String...) async throws -> [String] {
            let outcome = try await tool.run(["get", "--json", "--events", "finished,skipped", "-o", "d/"] + arguments)
            #expect(outcome.status == 0, "\(outcome.errors)")
            return try outcome.events.map { "\($0["event"] ?? "") \($0["path"] ?? "")" }
        }
        let (first, second) = (origin.url("/1/1.png"), origin.url("/2/1.png"))
        #expect(try await get(first) == ["finished d/1.png"])
        #expect(try await get(second) == ["finished d/1-2.png"])
        #expect(try await get(first) == ["skipped d/1.png"])
        #expect(try await get(second) == ["skipped d/1-2.png"])
        #expect(try await get("--resize", "10x", first) == ["finished d/1-3.png"])
        #expect(try await get("--resize", "10x", first) == ["skipped d/1-3.png"])
        #expect(try await get("--resize", "10x", "--format", "jpeg", first) == ["finished d/1.jpg"])
        #expect(try await get("--format", "jpeg", "--retry", "1", "--resize", "10x", first) == ["skipped d/1.jpg"])
        #expect(try [data("d/1.png"), data("d/1-2.png")] == [images[1], images[2]])
        // What is no image any more is loaded again, beside it.
        try Data("broken".utf8).write(to: tool.folder.appendingPathComponent("d/1.png"))
        #expect(try await get(first) == ["finished d/1-4.png"])
    }

    @Test("the file records its URL without a password; files saved by curl and wget are recognised")
    func attributes() async throws {
        defer { tool.remove() }
        let url = origin.url("/1/a.png")
        let secret = url.replacing("http://", with: "http://user:secret@")
        #expect(try await tool.run("get", "-o", "d/", secret).status == 0)
        let read = try await tool.shell(
            "python3 -c 'import os; print(os.getxattr(\"d/a.png\", \"user.xdg.origin.url\").decode())'")
        #expect(read.text == url + "\n")
        try images[2].write(to: tool.folder.appendingPathComponent("d/saved.png"))
        let saved = origin.url("/2/b.png")
        let marked = try await tool.shell(
            "python3 -c 'import os; os.setxattr(\"d/saved.png\", \"user.xdg.origin.url\", b\"\(saved)\")'")
        #expect(marked.status == 0, "\(marked.errors)")
        let skipped = try await tool.run("get", "--json", "-o", "d/", saved)
        #expect(try skipped.events("skipped").first?["path"] as? String == "d/saved.png")
        let resized = try await tool.run("get", "--json", "--resize", "5x", "-o", "d/", saved)
        #expect(try resized.events("finished").first?["path"] as? String == "d/b.png")
    }

    @Test("a file of an older version without attributes is adopted if it holds the same bytes")
    func adopted() async throws {
        defer { tool.remove() }
        mkdir(tool.path("d"), 0o755)
        try images[1].write(to: tool.folder.appendingPathComponent("d/1.png"))
        #expect(try await tool.run("get", "-o", "d/", origin.url("/1/1.png")).status == 0)
        #expect(tool.files("d") == ["1.png"])
        #expect(try await tool.run("get", "-o", "d/", origin.url("/2/1.png")).status == 0)
        #expect(tool.files("d") == ["1-2.png", "1.png"])
        #expect(try [data("d/1.png"), data("d/1-2.png")] == [images[1], images[2]])
    }

    @Test("two processes with different lists fill one folder")
    func processes() async throws {
        defer { tool.remove() }
        // Every name is wanted by two URLs, and one URL is in both lists.
        func list(_ number: Int) -> Data {
            let urls = (0..<200).map { origin.url("/\(number)/\($0).png") } + [origin.url("/5/both.png")]
            return Data(urls.joined(separator: "\n").utf8)
        }
        let arguments = [
            "get", "--json", "--events", "failed,skipped,finished", "--no-disk-cache", "-i", "-", "-o", "d",
        ]
        let runs = try (1...2).map { try tool.start(arguments, input: list($0)) }
        var paths: [String: String] = [:]
        for run in runs {
            let outcome = try await run.end()
            #expect(outcome.status == 0, "\(outcome.errors)")
            for event in try outcome.events { paths[event["url"] as? String ?? ""] = event["path"] as? String }
        }
        #expect(paths.count == 401)
        #expect(tool.files("d").count == 401)
        #expect(Set(paths.values).count == 401)
        for (url, path) in paths {
            let number = try #require(Int(url.split(separator: "/")[2]))
            #expect(try data(path) == images[number])
        }
        origin.clearLog()
        for number in 1...2 { #expect(try await tool.run(arguments, input: list(number)).status == 0) }
        #expect(origin.requestCount == 0, "all are known in a second run")
    }

    @Test("an index file replaces extended attributes on file systems without them")
    func withoutAttributes() async throws {
        defer { tool.remove() }
        mkdir(tool.path("m"), 0o755)
        let commands = [
            origin.url("/1/1.png"), origin.url("/2/1.png"), origin.url("/1/1.png"),
            "--resize 9x " + origin.url("/1/1.png"),
        ].map { "$T get --json --events finished,skipped -o m/d \($0)" }.joined(separator: "\n")
        let outcome = try await tool.shell(
            """
            unshare -m bash -c 'mount -t ramfs none m || exit 77; mkdir m/d
            \(commands)
            cp a m/d/1.png; \(commands.split(separator: "\n")[0])'
            """.replacing("cp a", with: "head -c 100 m/d/1-2.png >"))
        guard outcome.status != 77, !outcome.errors.contains("unshare") else { return }
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            try outcome.events.map { "\($0["event"] ?? "") \($0["path"] ?? "")" } == [
                "finished m/d/1.png", "finished m/d/1-2.png", "skipped m/d/1.png", "finished m/d/1-3.png",
                "finished m/d/1-4.png",
            ])
    }

    @Test("--names names files by URL, hash or index")
    func names() async throws {
        defer { tool.remove() }
        let urls = (0..<10).map { origin.url("/\($0)/x.png") }
        #expect(try await tool.run(["get", "--names", "index", "-o", "index"] + urls).status == 0)
        #expect(tool.files("index") == (1...10).map { ($0 < 10 ? "0" : "") + "\($0).png" })
        #expect(try data("index/03.png") == images[2])
        #expect(try await tool.run(["get", "--names", "index", "--lifo", "-o", "lifo"] + urls).status == 0)
        #expect(try data("lifo/03.png") == images[2])
        #expect(try await tool.run(["get", "--names", "hash", "-o", "hash"] + urls).status == 0)
        #expect(tool.files("hash").count == 10)
        #expect(tool.files("hash").allSatisfy { $0.utf8.count == 44 && $0.hasSuffix(".png") })
        #expect(try await tool.run(["get", "--names", "url", "-o", "url"] + urls).status == 0)
        #expect(tool.files("url").contains("x-10.png"))
        #expect(try await tool.run(["get", "--names", "colour", "-o", "x"] + urls).status == 2)
        #expect(!tool.files().contains("x"))
    }

    @Test("--events selects the printed events, --allow-failures exits with 0")
    func events() async throws {
        defer { tool.remove() }
        origin.on("/gone", .status(404))
        let urls = [origin.url("/1/a.png"), origin.url("/gone")]
        func names(_ list: String) async throws -> Set<String> {
            let outcome = try await tool.run(["get", "--json", "--events", list, "--retry-failed"] + urls)
            #expect(outcome.status == 1)
            return Set(try outcome.events.compactMap { $0["event"] as? String })
        }
        #expect(try await names("finished") == ["finished"])
        #expect(try await names("failed,summary") == ["failed", "summary"])
        #expect(
            try await names("progress,preview,finished,skipped,failed,summary").isSuperset(of: ["failed", "summary"]))
        for list in ["", "finished,", "ended", "Finished"] {
            #expect(try await tool.run(["get", "--json", "--events", list] + urls).status == 2, "\(list)")
        }
        let forgiven = try await tool.run(["get", "--json", "--allow-failures", "--retry-failed"] + urls)
        #expect(forgiven.status == 0)
        #expect(try forgiven.events("summary").first?["failed"] as? Int == 1)
        #expect(forgiven.errors.hasPrefix("tintype: badStatus: "))
    }

    @Test("--progressive overwrites no file")
    func previews() async throws {
        defer { tool.remove() }
        let jpeg = try Images.jpeg(400, 400)
        origin.on("/p.jpg", .dripped(jpeg, piece: 500, interval: 0.01))
        mkdir(tool.path("p"), 0o755)
        try Data("mine".utf8).write(to: tool.folder.appendingPathComponent("p/p-001.png"))
        let outcome = try await tool.run(
            "get", "--json", "--no-disk-cache", "--progressive", "p", origin.url("/p.jpg"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try data("p/p-001.png") == Data("mine".utf8))
        let paths = try outcome.events("preview").compactMap { $0["path"] as? String }
        #expect(!paths.contains("p/p-001.png"))
        #expect(Set(tool.files("p")) == Set(paths.map { String($0.dropFirst(2)) } + ["p-001.png"]))
    }
}
