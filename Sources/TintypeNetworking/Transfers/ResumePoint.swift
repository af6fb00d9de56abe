import TintypeBase

/// The state of an interrupted body that a request for the rest depends on.
struct ResumePoint: Sendable {
    enum Validator: Hashable, Sendable {
        case etag(String)
        case lastModified(String)

        /// The value of `If-Range`.
        var text: String {
            switch self {
            case .etag(let text), .lastModified(let text): text
            }
        }
    }

    /// The URL of the response; the rest is requested from this URL only.
    let url: String
    let validator: Validator
    /// The size of the whole body.
    let total: Int?
    /// The header fields of the response.
    let headers: HeaderFields

    /// Nil if the server sent no strong validator (RFC 9110 §13.1.5), or refuses ranges.
    init?(url: String, headers: HeaderFields, total: Int?) {
        if let ranges = headers["Accept-Ranges"], asciiEqualIgnoringCase(ranges, "none") { return nil }
        if let etag = headers.first("ETag") {
            // A date with a weak tag is not stronger than the tag.
            guard Self.isStrong(etag) else { return nil }
            validator = .etag(etag)
        } else if let text = headers.first("Last-Modified"), let modified = HTTPDate.parse(text),
            let date = headers.first("Date").flatMap({ HTTPDate.parse($0) }), date - modified >= 60
        {
            // A date is strong only if the file cannot have changed twice within that second (RFC 9110 §8.8.2.2).
            validator = .lastModified(text)
        } else {
            return nil
        }
        self.url = url
        self.total = total
        self.headers = headers
    }

    /// Returns whether a 206 continues these bytes at `start`.
    func accepts(_ response: HeaderFields, start: Int) -> Bool {
        guard let text = response.first("Content-Range"), let content = ContentRange(text),
            content.range?.lowerBound == start, !ContentDecoder.undoes(response["Content-Encoding"])
        else { return false }
        if let total, let newTotal = content.total, total != newTotal { return false }
        return matches(response)
    }

    /// Returns whether a response has the same validator.
    func matches(_ response: HeaderFields) -> Bool {
        switch validator {
        case .etag(let etag): response.first("ETag") == etag
        case .lastModified(let date): response.first("Last-Modified") == date && !response.contains("ETag")
        }
    }

    private static func isStrong(_ etag: String) -> Bool {
        etag.utf8.count >= 2 && etag.hasPrefix("\"") && etag.hasSuffix("\"")
    }
}

/// `Content-Range` of a 206 or a 416, in bytes (RFC 9110 §14.4).
struct ContentRange: Hashable, Sendable {
    /// Nil for `bytes */…`, the form of a 416.
    let range: ClosedRange<Int>?
    /// Nil for an unknown length (`*`).
    let total: Int?

    init?(_ text: String) {
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
