import TintypeBase

/// Where an image comes from.
public enum ImageSource: Sendable {
    /// `http:`, `https:`, `file:` or `data:`, or a path, as the caller
    /// wrote it; what is not yet percent-encoded is encoded once.
    case url(String)
    /// A file of this machine. Its bytes are never copied into the disk cache.
    case file(path: String)
    /// Bytes that a closure brings, named by `id`, which is their cache key: equal ids must mean equal bytes.
    case data(id: String, load: @Sendable () async throws -> Data)
    /// A finished image that a closure makes, named by `id`. Kept in memory, never on disk.
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
