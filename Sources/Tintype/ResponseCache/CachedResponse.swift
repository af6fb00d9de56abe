import TintypeBase

/// Where the response to a request comes from: the cache, the network, or both.
public enum ResponsePolicy: String, Sendable, Hashable, CaseIterable {
    /// The stored response, else `notInCache`. Never a request.
    case cacheOnly
    /// The stored response while it is fresh, else the network's.
    case cacheFirst
    /// The network's response; where the network fails, the stored one, however old it is.
    case networkFirst
    /// The stored response at once, however old, and then the network's, if it differs.
    case cacheThenNetwork
    /// The stored response at once. If it was no longer fresh, it is fetched again in the background, for the next time.
    case staleWhileRevalidate
}

/// A response, and how it came about.
public struct CachedResponse: Sendable {
    public enum Source: String, Sendable, Hashable {
        case cache, network
    }

    /// One JSON text.
    public var data: Data
    public var source: Source
    /// It has expired, and was used because the policy allows that.
    public var isStale: Bool
    /// The origin was asked and said that the stored response is still right.
    public var isRevalidated: Bool
    /// When it was stored or last confirmed.
    public var storedAt: Date
    /// Of the HTTP response; nil from the cache.
    public var status: Int?

    public func json() throws(ResponseCacheError) -> JSONValue { try JSONValue(data: data) }

    /// - Throws: `ResponseCacheError.notDecodable`.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(ResponseCacheError) -> Value {
        try ResponseCache.decoded(type, data)
    }
}
