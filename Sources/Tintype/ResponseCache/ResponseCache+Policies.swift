import TintypeBase

extension ResponseCache {
    /// The final response of a policy: with `cacheThenNetwork` the network's, with all others the only one.
    ///
    /// Equal requests at the same time share one transfer. A stored response with an `ETag` or `Last-Modified` is
    /// revalidated, not fetched again.
    ///
    /// - Throws: `ResponseCacheError`, `NetworkingError`, or `CancellationError`. A response that is no JSON is
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

    /// The responses of a policy in the order of their coming: one, or with `cacheThenNetwork` up to two, the second only
    /// if it differs from the first. Ends with an error if the network was asked and failed.
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
                    // The stored response stays; the next call asks again and can be told.
                }
            }
        }
    }

    func entry(_ key: String) async throws -> CacheEntry? {
        try await writer.run { [store] in try store.entrySynchronously(for: key, allowExpired: true) }
    }

    /// Joins the request that runs for this key, or starts one.
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
