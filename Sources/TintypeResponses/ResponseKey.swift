/// The cache key of a response: method, URL, parameters, version and partition, in one canonical text.
///
/// Two keys are equal if and only if all five are. The order of parameters never matters, at any depth; no parameters
/// and empty ones are the same; `1` and `1.0` are one number and differ from `"1"`, `true` and `null`. Each part carries
/// its length, so that a value cannot imitate another part.
struct ResponseKey: Sendable, Hashable, CustomStringConvertible {
    /// Upper case.
    let method: String
    /// `WebURL.cacheKey`: one spelling for all URLs that reach the same resource.
    let url: String
    let parameters: [String: JSONValue]
    /// The version of the app; empty if versions share responses.
    let version: String
    /// The user, the locale, or anything else that keeps responses apart; empty for none.
    let partition: String

    /// - Throws: `ResponseCacheError.invalidURL`.
    init(
        _ url: String, method: String = "GET", parameters: [String: JSONValue]? = nil, version: String = "",
        partition: String = ""
    ) throws(ResponseCacheError) {
        self.url = try ResponseKey.canonical(url)
        self.method = method.uppercased()
        self.parameters = parameters ?? [:]
        self.version = version
        self.partition = partition
    }

    /// The key of the entry on disk. Stable across runs and versions of Tintype.
    var description: String {
        var canonical = ""
        ResponseKey.append(.object(parameters), to: &canonical)
        var text = ResponseKey.mark
        for part in [version, partition, method, url, canonical] { ResponseKey.append(sized: part, to: &text) }
        return text
    }

    private static let mark = "response/1 "

    /// Reads version, partition, method and URL back; nil if the text is not such a key.
    static func parts(of text: String) -> (version: String, partition: String, method: String, url: String)? {
        guard text.utf8.starts(with: mark.utf8) else { return nil }
        var rest = text.utf8.dropFirst(mark.utf8.count)
        var parts: [String] = []
        for _ in 0..<4 {
            guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), let count = Int(String(rest[..<colon]) ?? ""),
                count >= 0
            else { return nil }
            rest = rest[rest.index(after: colon)...]
            let part = rest.prefix(count)
            guard part.count == count, let string = String(part) else { return nil }
            parts.append(string)
            rest = rest.dropFirst(count)
        }
        return (parts[0], parts[1], parts[2], parts[3])
    }

    /// Appends `3:abc`: the number of UTF-8 bytes, and then the text.
    private static func append(sized part: String, to text: inout String) {
        text += String(part.utf8.count)
        text += ":"
        text += part
    }

    /// Appends a letter for the kind, and the value. Containers carry their counts; members are sorted by key bytes.
    private static func append(_ value: JSONValue, to text: inout String) {
        switch value {
        case .null: text += "n"
        case .bool(let value): text += value ? "t" : "f"
        case .integer(let value): text += "i\(value);"
        case .number(let value):
            // 1.0 is 1, and -0.0 is 0, to every server that reads numbers.
            text += Int(exactly: value).map { "i\($0);" } ?? "d\(value);"
        case .string(let value):
            text += "s"
            append(sized: value, to: &text)
        case .array(let elements):
            text += "a\(elements.count);"
            for element in elements { append(element, to: &text) }
        case .object(let members):
            text += "o\(members.count);"
            for (key, value) in members.sorted(by: { JSONValue.precedes($0.key, $1.key) }) {
                append(sized: key, to: &text)
                append(value, to: &text)
            }
        }
    }

    private static func canonical(_ url: String) throws(ResponseCacheError) -> String {
        guard url.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            throw .invalidURL("it is empty")
        }
        // Other schemes, and names that are not URLs, are used as they are.
        guard ["http:", "https:"].contains(where: { url.prefix($0.count).lowercased() == $0 }) else { return url }
        do throws(NetworkingError) {
            return try WebURL(url).cacheKey
        } catch {
            throw .invalidURL(error.description)
        }
    }
}
