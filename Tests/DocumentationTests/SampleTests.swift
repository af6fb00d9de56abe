import Foundation
import Testing

/// The papers show code that compiles: every Swift sample of the README, and the samples of doc comments that are listed
/// in `Samples.swift`, stand there word for word.
@Suite("Code samples")
struct SampleTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func read(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Without indentation, blank lines and import lines, and with single spaces.
    static func normalized(_ lines: some Sequence<Substring>) -> [String] {
        lines.map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty && !$0.hasPrefix("import ") }
    }

    /// The code blocks of a paper that are marked as Swift.
    static func blocks(markdown: String) -> [[String]] {
        markdown.components(separatedBy: "```swift\n").dropFirst().map {
            normalized($0.components(separatedBy: "\n```")[0].split(separator: "\n"))
        }
    }

    /// The indented blocks of doc comments.
    static func blocks(source: String) -> [[String]] {
        var blocks: [[Substring]] = [[]]
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("///     ") {
                blocks[blocks.count - 1].append(text.dropFirst(8))
            } else if !blocks[blocks.count - 1].isEmpty {
                blocks.append([])
            }
        }
        return blocks.filter { !$0.isEmpty }.map { normalized($0) }
    }

    static func samples() throws -> [(file: String, number: Int, lines: [String])] {
        try read("Tests/DocumentationTests/Samples.swift").components(separatedBy: "// SAMPLE ").dropFirst().map {
            part in
            let lines = part.split(separator: "\n")
            let words = lines[0].split(separator: " ")
            return (
                String(words[0]), Int(words[1]) ?? 0, normalized(lines.dropFirst().prefix { !$0.contains("// END") })
            )
        }
    }

    @Test("each sample that compiles is what the paper prints")
    func printed() throws {
        for sample in try Self.samples() {
            let text = try Self.read(sample.file)
            let blocks = sample.file.hasSuffix(".md") ? Self.blocks(markdown: text) : Self.blocks(source: text)
            #expect(
                blocks.indices.contains(sample.number - 1) && blocks[sample.number - 1] == sample.lines,
                "\(sample.file)")
        }
    }

    @Test("the README prints no Swift that does not compile")
    func complete() throws {
        let known = try Self.samples().filter { $0.file == "README.md" }.map(\.lines)
        for block in Self.blocks(markdown: try Self.read("README.md")) { #expect(known.contains(block)) }
    }
}
