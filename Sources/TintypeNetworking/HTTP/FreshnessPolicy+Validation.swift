import TintypeBase

extension FreshnessPolicy {
    /// What asks the server whether the answer is still right: `If-None-Match`, and `If-Modified-Since` for servers that
    /// know no tags (RFC 9110 §13.1). Empty without a validator.
    package var conditionalHeaders: HeaderFields {
        var headers = HeaderFields()
        if let etag { headers.add("If-None-Match", etag) }
        if let lastModified { headers.add("If-Modified-Since", lastModified) }
        return headers
    }

    /// The header fields of a stored answer after a 304 to its validators (RFC 9111 §3.2): every field of the 304 takes
    /// the place of the old one, save those that describe the stored bytes or the connection.
    package static func updating(_ stored: HeaderFields, with notModified: HeaderFields) -> HeaderFields {
        var kept: Set<String> = [
            "content-length", "content-encoding", "content-type", "content-range", "transfer-encoding", "trailer",
            "connection", "keep-alive", "proxy-connection", "upgrade", "te", "proxy-authenticate",
            "proxy-authentication-info", "proxy-authorization",
        ]
        // `Connection` names further fields of the connection.
        for name in (notModified["Connection"] ?? "").split(separator: ",") {
            kept.insert(asciiLowercased(trimmedBlanks(name)))
        }
        var updates = HeaderFields()
        for field in notModified.fields where !kept.contains(asciiLowercased(field.name)) {
            updates.add(field.name, field.value)
        }
        var result = stored
        // A cache on the way may have aged the old answer; that age says nothing about the confirmed one.
        if !updates.contains("Age") { result.remove("Age") }
        return result.replacing(with: updates)
    }

    /// What the request's fields named by `Vary` were, to be kept beside the answer. nil when it can never be used for
    /// another request.
    package func varyingFields(of request: HeaderFields) -> [String: String]? {
        guard vary != ["*"] else { return nil }
        var result: [String: String] = [:]
        for name in vary { result[name] = Self.normalized(request[name]) }
        return result
    }

    /// Whether a stored answer is one for this request as well (RFC 9111 §4.1).
    ///
    /// - Parameter request: the header fields of the request at hand.
    /// - Parameter stored: what ``varyingFields(of:)`` gave for the request that the answer came with.
    package static func matches(_ request: HeaderFields, varyingFields stored: [String: String]) -> Bool {
        stored.allSatisfy { normalized(request[$0.key]) == $0.value }
    }

    /// A missing field is an empty one; blanks around commas do not count.
    private static func normalized(_ value: String?) -> String {
        (value ?? "").split(separator: ",").map { trimmedBlanks($0) }.filter { !$0.isEmpty }.joined(separator: ",")
    }

    /// The names of the fields that a policy is read from, for storing them beside the bytes.
    package static let relevantFields = [
        "Cache-Control", "Pragma", "Date", "Age", "Expires", "Last-Modified", "ETag", "Vary",
    ]

    /// These fields of an answer, by lower-case name; ``init(status:storedFields:responseTime:)`` reads them again.
    package static func storedFields(of headers: HeaderFields) -> [String: String] {
        var result: [String: String] = [:]
        for name in relevantFields {
            if let value = name == "Cache-Control" || name == "Vary" ? headers[name] : headers.first(name) {
                result[asciiLowercased(name)] = value
            }
        }
        return result
    }

    /// Beside ``storedFields(of:)``: what the redirects before the response allow. No header field has such a name.
    package static let redirectField = "(redirects)"

    /// The policy of an answer from what was stored of it. The time that its request took is not stored: it makes the
    /// answer older by that little.
    package init(status: Int = 200, storedFields: [String: String], responseTime: Double) {
        let fields = storedFields.filter { $0.key != Self.redirectField }.sorted { $0.key < $1.key }
        self.init(
            status: status, headers: HeaderFields(fields.map { ($0.key, $0.value) }), requestTime: responseTime,
            responseTime: responseTime,
            redirectLifetime: storedFields[Self.redirectField].map { Double($0) ?? 0 })
    }
}
