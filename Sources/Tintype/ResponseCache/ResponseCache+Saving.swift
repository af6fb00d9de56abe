import TintypeBase

extension ResponseCache {
    // MARK: Asynchronous

    /// Stores a response's bytes as they are, in place of any older response.
    ///
    /// - Throws: `ResponseCacheError.notJSON` if they are not one JSON text, `invalidURL`; `CachingError` if they cannot
    ///   be written. What was stored before stays, except after a failed write.
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

    /// Returns at once; the response is stored in the order of the calls.
    ///
    /// - Parameters:
    ///   - value: nil stores nothing, and completes with false.
    ///   - request: names the response.
    ///   - completion: called once, on the main actor, with whether the response is stored.
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

    /// Whether the response is stored now. Nil, bytes that are not JSON, an empty URL: false, and nothing changes.
    @discardableResult
    public func saveSynchronously(data: Data?, for request: ResponseRequest) -> Bool {
        guard let data else { return false }
        return blocking { try prepared(data, request) }
    }

    /// Whether the value is stored now. Nil, infinity, NaN, an empty URL: false, and nothing changes.
    @discardableResult
    public func saveSynchronously(json value: JSONValue?, for request: ResponseRequest) -> Bool {
        guard let value else { return false }
        return blocking { try prepared(try value.data(), request, isChecked: true) }
    }

    /// Whether the value is stored now. A value that cannot be encoded, an empty URL: false, and nothing changes.
    @discardableResult
    public func saveSynchronously(_ value: some Encodable, for request: ResponseRequest) -> Bool {
        blocking { try prepared(try ResponseCache.encoded(value), request, isChecked: true) }
    }

    // MARK: Steps

    /// False for every error: the synchronous forms promise no reason.
    private func blocking(_ prepare: () throws -> @Sendable () throws -> Void) -> Bool {
        do {
            try writer.runBlocking(try prepare())
            return true
        } catch {
            return false
        }
    }

    /// Everything that can fail without touching the disk is done here, on the caller's thread.
    private func prepared(_ data: Data, _ request: ResponseRequest, isChecked: Bool = false) throws
        -> @Sendable () throws -> Void
    {
        let key = try key(request)
        if !isChecked { try JSONParser.validate(data) }
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
