import Foundation
import Testing
import Tintype

@testable import TintypeCommandLine

/// What `--show` writes, read back to pixels as a terminal reads it.
@Suite("Images in a terminal")
struct TerminalImageTests {
    static let codecs = ImageCodecs.standard

    private func shown(_ bitmap: Bitmap, _ graphics: Terminal.Graphics, _ size: Terminal.Size? = nil) throws -> String {
        try TerminalImage.text(
            bitmap, graphics: graphics, on: size ?? .init(columns: 200, rows: 60), codecs: Self.codecs)
    }

    private func expectSame(_ bitmap: Bitmap, _ other: Bitmap) {
        #expect(bitmap.size == other.size)
        guard bitmap.size == other.size else { return }
        for y in 0..<bitmap.height {
            for x in 0..<bitmap.width where bitmap[x: x, y: y] != other[x: x, y: y] {
                Issue.record("pixel \(x),\(y) is \(other[x: x, y: y]) and not \(bitmap[x: x, y: y])")
                return
            }
        }
    }

    // MARK: Readers

    /// The file in the pieces of the kitty protocol, with the rules that the protocol has for them.
    static func kittyFile(_ text: String) throws -> Data {
        let pieces = text.components(separatedBy: "\u{1B}_G").dropFirst()
        var base64 = ""
        for (index, piece) in pieces.enumerated() {
            let body = try #require(piece.components(separatedBy: "\u{1B}\\").first)
            let parts = body.split(separator: ";", omittingEmptySubsequences: false)
            try #require(parts.count == 2)
            var keys: [String: String] = [:]
            for pair in parts[0].split(separator: ",") {
                let sides = pair.split(separator: "=")
                try #require(sides.count == 2)
                keys[String(sides[0])] = String(sides[1])
            }
            let isLast = index == pieces.count - 1
            #expect(keys["m"] == (isLast ? "0" : "1"))
            #expect(parts[1].utf8.count <= 4096)
            #expect(isLast || parts[1].utf8.count % 4 == 0, "each piece must be decodable by itself")
            if index == 0 {
                #expect(keys["a"] == "T" && keys["f"] == "100", "show a PNG")
            } else {
                #expect(Set(keys.keys) == ["m"], "only the first piece has keys")
            }
            base64 += parts[1]
        }
        return try #require(Data(base64Encoded: base64))
    }

    /// The file of an OSC 1337.
    static func itermFile(_ text: String) throws -> Data {
        let start = try #require(text.range(of: "\u{1B}]1337;File="))
        let end = try #require(text.range(of: "\u{7}"))
        let parts = text[start.upperBound..<end.lowerBound].split(separator: ":", omittingEmptySubsequences: false)
        try #require(parts.count == 2)
        let keys = parts[0].split(separator: ";").map(String.init)
        let file = try #require(Data(base64Encoded: String(parts[1])))
        #expect(keys.contains("inline=1"))
        #expect(keys.contains("size=\(file.count)"))
        return file
    }

    // MARK: Formats

    @Test("kitty: the chunks are a PNG with the same pixels and alpha")
    func kitty() throws {
        let bitmap = try Images.bitmap(300, 200, blue: 90, isOpaque: false)
        let text = try shown(bitmap, .kitty)
        #expect(text.components(separatedBy: "\u{1B}_G").count > 2, "the image is large enough for several pieces")
        expectSame(bitmap, try Self.codecs.decode(try Self.kittyFile(text)).bitmap)
    }

    @Test("iTerm2: one OSC 1337 with a PNG of the same pixels")
    func iterm() throws {
        let bitmap = try Images.bitmap(120, 80, blue: 200, isOpaque: false)
        let text = try shown(bitmap, .iterm)
        #expect(text.hasPrefix("\u{1B}]1337;File=") && text.hasSuffix("\u{7}\n"))
        expectSame(bitmap, try Self.codecs.decode(try Self.itermFile(text)).bitmap)
    }

