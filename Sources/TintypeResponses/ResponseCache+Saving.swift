import TintypeBase

extension ResponseCache {
    // MARK: Asynchronous

    /// Stores the bytes of a response as they are, in place of an older response.
    ///
    /// - Throws: `ResponseCacheError.notJSON` if they are not one JSON text, `invalidURL`; `CachingError` if they cannot
    ///   be written. The older response stays, except after a failed write.
    public func save(data: Data, for request: ResponseRequest) async throws {
        let write = try prepared(data, request)
        try await writer.run { try write() }
    }

    /// Stores a JSON value.
    ///
    /// - Throws: `ResponseCacheError.notEncodable` for infinity and NaN; see `save(data:for:)`.
    public func save(json value: JSONValue, for request: ResponseRequest) async throws {
        let write = try prepared(try value.data(), request, isChecked: true)
        try await writer.run { try write() }
    }

    /// Stores any value that can be encoded as JSON.
    ///
    /// - Throws: `ResponseCacheError.notEncodable` if it cannot; see `save(data:for:)`.
    public func save(_ value: some Encodable, for request: ResponseRequest) async throws {
        let write = try prepared(try ResponseCache.encoded(value), request, isChecked: true)
        try await writer.run { try write() }
    }

    // MARK: With a completion

    /// Stores a JSON value in the background, in the order of the calls.
    ///
    /// - Parameters:
    ///   - value: The value; nil stores nothing, and completes with false.
    ///   - request: The key of the response.
    ///   - completion: Called once, on the main actor, with whether the response is stored.
    public func save(
        json value: JSONValue?, for request: ResponseRequest, completion: (@MainActor @Sendable (Bool) -> Void)?
    ) {
        writer.submit { [self] in
            let isSaved: Bool
            do {
                guard let value else { throw ResponseCacheError.notEncodable("there is no value") }
                try prepared(try value.data(), request, isChecked: true)()
                isSaved = true
            } catch {
                isSaved = false
            }
            if let completion { Task { @MainActor in completion(isSaved) } }
        }
    }

    // MARK: Synchronous

    /// Stores bytes; returns false, and changes nothing, for nil, bytes that are not JSON, and an empty URL.
    @discardableResult
    public func saveSynchronously(data: Data?, for request: ResponseRequest) -> Bool {
        guard let data else { return false }
        return blocking { try prepared(data, request) }
    }

    /// Stores a JSON value; returns false, and changes nothing, for nil, infinity, NaN, and an empty URL.
    @discardableResult
    public func saveSynchronously(json value: JSONValue?, for request: ResponseRequest) -> Bool {
        guard let value else { return false }
        return blocking { try prepared(try value.data(), request, isChecked: true) }
    }

    /// Stores an encodable value; returns false, and changes nothing, if it cannot be encoded or the URL is empty.
    @discardableResult
    public func saveSynchronously(_ value: some Encodable, for request: ResponseRequest) -> Bool {
        blocking { try prepared(try ResponseCache.encoded(value), request, isChecked: true) }
    }

    // MARK: Steps

    /// Returns false for every error: the synchronous methods do not report a reason.
    private func blocking(_ prepare: () throws -> @Sendable () throws -> Void) -> Bool {
        do {
            try writer.runBlocking(try prepare())
            return true
        } catch {
            return false
        }
    }

    /// Does on the caller's thread what can fail without touching the disk; returns the write.
    private func prepared(_ data: Data, _ request: ResponseRequest, isChecked: Bool = false) throws
        -> @Sendable () throws -> Void
    {
        let key = try key(request)
        if !isChecked { _ = try JSONParser.parse(data) }
        let metadata = metadata(for: request)
        return { [store] in try store.storeSynchronously(data, for: key, metadata: metadata) }
    }

    func metadata(for request: ResponseRequest) -> CacheEntryMetadata {
        let now = configuration.now()
        let age = request.maximumAge ?? configuration.maximumAge
        return CacheEntryMetadata(
            storedAt: now, expiresAt: age.map { now.addingTimeInterval($0.inSeconds) },
            contentType: "application/json",
            sourceURL: request.url)
    }

    private static func encoded(_ value: some Encodable) throws(ResponseCacheError) -> Data {
        do {
            return try JSONEncoder().encode(value)
        } catch {
            throw .notEncodable("\(error)")
        }
    }
}
