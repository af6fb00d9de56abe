import Foundation
import TestOrigin
import Testing
import Tintype

@Suite("tintype info and convert")
struct ConvertCommandTests {
    let tool: Tool

    init() throws { tool = try Tool() }

    private func write(_ data: Data, _ name: String) throws {
        try data.write(to: tool.folder.appendingPathComponent(name))
    }

    private func bitmap(_ name: String) throws -> Bitmap {
        try ImageCodecs.standard.decode(Data(contentsOf: tool.folder.appendingPathComponent(name))).bitmap
    }

    @Test("info prints the same object for a path, standard input, file: and data:")
    func info() async throws {
        defer { tool.remove() }
        let png = try Images.png()
        try write(png, "a b.png")
        let sources = [
            "a b.png", "-", "file://" + tool.path("a%20b.png"), "data:image/png;base64," + png.base64EncodedString(),
        ]
        let outcome = try await tool.run(["info", "--json"] + sources, input: png)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let objects = try outcome.events
        #expect(objects.map { $0["source"] as? String } == sources)
        for object in objects {
            let keys: Set<String> = [
                "source", "format", "mimeType", "width", "height", "storedWidth", "storedHeight", "orientation",
                "bitDepth",
                "hasAlpha", "colorSpace", "frameCount", "loopCount", "frames", "byteCount",
            ]
            #expect(Set(object.keys) == keys)
            #expect(object["format"] as? String == "png")
            #expect([object["width"] as? Int, object["height"] as? Int] == [40, 20])
            #expect(object["byteCount"] as? Int == png.count)
            #expect(object["loopCount"] is NSNull)
            #expect((object["frames"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("info prints failures as objects with code and message, continues, and exits with 1")
    func failures() async throws {
        defer { tool.remove() }
        try write(try Images.png(), "good.png")
        try write(Data("hello".utf8), "text.png")
        try write(Data(), "empty.png")
        let sources = ["none.png", "text.png", "empty.png", ".", "gopher://x/y", "good.png"]
        let outcome = try await tool.run(["info", "--json"] + sources)
        #expect(outcome.status == 1)
        let codes = try outcome.events.map { ($0["error"] as? [String: Any])?["code"] as? String }
        #expect(codes == ["ioFailed", "unsupportedFormat", "emptyBody", "ioFailed", "unsupportedScheme", nil])
        #expect(outcome.errors.split(separator: "\n").count == 5)
        #expect(try await tool.run("info").status == 2)
    }

    // Scenario S03.
    @Test("info of a web image loads only its header")
    func remote() async throws {
        defer { tool.remove() }
        let origin = try TestOrigin()
        var body = try Images.jpeg(64, 48)
        body.append(Data(count: 8 << 20))
        origin.on("/big.jpg", .stalled(body, after: 100_000))
        let outcome = try await tool.run("info", "--json", origin.url("/big.jpg"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.events.first?["width"] as? Int == 64)
        #expect(try outcome.events.first?["byteCount"] as? Int == body.count)
    }

    @Test("convert resizes by every fit, chooses the format by extension, and keeps pixels")
    func convert() async throws {
        defer { tool.remove() }
        try write(try Images.png(40, 20), "a.png")
        for (arguments, size) in [
            (["--resize", "20x"], PixelSize(width: 20, height: 10)),
            (["--resize", "x5"], PixelSize(width: 10, height: 5)),
            (["--resize", "10x10"], PixelSize(width: 10, height: 5)),
            (["--resize", "10x10", "--fit", "cover"], PixelSize(width: 10, height: 10)),
            (["--resize", "10x10", "--fit", "fill"], PixelSize(width: 10, height: 10)),
            (["--resize", "80x80", "--no-upscale"], PixelSize(width: 40, height: 20)),
            (["--crop", "5,5,10,8"], PixelSize(width: 10, height: 8)),
            (["--crop", "0,0,20,20", "--resize", "6x6"], PixelSize(width: 6, height: 6)),
            (["--resize", "20x10", "--crop", "0,0,4,4"], PixelSize(width: 4, height: 4)),
            (["--circle"], PixelSize(width: 20, height: 20)), (["--blur", "2"], PixelSize(width: 40, height: 20)),
        ] {
            let outcome = try await tool.run(["convert", "a.png", "b.png"] + arguments)
            #expect(outcome.status == 0, "\(arguments) \(outcome.errors)")
            #expect(try bitmap("b.png").size == size, "\(arguments)")
        }
        #expect(try await tool.run("convert", "a.png", "c.png").status == 0)
        let (before, after) = (try Images.bitmap(40, 20), try bitmap("c.png"))
        #expect(after[x: 39, y: 19] == before[x: 39, y: 19])
        #expect(after[x: 7, y: 3] == before[x: 7, y: 3])
        #expect(try await tool.run("convert", "a.png", "d.JPG").status == 0)
        #expect(ImageFormat.sniff(try Data(contentsOf: tool.folder.appendingPathComponent("d.JPG"))) == .jpeg)
        let piped = try await tool.run("convert", "-", "-", "--format", "jpeg", input: try Images.png())
        #expect(ImageFormat.sniff(piped.output) == .jpeg)
    }

    @Test("a failed conversion does not change the output file")
    func untouched() async throws {
        defer { tool.remove() }
        try write(Data("precious".utf8), "out.png")
        try write(try Images.png().prefix(60), "cut.png")
        try write(try Images.png(), "good.png")
        let cut = try await tool.run("convert", "--json", "cut.png", "out.png")
        #expect(cut.status == 1)
        #expect(((try cut.events.first?["error"] as? [String: Any])?["code"] as? String) == "truncated")
        #expect(try await tool.run("convert", "--max-pixels", "10", "good.png", "out.png").status == 1)
        #expect(try await tool.run("convert", "--frame", "3", "good.png", "out.png").status == 1)
        #expect(try await tool.run("convert", "--crop", "100,100,5,5", "good.png", "out.png").status == 1)
        #expect(try String(contentsOfFile: tool.path("out.png"), encoding: .utf8) == "precious")
        #expect(try await tool.run("convert", "good.png", "no/such/folder.png").status == 1)
        #expect(try await tool.run("convert", "good.png", "x.svg").status == 1)
        for bad in [
            ["good.png"], [], ["good.png", "a.xyz"], ["good.png", "a.png", "b.png"], ["--fit", "x", "a", "b.png"],
        ] {
            #expect(try await tool.run(["convert"] + bad).status == 2, "\(bad)")
        }
        #expect(tool.files() == ["cut.png", "good.png", "out.png"])
    }
}
