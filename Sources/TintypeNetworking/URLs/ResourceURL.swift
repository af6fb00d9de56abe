import TintypeBase

/// The source of an image: an http(s), `data:` or `file:` URL, or a path.
package enum ResourceURL: Sendable {
    case web(WebURL)
    /// The text of a `data:` URL; ``DataURL/decode(_:)`` gives its bytes.
    case data(DataURL)
    /// An absolute path of the file system. Bytes that are not UTF-8 are kept as private-use characters.
    case file(path: String)

    /// Reads a URL or a path. Text without a scheme is a path, which is relative to the working directory.
    ///
    /// - Throws: ``NetworkingError/invalidURL(url:reason:)``, or ``NetworkingError/unsupportedScheme(scheme:url:)`` for
    ///   every scheme but http, https, file and data.
    package init(_ text: String) throws(NetworkingError) {
        if let plain = WebURL(plain: text) {
            self = .web(plain)
            return
        }
        let cleaned = WebURL.cleaned(text)
        guard !cleaned.isEmpty else { throw .invalidURL(url: text, reason: "it is empty") }
        guard let (scheme, rest) = WebURL.splitScheme(cleaned), !Self.isPath(text) else {
            self = .file(path: Self.absolutePath(text))
            return
        }
        switch asciiLowercased(scheme) {
        case "http", "https": self = .web(try WebURL(text))
        case "data": self = .data(DataURL(rest: String(rest)))
        case "file": self = .file(path: try Self.path(ofFileURL: rest, original: text))
        default: throw .unsupportedScheme(scheme: asciiLowercased(scheme), url: shortened(text))
        }
    }

    private static func isPath(_ text: String) -> Bool {
        text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../")
    }

    /// One text for all spellings that are one resource. A `data:` URL is as long as its content: hash it.
    package var cacheKey: String {
        switch self {
        case .web(let url): url.cacheKey
        case .data(let url): url.absoluteString
        case .file(let path):
            "file://"
                + PercentCoding.encodingOnce(
                    path.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25"),
                    where: PercentCoding.isPathByte)
        }
    }

    /// The text for messages and logs: `data:` URLs are shortened, passwords left out.
    package var logDescription: String {
        switch self {
        case .web(let url): shortened(url.absoluteString)
        case .data(let url): url.description
        case .file(let path): path
        }
    }

    private static func path(ofFileURL rest: Substring, original: String) throws(NetworkingError) -> String {
        var text = rest
        if text.hasPrefix("//") {
            let authorityAndPath = text.dropFirst(2)
            let slash = authorityAndPath.utf8.firstIndex(of: 47) ?? authorityAndPath.endIndex
            let host = authorityAndPath[..<slash]
            guard host.isEmpty || asciiLowercased(host) == "localhost" else {
                throw .invalidURL(url: shortened(original), reason: "a file URL cannot name the host \"\(host)\"")
            }
            text = authorityAndPath[slash...]
        }
        text = text[..<(text.utf8.firstIndex { $0 == 35 || $0 == 63 } ?? text.endIndex)]
        let bytes = PercentCoding.decodedBytes(text)
        guard !bytes.isEmpty else { throw .invalidURL(url: shortened(original), reason: "the path is missing") }
        guard !bytes.contains(0) else {
            throw .invalidURL(url: shortened(original), reason: "the path holds a zero byte")
        }
        return absolutePath(PathText.text(bytes))
    }

    /// Returns an absolute path without empty and dot segments; links are not followed.
    static func absolutePath(_ path: String) -> String {
        var full = path
        if !path.hasPrefix("/") {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            if getcwd(&buffer, buffer.count) != nil {
                full = PathText.text(buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))) + "/" + path
            }
        }
        var kept: [Substring] = []
        for segment in full.split(separator: "/") where segment != "." {
            // "a/../b" is "b" only when "a" is no link; what the caller wrote is kept then.
            kept.append(segment)
        }
        return "/" + kept.joined(separator: "/")
    }
}

extension ResourceURL: CustomStringConvertible {
    package var description: String { logDescription }
}