    private func bitmap(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> [UInt8]) throws -> Bitmap {
        try Bitmap(width: width, height: height) { bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let color = pixel(x, y)
                    for channel in 0..<4 { bytes[y * bytesPerRow + x * 4 + channel] = color[channel] }
                }
            }
        }
    }

    @Test(
        "sixel: colours of the palette are exact, transparent pixels are left out", arguments: [1, 5, 6, 7, 13])
    func sixel(height: Int) throws {
        let image = try bitmap(23, height) { x, y in
            (x + y) % 7 == 0
                ? [0, 0, 0, 0] : [UInt8(x % 6) * 51, UInt8(y % 6) * 51, UInt8((x / 6 + y) % 6) * 51, 255]
        }
        let decoded = try SixelImage(try shown(image, .sixel))
        #expect(decoded.size == image.size)
        for y in 0..<height {
            for x in 0..<23 {
                let pixel = image[x: x, y: y]
                let wanted = pixel.alpha == 0 ? nil : [pixel.red, pixel.green, pixel.blue]
                #expect(decoded[x: x, y: y] == wanted, "\(x),\(y)")
            }
        }
    }

    @Test("sixel: other colours are right on average")
    func dithering() throws {
        let image = try bitmap(48, 48) { _, _ in [100, 27, 230, 255] }
        let decoded = try SixelImage(try shown(image, .sixel))
        for (channel, wanted) in [100.0, 27, 230].enumerated() {
            var sum = 0.0
            for y in 0..<48 { for x in 0..<48 { sum += Double(try #require(decoded[x: x, y: y])[channel]) } }
            #expect(abs(sum / 2304 - wanted) < 4, "channel \(channel): \(sum / 2304)")
        }
    }

    static let sixelReader = "/usr/bin/sixel2png"

    @Test(
        "sixel: libsixel decodes the same image",
        .enabled(if: FileManager.default.isExecutableFile(atPath: sixelReader)))
    func libsixel() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let image = try bitmap(31, 20) { x, y in [UInt8(x % 6) * 51, UInt8(y % 6) * 51, 255, 255] }
        try Data(try shown(image, .sixel).utf8).write(to: tool.folder.appendingPathComponent("a.six"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.sixelReader)
        process.arguments = ["-i", tool.path("a.six"), "-o", tool.path("a.png")]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let decoded = try Self.codecs.decode(try Data(contentsOf: tool.folder.appendingPathComponent("a.png"))).bitmap
        #expect(decoded.size == image.size)
        for y in 0..<20 { for x in 0..<31 { #expect(decoded[x: x, y: y] == image[x: x, y: y], "\(x),\(y)") } }
    }

    @Test("half blocks: every pixel has its colour")
    func blocks() throws {
        let image = try bitmap(9, 7) { x, y in
            (x * y) % 5 == 4 ? [0, 0, 0, 0] : [UInt8(x * 25), UInt8(y * 30), UInt8((x ^ y) * 9), 255]
        }
        let lines = try shown(image, .blocks).split(separator: "\n", omittingEmptySubsequences: true)
        #expect(lines.count == 4)
        for (line, text) in lines.enumerated() {
            var (front, back): ([UInt8]?, [UInt8]?) = (nil, nil)
            var rest = text[...]
            var x = 0
            while let character = rest.popFirst() {
                guard character == "\u{1B}" else {
                    let (upper, lower) =
                        character == "▀" ? (front, back) : character == "▄" ? (back, front) : (back, back)
                    for (y, color) in [(line * 2, upper), (line * 2 + 1, lower)] where y < 7 {
                        let pixel = image[x: x, y: y]
                        #expect(color == (pixel.alpha == 0 ? nil : [pixel.red, pixel.green, pixel.blue]), "\(x),\(y)")
                    }
                    x += 1
                    continue
                }
                let end = try #require(rest.firstIndex(of: "m"))
                var numbers = rest[..<end].dropFirst().split(separator: ";").compactMap { Int($0) }[...]
                rest = rest[rest.index(after: end)...]
                while let number = numbers.popFirst() {
                    if number == 0 { (front, back) = (nil, nil) }
                    guard number == 38 || number == 48 else { continue }
                    let color = numbers.dropFirst().prefix(3).map { UInt8($0) }
                    numbers = numbers.dropFirst(4)
                    if number == 38 { front = color } else { back = color }
                }
            }
            #expect(x == 9)
            #expect(front == nil && back == nil, "no colour runs on into the next line")
        }
    }

    @Test("images fit the window by the size of its cells, and are never enlarged")
    func fits() throws {
        let large = try Images.bitmap(600, 200)
        let told = Terminal.Size(columns: 20, rows: 12, width: 200, height: 240)
        let silent = Terminal.Size(columns: 20, rows: 12)
        for (graphics, size, wanted) in [
            (Terminal.Graphics.kitty, told, PixelSize(width: 200, height: 67)),
            (.iterm, told, PixelSize(width: 200, height: 67)),
            (.kitty, silent, PixelSize(width: 160, height: 53)),
        ] {
            let text = try shown(large, graphics, size)
            let file = try graphics == .kitty ? Self.kittyFile(text) : Self.itermFile(text)
            #expect(try Self.codecs.decode(file).bitmap.size == wanted)
        }
        let sixel = try SixelImage(try shown(large, .sixel, silent))
        #expect(sixel.size == PixelSize(width: 160, height: 53))
        #expect(try shown(large, .blocks, silent).split(separator: "\n").count == 4)
        let tall = try SixelImage(try shown(try Images.bitmap(10, 600), .sixel, silent))
        #expect(tall.height == 8 * 16)
        let small = try SixelImage(try shown(try Images.bitmap(8, 4), .sixel, told))
        #expect(small.size == PixelSize(width: 8, height: 4))
    }

    // MARK: Which one

    @Test(
        "environment variables choose the protocol",
        arguments: [
            (["TERM": "xterm-kitty"], Terminal.Guess.known(.kitty)), (["TERM": "xterm-ghostty"], .known(.kitty)),
            (["TERM": "xterm-256color", "KITTY_WINDOW_ID": "3"], .known(.kitty)),
            (["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], .known(.iterm)),
            (["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], .known(.iterm)),
            (["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"], .known(.blocks)),
            (["TERM": "tmux-256color", "TERM_PROGRAM": "iTerm.app"], .known(.blocks)),
            (["TERM": "screen.xterm-256color"], .known(.blocks)),
            (["TERM": "xterm-kitty", "TMUX": "/tmp/tmux-0/default,1,0"], .known(.blocks)),
            (["TERM": "linux"], .known(.blocks)), (["TERM": "dumb"], .nothing), ([:], .nothing),
            (["TERM": "xterm-256color"], .unknown), (["TERM": "foot"], .unknown),
        ])
    func guesses(_ variables: [String: String], _ wanted: Terminal.Guess) {
        #expect(Terminal.guess { variables[$0] } == wanted)
    }

    @Test(
        "the replies of terminals are parsed",
        arguments: [
            ("", nil), ("\u{1B}[?62;", nil), ("\u{1B}_Gi=31;OK\u{1B}\\", nil),
            ("\u{1B}[?62;c", Terminal.Graphics.blocks), ("\u{1B}[?1;2c", .blocks),
            ("\u{1B}[?62;4;6;22c", .sixel), ("\u{1B}[?4c", .blocks), ("\u{1B}[?64;14;44c", .blocks),
            ("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;c", .kitty), ("\u{1B}_Gi=31;ENOTSUP:c\u{1B}\\\u{1B}[?62;4c", .sixel),
            ("typed ahead\u{1B}[?62;4c", .sixel),
        ])
    func replies(_ reply: String, _ wanted: Terminal.Graphics?) {
        #expect(TerminalQuery.graphics(reply: reply) == wanted)
    }

    @Test(
        "the terminal is queried, the image drawn as it replies, and the terminal settings restored",
        arguments: [
            ("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;c", "\u{1B}_Ga=T"), ("\u{1B}[?62;4c", "\u{1B}P0;1;0q"),
            ("\u{1B}[?62;c", "▀"), (nil, "▀"),
        ])
    func terminal(_ reply: String?, _ wanted: String) async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try Images.png().write(to: tool.folder.appendingPathComponent("a.png"))
        let terminal = try PseudoTerminal(
            Tool.binary.path, ["get", "--show", "./a.png"], folder: tool.folder
        ) { $0.contains("\u{1B}[c") ? reply : nil }
        let (status, screen) = try await terminal.end()
        #expect(status == 0, "\(screen)")
        #expect(screen.contains(TerminalQuery.question))
        #expect(screen.contains(wanted))
        #expect(!screen.contains("?62"), "the reply is not echoed")
        #expect(terminal.isCooked)
    }
}
