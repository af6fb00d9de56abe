import Foundation
import Tintype

/// What the head of an HTML page says about itself. A real service wants a real parser; this reads what most pages have.
struct Page {
    let title: String
    /// Absolute.
    let image: WebURL

    struct NoImage: Error {}

    init(html: String, base: WebURL) throws {
        var facts: [String: String] = [:]
        for tag in html.split(separator: "<") where tag.lowercased().hasPrefix("meta") {
            let attributes = Page.attributes(of: tag.prefix { $0 != ">" })
            if let name = attributes["property"] ?? attributes["name"], let content = attributes["content"] {
                facts[name.lowercased()] = facts[name.lowercased()] ?? content
            }
        }
        guard let reference = facts["og:image"] ?? facts["twitter:image"] else { throw NoImage() }
        // Throws for javascript: and the like.
        image = try base.resolving(reference)
        title = facts["og:title"] ?? Page.title(in: html) ?? base.host
    }

    private static func title(in html: String) -> String? {
        guard let start = html.range(of: "<title>", options: .caseInsensitive) else { return nil }
        let text = html[start.upperBound...].prefix { $0 != "<" }
        return text.isEmpty ? nil : plain(String(text))
    }

    /// `name="value"` and `name='value'`.
    private static func attributes(of tag: Substring) -> [String: String] {
        var result: [String: String] = [:]
        var rest = tag
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].split(whereSeparator: \.isWhitespace).last ?? ""
            rest = rest[rest.index(after: equals)...].drop(while: \.isWhitespace)
            guard let quote = rest.first, quote == "\"" || quote == "'" else { continue }
            rest.removeFirst()
            result[name.lowercased()] = plain(String(rest.prefix { $0 != quote }))
            rest = rest.drop { $0 != quote }.dropFirst()
        }
        return result
    }

    private static func plain(_ text: String) -> String {
        [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
            .reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
