import Foundation
import TestOrigin
import Testing

/// What a person at a terminal sees while the tool works.
@Suite("On a terminal", .serialized)
struct ScreenTests {
    let tool: Tool
    let origin: TestOrigin

    init() throws {
        tool = try Tool()
        origin = try TestOrigin()
        let png = try Images.png()
        origin.onEverythingElse { request in
            request.path == "/404" ? .status(404) : .ok(png, type: "image/png").delayed(0.05)
        }
    }

    private func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> (Int32, String) {
        let (status, screen) = try await PseudoTerminal(
            Tool.binary.path, arguments, folder: tool.folder, environment: environment
        ).end()
        return (status, screen)
    }

    @Test("get shows a bar with count, rate and remaining time, and removes it at the end")
    func bar() async throws {
        defer { tool.remove() }
        let urls = (0..<30).map { origin.url("/\($0).png") }
        let (status, screen) = try await run(["get", "--no-disk-cache", "--concurrency", "1"] + urls)
        #expect(status == 0)
        #expect(screen.contains("/30  "))
        #expect(screen.contains(#/\[█+[▏▎▍▌▋▊▉]? *\] \d+\/30  [0-9.]+ K?B  [0-9.]+ K?B/s  ETA [0-9.]+ m?s/#))
        #expect(screen.contains("30 loaded (0 memory, 0 disk, 30 network)"))
        let afterBar = try #require(screen.components(separatedBy: "\r\u{1B}[K").last)
        #expect(!afterBar.contains("█"))
        #expect(screen.split(separator: "\r").allSatisfy { $0.count <= 200 })
    }

    @Test("prefetch shows a bar")
    func prefetch() async throws {
        defer { tool.remove() }
        let urls = (0..<20).map { origin.url("/\($0).png") }
        let (status, screen) = try await run(["prefetch", "--concurrency", "1"] + urls)
        #expect(status == 0)
        #expect(screen.contains("█"))
        #expect(screen.contains(#/\d+\/20  [0-9.]+ K?B  [0-9.]+ K?B/s  ETA [0-9.]+ m?s/#))
        #expect(screen.hasSuffix("20 loaded, 0 failed, 0 skipped\r\n"))
    }

    @Test("a dumb terminal gets no bar and no colours")
    func dumb() async throws {
        defer { tool.remove() }
        let urls = ["/1.png", "/2.png", "/404"].map { origin.url($0) }
        let (status, screen) = try await run(["get", "--show"] + urls, ["TERM": "dumb"])
        #expect(status == 1)
        #expect(!screen.contains("\u{1B}") && !screen.contains("█"))
        #expect(screen.contains("tintype: badStatus: "))
    }

    @Test("errors are red unless NO_COLOR is set", arguments: [(nil, true), ("", true), ("1", false), ("0", false)])
    func colours(_ variable: String?, _ isRed: Bool) async throws {
        defer { tool.remove() }
        let (status, screen) = try await run(
            ["get", origin.url("/404")], variable.map { ["NO_COLOR": $0] } ?? [:])
        #expect(status == 1)
        #expect(screen.contains("\u{1B}[31mtintype:\u{1B}[0m badStatus: ") == isRed)
        #expect(screen.contains("\u{1B}[31m") == isRed)
        #expect(screen.contains("badStatus: "))
    }

    @Test("Ctrl-C exits with 130, removes the bar, and leaves no partial file")
    func interrupt() async throws {
        defer { tool.remove() }
        let stalled = try Images.png()
        origin.on("/stall.png", .stalled(stalled, after: 60))
        let terminal = try PseudoTerminal(
            Tool.binary.path, ["get", "-o", "out/", origin.url("/1.png"), origin.url("/stall.png")], folder: tool.folder
        )
        #expect(await origin.wait { $0.count(of: "/stall.png") == 1 })
        #expect(try await terminal.wait { $0.contains("out/1.png") })
        terminal.type("\u{3}")
        let (status, screen) = try await terminal.end()
        #expect(status == 130, "\(screen)")
        #expect(tool.files("out") == ["1.png"])
        #expect(screen.contains("cancelled"))
    }
}
