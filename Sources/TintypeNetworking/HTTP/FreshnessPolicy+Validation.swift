import TintypeBase

extension FreshnessPolicy {
    /// The header fields that revalidate the response: `If-None-Match`, and `If-Modified-Since` for servers without tags
    /// (RFC 9110 §13.1). Empty without a validator.
    package var conditionalHeaders: HeaderFields {
        var headers = HeaderFields()
        if let etag { headers.add("If-None-Match", etag) }
        if let lastModified { headers.add("If-Modified-Since", lastModified) }
        return headers
    }

    /// Returns the header fields of a stored response after a 304 (RFC 9111 §3.2): the fields of the 304 replace the old
    /// ones, except those that describe the stored bytes or the connection.
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
        // The `Age` of the old response, set by a cache on the path, says nothing about the confirmed one.
        if !updates.contains("Age") { result.remove("Age") }
        return result.replacing(with: updates)
    }

    /// Returns the fields of the request that `Vary` names, to be stored with the response. Nil if the response is of no
    /// use for another request.
    package func varyingFields(of request: HeaderFields) -> [String: String]? {
        guard vary != ["*"] else { return nil }
        var result: [String: String] = [:]
        for name in vary { result[name] = Self.normalized(request[name]) }
        return result
    }

    /// Returns whether a stored response is valid for another request (RFC 9111 §4.1).
    ///
    /// - Parameter request: The header fields of the new request.
    /// - Parameter stored: The result of ``varyingFields(of:)`` for the request of the stored response.
    package static func matches(_ request: HeaderFields, varyingFields stored: [String: String]) -> Bool {
        stored.allSatisfy { normalized(request[$0.key]) == $0.value }
    }

    /// Returns a comparable form: a missing field is empty, blanks around commas do not count.
    private static func normalized(_ value: String?) -> String {
        (value ?? "").split(separator: ",").map { trimmedBlanks($0) }.filter { !$0.isEmpty }.joined(separator: ",")
    }

    /// The names of the fields that a policy is read from.
    package static let relevantFields = [
        "Cache-Control", "Pragma", "Date", "Age", "Expires", "Last-Modified", "ETag", "Vary",
    ]

    /// Returns these fields by lower-case name, to be stored; ``init(status:storedFields:responseTime:)`` reads them.
    package static func storedFields(of headers: HeaderFields) -> [String: String] {
        var result: [String: String] = [:]
        for name in relevantFields {
            if let value = name == "Cache-Control" || name == "Vary" ? headers[name] : headers.first(name) {
                result[asciiLowercased(name)] = value
            }
        }
        return result
    }

    /// The stored field for the lifetime of the redirects. No header field has such a name.
    package static let redirectField = "(redirects)"

    /// Reads the policy of a stored response. The duration of its request is not stored; the age is smaller by that.
    package init(status: Int = 200, storedFields: [String: String], responseTime: Double) {
        let fields = storedFields.filter { $0.key != Self.redirectField }.sorted { $0.key < $1.key }
        self.init(
            status: status, headers: HeaderFields(fields.map { ($0.key, $0.value) }), requestTime: responseTime,
            responseTime: responseTime,
            redirectLifetime: storedFields[Self.redirectField].map { Double($0) ?? 0 })
    }
}
