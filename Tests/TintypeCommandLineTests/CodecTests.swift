import Foundation
import Testing
import Tintype

/// The messages of the tool about codecs, and that codec libraries write nothing to standard error.
@Suite struct CodecTests {
    /// The first bytes of a file in each format that is a trait.
    private static let starts: [(format: ImageFormat, bytes: [UInt8])] = [
        (.avif, [0, 0, 0, 16] + Array("ftypavif\0\0\0\0".utf8)),
        (.heic, [0, 0, 0, 16] + Array("ftypheic\0\0\0\0".utf8)),
        (.jxl, [0xFF, 0x0A, 0x7F, 0]), (.tiff, Array("II*\0\u{8}\0\0\0".utf8)),
        (.svg, Array("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'/>".utf8)),
    ]

    @Test("--version lists what this build reads and writes")
    func version() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let report = try #require(try await tool.run("--version", "--json").events.first)
        let all = ImageFormat.allCases
        #expect(
            report["decodes"] as? [String]
                == all.filter { ImageCodecs.standard.decoder(for: $0) != nil }.map(\.rawValue))
        #expect(
            report["encodes"] as? [String]
                == all.filter { ImageCodecs.standard.encoder(for: $0) != nil }.map(\.rawValue))
        let text = try await tool.run("--version").text
        #if AVIF
            #expect(text.contains(" avif"))
        #else
            #expect(!text.contains(" avif"))
        #endif
        #if SVG
            #expect(text.contains(" svg"))
        #else
            #expect(!text.contains(" svg"))
        #endif
    }

    @Test("A format without its codec fails with codecUnavailable, exit status 1 and one line")
    func absentCodecs() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        for (format, bytes) in Self.starts where ImageCodecs.standard.decoder(for: format) == nil {
            let name = "x.\(format.rawValue)"
            try Data(bytes).write(to: URL(fileURLWithPath: tool.path(name)))
            for arguments in [["info", name], ["convert", name, "out.png"], ["info", "--json", name]] {
                let outcome = try await tool.run(arguments)
                #expect(outcome.status == 1)
                if arguments.contains("--json") {
                    let failure = try #require(try outcome.events.first?["error"] as? [String: Any])
                    #expect(failure["code"] as? String == "codecUnavailable")
                } else {
                    #expect(outcome.errors.hasPrefix("tintype: codecUnavailable: "))
                    #expect(outcome.errors.contains(format.trait ?? "?"))
                    #expect(outcome.errors.split(separator: "\n").count == 1)
                }
            }
        }
        // Writing one fails with the same code.
        try Images.png().write(to: URL(fileURLWithPath: tool.path("a.png")))
        for format in [ImageFormat.avif, .jxl] where ImageCodecs.standard.encoder(for: format) == nil {
            let outcome = try await tool.run("convert", "a.png", "b.\(format.rawValue)")
            #expect(outcome.status == 1 && outcome.errors.hasPrefix("tintype: codecUnavailable: "))
        }
    }

    /// One good file in each format that can be made here.
    private static func samples() throws -> [(ImageFormat, Data)] {
        let bitmap = try Images.bitmap(96, 64, isOpaque: false)
        var samples: [(ImageFormat, Data)] = []
        for format in ImageFormat.allCases where ImageCodecs.standard.encoder(for: format) != nil {
            samples.append((format, try ImageCodecs.standard.encode(bitmap, as: format)))
        }
        #if HEIC
            let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("TintypeImagingTests/Fixtures")
            for name in ["blocks", "blocks-alpha-10bit"] {
                samples.append((.heic, try Data(contentsOf: fixtures.appendingPathComponent("\(name).heic"))))
            }
        #endif
        #if TIFF
            samples.append((.tiff, tiff))
        #endif
        #if SVG
            let drawing =
                "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'><style>rect{fill:red;mask:url(#no)}</style>"
                + "<filter id='f'><feGaussianBlur stdDeviation='2'/></filter><rect width='9' height='9' filter='url(#f)'/>"
                + "<image href='data:image/png;base64,\(try Images.png().base64EncodedString())' width='9' height='9'/>"
                + "<text y='20' font-family='none such'>a</text><path d='M0 0L9 9Z'/></svg>"
            samples.append((.svg, Data(drawing.utf8)))
        #endif
        return samples
    }

    /// 16 by 16 grey pixels, LZW, in two strips of which the second one is damaged.
    private static var tiff: Data {
        var bytes: [UInt8] = Array("II*\0".utf8) + [8, 0, 0, 0]
        let tags: [(Int, Int, Int)] = [
            (256, 3, 16), (257, 3, 16), (258, 3, 8), (259, 3, 5), (262, 3, 1), (273, 4, 200), (277, 3, 1), (278, 3, 16),
            (279, 4, 40), (34665, 4, 9), (65000, 7, 3),
        ]
        bytes += [UInt8(tags.count), 0]
        for (tag, type, value) in tags {
            bytes += [UInt8(tag & 255), UInt8(tag >> 8), UInt8(type), 0, 1, 0, 0, 0]
            bytes += (0..<4).map { UInt8(value >> ($0 * 8) & 255) }
        }
        bytes += [UInt8](repeating: 0, count: 240 - bytes.count)
        for index in 200..<240 { bytes[index] = UInt8(index &* 37 & 255) }
        return Data(bytes)
    }

    @Test("Damaged images of every format print one line of the tool and none of the libraries")
    func librariesAreSilent() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        var random = SystemRandomNumberGenerator()
        for (format, data) in try Self.samples() {
            for round in 0..<6 {
                var damaged = data
                if round < 2 {
                    damaged = data.prefix(data.count * (round + 1) / 3)
                } else {
                    for _ in 0..<(round * 3) {
                        damaged[Int.random(in: 12..<data.count, using: &random)] = UInt8.random(
                            in: 0...255, using: &random)
                    }
                }
                let name = "damaged.\(format.fileExtension)"
                try damaged.write(to: URL(fileURLWithPath: tool.path(name)))
                for flags in [[], ["--lenient"]] {
                    let outcome = try await tool.run(["convert"] + flags + [name, "out.png"])
                    let lines = outcome.errors.split(separator: "\n")
                    let isQuiet = lines.allSatisfy { $0.hasPrefix("tintype: ") }
                    #expect(isQuiet, "\(format) \(damaged.base64EncodedString()): \(outcome.errors)")
                    #expect([0, 1].contains(outcome.status))
                }
            }
        }
    }
}
