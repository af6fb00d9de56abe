import TintypeBase

/// Where an image comes from.
public enum ImageSource: Sendable {
    /// `http:`, `https:`, `file:` or `data:`, or a path, as the caller wrote it; what is not yet percent-encoded is
    /// encoded once.
    case url(String)
    /// A file of this machine. Its bytes are never copied into the disk cache.
    case file(path: String)
    /// Bytes that a closure brings, named by `id`, which is their cache key: equal ids must mean equal bytes.
    case data(id: String, load: @Sendable () async throws -> Data)
    /// A finished image that a closure makes, named by `id`. Cached in memory, never on disk.
    case image(id: String, make: @Sendable () async throws -> DecodedImage)

    /// For messages and events: the URL, path or id; a long `data:` URL is shortened.
    public var name: String {
        switch self {
        case .url(let url): ImageSource.shortened(url)
        case .file(let path): path
        case .data(let id, _), .image(let id, _): id
        }
    }

    static func shortened(_ url: String) -> String {
        guard url.utf8.count > 96, url.prefix(5).lowercased() == "data:" else { return url }
        return "\(url.prefix(48))… (\(url.utf8.count) bytes)"
    }
}

/// Pixels per point from a file name as Apple writes it: `cat@2x.png`.
enum ImageScale {
    /// From `@2x` or `@3x` (also `%402x`) before the extension in the last part of a URL or path; 1 without.
    static func inName(of source: ImageSource) -> Double {
        switch source {
        case .url(let text), .file(let text): inName(text)
        case .data, .image: 1
        }
    }

    static func inName(_ text: String) -> Double {
        // A `data:` URL can be megabytes long, and names nothing.
        if text.utf8.count > 5, text.utf8.prefix(5).elementsEqual("data:".utf8) { return 1 }
        var path = text.utf8[...]
        if let end = path.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            path = path[..<end]
        }
        if let slash = path.lastIndex(of: UInt8(ascii: "/")) { path = path[path.index(after: slash)...] }
        guard let dot = path.lastIndex(of: UInt8(ascii: ".")), dot != path.startIndex else { return 1 }
        let stem = path[..<dot]
        for (suffix, scale) in [("@2x", 2.0), ("@3x", 3), ("%402x", 2), ("%403x", 3)]
        where stem.count > suffix.utf8.count && stem.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) {
            return scale
        }
        return 1
    }
}
