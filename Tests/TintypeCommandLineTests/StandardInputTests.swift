import Foundation
import Testing

@Suite("Endless and huge input", .serialized)
struct StandardInputTests {
    let tool: Tool

    init() throws { tool = try Tool() }

    /// Address space for the tool: less than what comes in.
    private static let limit = "ulimit -v 3000000"

    @Test(
        "input that is not an image, a list or JSON is refused after its first bytes",
        arguments: [
            ("cat /dev/zero | $T convert - b.png", "unsupportedFormat"),
            ("yes | $T convert - b.png", "unsupportedFormat"),
            ("cat /dev/zero | $T info -", "unsupportedFormat"), ("cat /dev/zero | $T get -i -", "unsupportedFormat"),
            ("cat /dev/zero | $T json put http://h/", "corrupt"), ("yes | $T json put http://h/", "corrupt"),
            ("$T convert huge.png b.png", "unsupportedFormat"), ("$T json put http://h/ -i huge.png", "corrupt"),
        ])
    func endless(command: String, code: String) async throws {
        defer { tool.remove() }
        let outcome = try await tool.shell("truncate -s 20G huge.png; \(StandardInputTests.limit); \(command)")
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("tintype: \(code): "), "\(outcome.errors)")
    }

    @Test(
        "input with a valid beginning is read up to the limit",
        arguments: [
            "(cat a.png; cat /dev/zero) | $T convert - b.png", "(cat a.png; yes) | $T convert --max-bytes 1M - b.png",
            "(echo '['; yes 1,) | $T json put http://h/", "yes http://h/ | $T get -i -", "$T convert huge.png b.png",
        ])
    func limited(command: String) async throws {
        defer { tool.remove() }
        try Images.png().write(to: tool.folder.appendingPathComponent("a.png"))
        let outcome = try await tool.shell(
            "cp a.png huge.png; truncate -s 20G huge.png; \(StandardInputTests.limit); \(command)")
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("tintype: bodyTooLarge: "), "\(outcome.errors)")
    }
}
