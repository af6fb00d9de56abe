import Foundation
import Testing

/// Checks that the documentation shows code that compiles: every Swift sample of the README, of the DocC catalogues and of
/// the listed doc comments is repeated in a file of this target (`…Samples.swift`), or of the tests of `GTK/` if it needs GTK.
@Suite("Code samples")
struct SampleTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func read(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Paths from the root of all files below a folder whose names end like this.
    static func files(in folder: String, ending: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
        return (all?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(ending) && !$0.hasPrefix(".build") }
            .map { folder + "/" + $0 }.sorted()
    }

    /// The README and every page of the catalogues.
    static var pages: [String] {
        ["README.md"] + files(in: "Sources", ending: ".md") + files(in: "GTK/Sources", ending: ".md")
    }

    /// Without indentation, blank lines and import lines, and with single spaces.
    static func normalized(_ lines: some Sequence<Substring>) -> [String] {
        lines.map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty && !$0.hasPrefix("import ") }
    }

    /// The code blocks of a page that are marked as Swift.
    static func blocks(markdown: String) -> [[String]] {
        markdown.components(separatedBy: "```swift\n").dropFirst().map {
            normalized($0.components(separatedBy: "\n```")[0].split(separator: "\n"))
        }
    }

    /// The indented blocks of doc comments, after an empty line as Markdown wants it, and those between fences.
    static func blocks(source: String) -> [[String]] {
        var blocks: [[Substring]] = []
        var isFenced = false
        var isOpen = false
        var previous: Substring = ""
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            let isIndented = text.hasPrefix("///     ") && (isOpen || previous == "///")
            if text.hasPrefix("/// ```") {
                isFenced = text == "/// ```swift"
                if isFenced { blocks.append([]) }
            } else if isFenced, text.hasPrefix("///") {
                blocks[blocks.count - 1].append(text.dropFirst(3))
            } else if isIndented {
                if !isOpen { blocks.append([]) }
                blocks[blocks.count - 1].append(text.dropFirst(8))
            }
            isOpen = isIndented
            previous = text
        }
        return blocks.map { normalized($0) }
    }

    struct Sample {
        let file: String
        let number: Int
        let lines: [String]
    }

    static func samples() throws -> [Sample] {
        let paths =
            files(in: "Tests/DocumentationTests", ending: "Samples.swift")
            + files(in: "GTK/Tests", ending: "Samples.swift")
        return try paths.flatMap { path in
            try read(path).components(separatedBy: "// SAMPLE ").dropFirst().map { part in
                let lines = part.split(separator: "\n")
                let words = lines[0].split(separator: " ")
                return Sample(
                    file: String(words[0]), number: Int(words[1]) ?? 0,
                    lines: normalized(lines.dropFirst().prefix { !$0.contains("// END") }))
            }
        }
    }

    @Test("each sample that compiles is what the page prints")
    func printed() throws {
        let samples = try Self.samples()
        #expect(samples.count > 40)
        for sample in samples {
            let text = try Self.read(sample.file)
            let blocks = sample.file.hasSuffix(".md") ? Self.blocks(markdown: text) : Self.blocks(source: text)
            let block = blocks.indices.contains(sample.number - 1) ? blocks[sample.number - 1] : []
            #expect(block == sample.lines, "\(sample.file) \(sample.number)")
        }
    }

    @Test("no page prints Swift that does not compile", arguments: pages)
    func complete(_ page: String) throws {
        let known = try Self.samples().filter { $0.file == page }.map(\.lines)
        for (index, block) in Self.blocks(markdown: try Self.read(page)).enumerated() {
            #expect(known.contains(block), "\(page), block \(index + 1)")
        }
    }

    @Test("no doc comment of the libraries prints Swift that does not compile")
    func comments() throws {
        let known = Dictionary(grouping: try Self.samples(), by: \.file).mapValues { $0.map(\.lines) }
        for layer in ["Tintype", "TintypeImaging", "TintypeCaching", "TintypeNetworking"] {
            for file in Self.files(in: "Sources/" + layer, ending: ".swift") {
                for block in Self.blocks(source: try Self.read(file)) {
                    #expect(known[file, default: []].contains(block), "\(file): \(block)")
                }
            }
        }
    }

    @Test("every page of a catalogue can be reached, and every file that a page names is there")
    func links() throws {
        let pages = Self.files(in: "Sources", ending: ".md").filter { $0.contains(".docc/") }
        #expect(pages.count > 12)
        let texts = try pages.map { try Self.read($0) }
        for page in pages {
            let name = String(page.split(separator: "/").last?.dropLast(3) ?? "")
            let isFront = page.contains("/\(name).docc/")
            #expect(isFront || texts.contains { $0.contains("<doc:\(name)>") }, "\(page)")
        }
        for page in Self.pages + ["CONTRIBUTING.md", "Examples/README.md"] {
            for word in try Self.read(page).split(separator: "`")
            where word.hasPrefix("scripts/") || word.hasPrefix("Documentation/") {
                let path = String(word.prefix { $0 != " " && $0 != "\n" })
                guard path != "Documentation/benchmarks.md" else { continue }  // made by `make bench`
                #expect(
                    FileManager.default.fileExists(atPath: Self.root.appendingPathComponent(path).path),
                    "\(page): \(path)")
            }
        }
    }
}
