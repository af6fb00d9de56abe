/// A request for a JSON response.
///
///     let page: ResponseRequest = "https://api.example.com/posts"
///     let second = ResponseRequest("https://api.example.com/posts", parameters: ["page": 2, "tags": ["a", "b"]])
public struct ResponseRequest: Sendable, ExpressibleByStringLiteral {
    /// How the parameters are sent.
    public enum Encoding: Sendable, Hashable {
        /// In the query for GET, HEAD and DELETE, else as a JSON body. The default.
        case automatic
        /// `name=value`, percent-encoded; arrays as `name[]=value`, objects as `name[key]=value`.
        case query
        /// The same text as the body, `application/x-www-form-urlencoded`.
        case form
        /// One JSON object as the body.
        case json
    }

    /// `http:` or `https:`; any text may name a response that is only saved and read.
    public var url: String
    /// "GET" by default.
    public var method: String
    /// A part of the key, in any order; nil and empty are the same.
    public var parameters: [String: JSONValue]?
    /// Keeps the responses of users, locales or anything else apart: a part of the key. Never sent. Nil for none.
    public var partition: String?
    /// Sent, but not a part of the key: put a value that changes the response (a user, a locale) into `partition`.
    public var headers: HeaderFields = [:]
    public var encoding = Encoding.automatic
    /// The time a stored response stays fresh; nil, the default, is the setting of the cache.
    public var maximumAge: Duration?

    /// Creates a request.
    public init(
        _ url: String, method: String = "GET", parameters: [String: JSONValue]? = nil, partition: String? = nil
    ) {
        self.url = url
        self.method = method
        self.parameters = parameters
        self.partition = partition
    }

    public init(stringLiteral url: String) { self.init(url) }

    /// Returns the key of the response for a version of the app.
    ///
    /// - Throws: `ResponseCacheError.invalidURL` for an empty URL.
    func key(version: String) throws(ResponseCacheError) -> ResponseKey {
        try ResponseKey(url, method: method, parameters: parameters, version: version, partition: partition ?? "")
    }
}
