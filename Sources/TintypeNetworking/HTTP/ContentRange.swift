/// `Content-Range` of a 206 or a 416, in bytes (RFC 9110 §14.4).
public struct ContentRange: Hashable, Sendable {
    /// nil for `bytes */…`, the form of a 416.
    public let range: ClosedRange<Int>?
    /// nil for an unknown length (`*`).
    public let total: Int?

    public init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, asciiEqualIgnoringCase(String(words[0]), "bytes") else { return nil }
        let parts = trimmedBlanks(words[1]).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] == "*" {
            total = nil
        } else {
            guard let value = digitsValue(parts[1]) else { return nil }
            total = value
        }
        if parts[0] == "*" {
            guard total != nil else { return nil }
            range = nil
            return
        }
        let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = digitsValue(bounds[0]), let last = digitsValue(bounds[1]), first <= last
        else { return nil }
        if let total, last >= total { return nil }
        range = first...last
    }
}
