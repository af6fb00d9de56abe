import Foundation
import TestOrigin
import Testing
import Tintype

@Suite("Writes that fail", .serialized)
struct OutputErrorTests {
    let tool: Tool

    init() throws {
        tool = try Tool()
        try Images.png().write(to: tool.folder.appendingPathComponent("a.png"))
        try Data("[1]".utf8).write(to: tool.folder.appendingPathComponent("a.json"))
    }

    @Test(
        "a full standard output is an error in every command",
        arguments: [
            "--version", "--version --json", "--help", "help get", "get --help", "cache --help", "info a.png",
            "info --json a.png", "info none.png --json", "convert a.png - --format png", "convert --json a.png b.png",
            "get a.png", "get --json a.png", "get -o - a.png", "get --json --events summary a.png", "prefetch a.png",
            "prefetch --json a.png", "cache path", "cache stats", "cache stats --json", "cache trim", "cache clear",
            "cache verify", "json get http://127.0.0.1/j", "json put --json http://127.0.0.1/k --value 1",
            "json check http://127.0.0.1/j", "json remove --json http://127.0.0.1/j", "json size", "json clear",
            "completion bash", "completion zsh", "completion fish", "manual", "demo -o d.png", "demo --json -o d.png",
        ])
    func full(command: String) async throws {
        defer { tool.remove() }
        let outcome = try await tool.shell(
            "$T json put http://127.0.0.1/j -i a.json && exec $T \(command) > /dev/full")
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains("tintype: diskFull: standard output: cannot be written: No space left on device\n"),
            "\(outcome.errors)")
        #expect(tool.files().allSatisfy { !$0.hasPrefix(".tintype") })
    }

    @Test("a closed standard output is an error, and no file gets its descriptor")
    func closed() async throws {
        defer { tool.remove() }
        let outcome = try await tool.shell("exec $T get --json -o out/ a.png >&-")
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("tintype: ioFailed: standard output: "))
    }

    @Test("a full disk and the file size limit are errors, and no partial file remains")
    func files() async throws {
        defer { tool.remove() }
        let device = try await tool.run("convert", "a.png", "/dev/full", "--format", "png")
        #expect(device.status == 1)
        #expect(device.errors == "tintype: diskFull: /dev/full: cannot be written: No space left on device\n")
        #expect(try await tool.run("convert", "a.png", "/dev/null", "--format", "png").status == 0)
        let noise = try Bitmap(width: 300, height: 300) { bytes, _ in
            for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : .random(in: 0...255) }
        }
        try ImageCodecs.standard.encode(noise, as: .png).write(to: tool.folder.appendingPathComponent("big.png"))
        for command in [
            "convert big.png out.png", "get --no-disk-cache -o out/ big.png", "get --no-disk-cache -o out.png big.png",
            "get --no-disk-cache -o out/ --format png --resize 299x big.png",
        ] {
            let limited = try await tool.shell("ulimit -f 100; exec $T \(command)")
            #expect(limited.status == 1, "\(command)")
            #expect(limited.errors.hasPrefix("tintype: ioFailed: "), "\(limited.errors)")
            #expect(limited.errors.contains("File too large"))
        }
        let piped = try await tool.shell("ulimit -f 100; exec $T convert big.png - --format png > out.bin")
        #expect(piped.status == 1)
        #expect(tool.files() == ["a.json", "a.png", "big.png", "out", "out.bin"])
        #expect(tool.files("out").isEmpty)
    }
}
