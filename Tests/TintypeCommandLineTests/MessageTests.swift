import Foundation
import TestOrigin
import Testing

@testable import TintypeCommandLine

@Suite("Messages", .serialized)
struct MessageTests {
    let tool: Tool

    init() throws { tool = try Tool() }

    /// What a terminal would obey: C0 but for line feeds, DEL, C1, marks that reorder text, other line ends.
    private func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0...9, 11...0x1F, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: false
            default: true
            }
        }
    }

    @Test("text from files, servers and arguments is escaped on a terminal")
    func clean() async throws {
        defer { tool.remove() }
        let evil = "\u{1B}[31m\u{7}\r\u{7F}\u{9B}31m\u{202E}\u{2066}\u{200F}\u{2028}x\n tintype: forged"
        let origin = try TestOrigin()
        origin.onEverythingElse { request in
            let head: String
            switch request.path {
            case "/coding": head = "200 OK\r\nContent-Encoding: \u{1B}[31m\u{9B}"
            case "/location": head = "302 Found\r\nLocation: http://\u{1B}[31m\u{9B}/"
            case "/scheme": head = "302 Found\r\nLocation: x\u{1B}[31m://a/"
            case "/type": head = "200 OK\r\nContent-Type: \u{1B}[31m\u{202E}"
            default: head = "500 \u{1B}[31mreason\u{9B}"
            }
            return .raw("HTTP/1.1 \(head)\r\nContent-Length: 3\r\n\r\n\u{1B}[3")
        }
        let sources =
            ["coding", "location", "scheme", "type", "reason"].map { origin.url("/\($0)") } + [
                "http://\(evil)/", "./\(evil)", "\(evil)", "data:image/png,\(evil)", "x\(evil)://y", "file:///\(evil)",
            ]
        try Images.png().write(to: tool.folder.appendingPathComponent(evil.replacing("/", with: "_") + ".png"))
        let commands: [[String]] = [
            ["get", "--json", "--retry", "0"] + sources, ["get", "--retry", "0"] + sources, ["info"] + sources,
            ["info", "--json"] + sources, ["prefetch", "--retry", "0"] + sources, ["info", "./\(evil).png"],
            ["get", "-o", "d/", "./\(evil).png"], ["get", "-o", "d/", "./\(evil).png"],
            ["convert", "\(evil)", "b.png"],
            ["convert", "./\(evil).png", "b.\(evil)"], ["get", "--\(evil)"], ["\(evil)"], ["get", "--fit", evil, "x"],
            ["cache", "remove", evil], ["cache", "path", "--cache-dir", evil], ["json", "get", evil],
            ["json", "put", "http://h/\(evil)", "--value", "<\(evil)"], ["get", "--events", evil, "--json", "x"],
            ["json", "get", origin.url("/reason"), "--policy", "networkFirst"], ["get", "-i", evil],
        ]
        for command in commands {
            let outcome = try await tool.run(command)
            #expect(isHarmless(outcome.text), "\(command): \(outcome.text.debugDescription)")
            #expect(isHarmless(outcome.errors), "\(command): \(outcome.errors.debugDescription)")
            #expect(!outcome.errors.contains("\n tintype: forged"))
            if command.contains("--json"), outcome.status != 2 { #expect(try !outcome.events.isEmpty) }
        }
    }

    @Test("JSON documents are printed unchanged")
    func json() throws {
        let hard = "\u{1B}\u{7F}\u{9B}\u{202E}\u{2066}\u{200F}\u{2028}\u{FEFF}\\\""
        let line = JSONOutput.object([("k", .string(hard))]).line
        #expect(isHarmless(line))
        #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String] == ["k": hard])
    }

    @Test("messages are sentences that name the source, never the dump of an error")
    func sentences() async throws {
        defer { tool.remove() }
        let origin = try TestOrigin()
        origin.on("/html", .text("<!doctype html>", type: "text/html"))
        try Data().write(to: tool.folder.appendingPathComponent("empty.png"))
        try Data("x".utf8).write(to: tool.folder.appendingPathComponent("file"))
        try Data([0x41, 0, 0x42, 0]).write(to: tool.folder.appendingPathComponent("utf16.txt"))
        try Images.png().write(to: tool.folder.appendingPathComponent("a.png"))
        let wanted: [([String], String)] = [
            (["get", "-i", "none.txt"], "tintype: ioFailed: none.txt: cannot be opened: No such file or directory"),
            (["get", "-i", "utf16.txt"], "tintype: unsupportedFormat: utf16.txt: it is not a list of URLs"),
            (["get", "empty.png"], "tintype: emptyBody: empty.png: the file is empty"),
            (["info", "empty.png"], "tintype: emptyBody: empty.png: the file is empty"),
            (["convert", "empty.png", "b.png"], "tintype: emptyBody: empty.png: the file is empty"),
            (
                ["get", "-o", "file/d/", "a.png"],
                "tintype: ioFailed: file/d: the folder cannot be made: Not a directory"
            ),
            (["get", "--progressive", "file", "a.png"], "tintype: ioFailed: file: it is not a folder"),
            (["json", "put", "http://h/", "--value", "<html>"], "tintype: corrupt: http://h/: "),
            (
                ["json", "get", "--policy", "cacheFirst", origin.url("/html")],
                "tintype: corrupt: \(origin.url("/html")): the response is not JSON: it is HTML or XML"
            ),
        ]
        for (command, start) in wanted {
            let outcome = try await tool.run(command)
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix(start), "\(outcome.errors)")
            #expect(outcome.errors.split(separator: "\n").count == 1)
        }
    }

    @Test("an unusable cache folder is reported once, and loads work without it")
    func cacheFolder() async throws {
        defer { tool.remove() }
        try Data("x".utf8).write(to: tool.folder.appendingPathComponent("file"))
        let origin = try TestOrigin()
        let png = try Images.png()
        origin.onEverythingElse { _ in .ok(png, type: "image/png") }
        for command in ["get", "prefetch"] {
            let outcome = try await tool.run(
                [command, "--cache-dir", "file"] + (0..<5).map { origin.url("/\($0).png") })
            #expect(outcome.status == 0, "\(outcome.errors)")
            let warnings = outcome.errors.split(separator: "\n").filter { $0.contains("warning") }
            #expect(warnings.count == 1 && warnings.first?.contains("the cache folder file") == false)
        }
        #expect(try await tool.run("cache", "stats", "--cache-dir", "file").status == 1)
    }

    @Test("an animation that becomes a still image is a warning")
    func frames() async throws {
        defer { tool.remove() }
        let made = try await tool.shell(
            """
            python3 -c 'from PIL import Image
            f=[Image.new("RGB",(8,8),(i*80,0,0)) for i in range(3)]
            f[0].save("a.gif",save_all=True,append_images=f[1:],duration=100)'
            """)
        guard made.status == 0 else { return }
        let converted = try await tool.run("convert", "--json", "a.gif", "b.jpg")
        #expect(converted.status == 0)
        #expect((try converted.events.first?["warnings"] as? [String])?.first?.contains("3 frames") == true)
        #expect(converted.errors.hasPrefix("tintype: warning: a.gif: only the first of 3 frames"))
        let loaded = try await tool.run("get", "--json", "-o", "d/", "--format", "jpeg", "a.gif")
        #expect((try loaded.events("finished").first?["warnings"] as? [String])?.first?.contains("3 frames") == true)
        #expect(loaded.errors.hasPrefix("tintype: warning: a.gif: only the first of 3 frames"))
        #expect(try await tool.run("convert", "--frame", "0", "a.gif", "b.jpg").errors.isEmpty)
        #expect(try await tool.run("get", "--frame", "1", "-o", "c.jpg", "a.gif").errors.isEmpty)
        let none = try await tool.run("get", "--frame", "3", "-o", "e.jpg", "a.gif")
        #expect(none.status == 1 && tool.files().contains("c.jpg") && !tool.files().contains("e.jpg"))
        for format in ["avif", "jxl", "webp", "png"] {
            let outcome = try await tool.run("convert", "--json", "a.gif", "b.\(format)")
            let event = try #require(try outcome.events.first)
            let isWhole = event["frameCount"] as? Int == 3
            #expect(isWhole != outcome.errors.contains("3 frames"), "\(format): kept or said")
        }
    }

    @Test("the progress bar shows complete fields on terminals of any width")
    func bar() {
        for columns in 10...60 {
            let line = ProgressBar.line(done: 25, of: 100, bytes: 10 << 20, seconds: 5, columns: columns)
            #expect(line.isEmpty || line.contains("25/100"))
            #expect(!line.contains("ETA") || line.contains("ETA 15.00 s"))
        }
        #expect(ProgressBar.line(done: 25, of: 100, bytes: 10 << 20, seconds: 5, columns: 40).contains("ETA 15.00 s"))
    }
}
