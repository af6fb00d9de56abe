import TintypeBase

/// An error of the response cache.
public enum ResponseCacheError: Error, Hashable, Sendable {
    /// The URL is empty or cannot be one.
    case invalidURL(String)
    /// The bytes are not JSON; the text names the byte.
    case notJSON(String)
    /// The value has no JSON form.
    case notEncodable(String)
    /// The stored response does not have the requested type.
    case notDecodable(String)
    /// No response is stored, and the policy allows no request.
    case notInCache

    /// A word that is stable across versions.
    public var code: String {
        switch self {
        case .invalidURL: "invalidURL"
        case .notJSON, .notDecodable: "corrupt"
        case .notEncodable: "notEncodable"
        case .notInCache: "notInCache"
        }
    }
}

extension ResponseCacheError: CodedError, LocalizedError {
    public var errorDescription: String? { description }
}

extension ResponseCacheError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidURL(let detail): "the URL of the response is not usable: \(detail)"
        case .notJSON(let detail): "the response is not JSON: \(detail)"
        case .notEncodable(let detail): "the value cannot be written as JSON: \(detail)"
        case .notDecodable(let detail): "the stored response does not have this type: \(detail)"
        case .notInCache: "the response is not in the cache"
        }
    }
}
