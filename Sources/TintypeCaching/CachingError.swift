import TintypeBase

/// An error of a cache. A load need not fail because of it: the caller still has the bytes.
public enum CachingError: Error, Hashable, Sendable {
    /// Namespaces are 1 to 100 of `A–Z a–z 0–9 . _ -` and do not start with a dot.
    case invalidNamespace(String)
    /// The key is empty.
    case invalidKey
    /// There are no bytes to store.
    case emptyBody
    /// The value is larger than the limit of the cache.
    case entryTooLarge(byteCount: Int, limit: Int)
    /// The file system has no room left (or the quota is used up).
    case diskFull(path: String)
    /// A system call failed; `number` is its `errno`.
    case ioFailed(path: String, operation: String, number: Int32)
    /// The folder cannot be used (read-only, replaced by a file, no permission): the cache is empty until it can.
    case unavailable(path: String, reason: String)
    /// There is no such entry, or it has expired.
    case notInCache(key: String)

    /// A word that is stable across versions.
    public var code: String {
        switch self {
        case .invalidNamespace: "invalidNamespace"
        case .invalidKey: "invalidKey"
        case .emptyBody: "emptyBody"
        case .entryTooLarge: "bodyTooLarge"
        case .diskFull: "diskFull"
        case .ioFailed, .unavailable: "ioFailed"
        case .notInCache: "notInCache"
        }
    }
}

extension CachingError: CodedError, LocalizedError {
    public var errorDescription: String? { description }
}

extension CachingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidNamespace(let name):
            "the cache namespace '\(name)' is not 1 to 100 letters, digits, dots, dashes or underscores; choose another"
        case .invalidKey: "the cache key is empty; give the entry a key"
        case .emptyBody: "there are no bytes to store"
        case .entryTooLarge(let byteCount, let limit):
            "\(byteCount) bytes do not fit into a cache of \(limit) bytes; raise maximumByteCount"
        case .diskFull(let path): "no room is left on the file system of \(path); free some or move the cache"
        case .ioFailed(let path, let operation, let number):
            "\(operation) failed in \(path): \(systemErrorText(number))"
        case .unavailable(let path, let reason): "the cache folder \(path) cannot be used: \(reason)"
        case .notInCache(let key): "nothing is cached for '\(key)'"
        }
    }
}
