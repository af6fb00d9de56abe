import TintypeBase

extension ResponseCache {
    // MARK: Asynchronous

    /// Returns the bytes of a stored response as they were saved; nil if there is none, it has expired, or it is corrupt
    /// (it is removed then).
    ///
    /// - Throws: `ResponseCacheError.invalidURL`; `CachingError.ioFailed` for transient faults.
    public func data(for request: ResponseRequest) async throws -> Data? {
        let key = try key(request)
        return try await writer.run { [store] in try store.entrySynchronously(for: key)?.data }
    }

    /// Returns the stored response as a JSON value; see `data(for:)`.
    public func json(for request: ResponseRequest) async throws -> JSONValue? {
        try await data(for: request).map { data throws(ResponseCacheError) in try JSONValue(data: data) }
    }

    /// Returns the stored response as a value of a type of yours; see `data(for:)`.
    ///
    /// - Throws: `ResponseCacheError.notDecodable` if the response is not of this type; it stays stored.
    public func value<Value: Decodable>(_ type: Value.Type = Value.self, for request: ResponseRequest) async throws
        -> Value?
    {
        try await data(for: request).map { try ResponseCache.decoded(type, $0) }
    }

    /// Returns whether the response is stored, whole, and has not expired.
    public func contains(_ request: ResponseRequest) async -> Bool {
        do {
            return try await data(for: request) != nil
        } catch {
            // A response that cannot be read is a miss.
            return false
        }
    }

    // MARK: Synchronous

    /// Returns the bytes, or nil on a miss or an error; see `data(for:)`.
    public func dataSynchronously(for request: ResponseRequest) -> Data? {
        do {
            let key = try key(request)
            return try writer.runBlocking { [store] in try store.entrySynchronously(for: key)?.data }
        } catch {
            return nil
        }
    }

    /// Returns the JSON value, or nil on a miss or an error.
    public func jsonSynchronously(for request: ResponseRequest) -> JSONValue? {
        dataSynchronously(for: request).flatMap { data in
            do { return try JSONValue(data: data) } catch { return nil }
        }
    }

    /// Returns the value, or nil on a miss or an error, also if the response is of another type.
    public func valueSynchronously<Value: Decodable>(_ type: Value.Type = Value.self, for request: ResponseRequest)
        -> Value?
    {
        dataSynchronously(for: request).flatMap { data in
            do { return try ResponseCache.decoded(type, data) } catch { return nil }
        }
    }

    /// Returns whether the response is stored, whole, and has not expired.
    public func containsSynchronously(_ request: ResponseRequest) -> Bool { dataSynchronously(for: request) != nil }

    static func decoded<Value: Decodable>(_ type: Value.Type, _ data: Data) throws(ResponseCacheError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw .notDecodable("\(error)")
        }
    }
}
