import TintypeBase

/// The source of the response to a request: the cache, the network, or both.
public enum ResponsePolicy: String, Sendable, Hashable, CaseIterable {
    /// The stored response, else `notInCache`. Sends no request.
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

/// A response with its source and age.
public struct CachedResponse: Sendable {
    /// Where a response was read from.
    public enum Source: String, Sendable, Hashable {
        case cache, network
    }

    /// One JSON text.
    public var data: Data
    public var source: Source
    /// Whether it has expired, and was used because the policy allows that.
    public var isStale: Bool
    /// Whether the server confirmed the stored response with a 304.
    public var isRevalidated: Bool
    /// The time when it was stored or last confirmed.
    public var storedAt: Date
    /// The status of the HTTP response; nil from the cache.
    public var status: Int?

    /// Returns the response as a JSON value.
    ///
    /// - Throws: `ResponseCacheError.notJSON`.
    public func json() throws(ResponseCacheError) -> JSONValue { try JSONValue(data: data) }

    /// Returns the response as a value of a type of yours.
    ///
    /// - Throws: `ResponseCacheError.notDecodable`.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(ResponseCacheError) -> Value {
        try ResponseCache.decoded(type, data)
    }
}

extension ResponseCache {
    /// Returns the last response of a policy: with `cacheThenNetwork` the network's, with all others the only one.
    ///
    /// Equal requests at the same time share one transfer. A stored response with an `ETag` or `Last-Modified` is
    /// revalidated, not fetched again.
    ///
    /// - Throws: `ResponseCacheError`, `NetworkingError`, or `CancellationError`. A response that is not JSON is
    ///   `notJSON`, and is not stored.
    public func response(for request: ResponseRequest, policy: ResponsePolicy = .cacheFirst) async throws
        -> CachedResponse
    {
        var last: CachedResponse?
        for try await response in responses(for: request, policy: policy) { last = response }
        try Task.checkCancellation()
        guard let last else { throw ResponseCacheError.notInCache }
        return last
    }

    /// Returns the responses of a policy as they arrive: one, or with `cacheThenNetwork` up to two, the second only if it
    /// differs from the first. Ends with an error if a request was sent and failed.
    public func responses(for request: ResponseRequest, policy: ResponsePolicy = .cacheFirst)
        -> AsyncThrowingStream<CachedResponse, any Error>
    {
        AsyncThrowingStream { continuation in
            let task = Task.detached { [self] in
                do {
                    try await deliverResponses(request, policy) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { if case .cancelled = $0 { task.cancel() } }
        }
    }

    private func deliverResponses(
        _ request: ResponseRequest, _ policy: ResponsePolicy, _ deliver: @Sendable (CachedResponse) -> Void
    ) async throws {
        let key = try key(request)
        let stored = try await entry(key)
        switch policy {
        case .cacheOnly:
            guard let stored, !stored.isExpired else { throw ResponseCacheError.notInCache }
            deliver(stored.response)
        case .cacheFirst:
            if let stored, !stored.isExpired {
                deliver(stored.response)
            } else {
                deliver(try await fetch(request, key))
            }
        case .networkFirst:
            do {
                deliver(try await fetch(request, key))
            } catch let error as NetworkingError where error.meansUnreachable {
                guard let stored else { throw error }
                deliver(stored.response)
            }
        case .cacheThenNetwork:
            if let stored { deliver(stored.response) }
            let fresh = try await fetch(request, key)
            if fresh.data != stored?.data { deliver(fresh) }
        case .staleWhileRevalidate:
            guard let stored else {
                deliver(try await fetch(request, key))
                return
            }
            deliver(stored.response)
            guard stored.isExpired else { return }
            Task.detached { [self] in
                do {
                    _ = try await fetch(request, key)
                } catch {
                    // The stored response stays; the next call sends a request again and reports its error.
                }
            }
        }
    }

    func entry(_ key: String) async throws -> CacheEntry? {
        try await writer.run { [store] in try store.entrySynchronously(for: key, allowExpired: true) }
    }

    /// Joins the running request of this key, or starts one.
    private func fetch(_ request: ResponseRequest, _ key: String) async throws -> CachedResponse {
        try await transfers.value(for: key) { [self] in try await transfer(request, key) }
    }
}

extension CacheEntry {
    fileprivate var response: CachedResponse {
        CachedResponse(
            data: data, source: .cache, isStale: isExpired, isRevalidated: false, storedAt: metadata.storedAt)
    }
}

extension NetworkingError {
    /// Whether the server could not be reached or failed, so that a stale response is better than none. Other
    /// statuses (404, 401) are errors of the request.
    fileprivate var meansUnreachable: Bool {
        switch self {
        case .connectionFailed, .timedOut, .tlsFailed, .truncated, .emptyBody: true
        case .badStatus(let status, _): status >= 500 || status == 408 || status == 429
        default: false
        }
    }
}
