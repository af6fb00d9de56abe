import TintypeBase

extension ResponseCache {
    /// Removes one response; no error if there is none.
    public func remove(_ request: ResponseRequest) async throws {
        let key = try key(request)
        try await writer.run { [store] in try store.removeSynchronously(key) }
    }

    /// Removes all responses of every version and partition; no error if there are none. The folder stays.
    public func removeAll() async throws {
        try await writer.run { [store] in try store.removeAllSynchronously() }
    }

    /// Removes the responses of all other versions of the app.
    ///
    /// - Returns: The number of removed responses.
    @discardableResult
    public func removeOtherVersions() async throws -> Int {
        let version = configuration.version
        return try await removeEntries { $0.version != version }
    }

    /// Removes the responses of a partition, in every version: after a user has signed out.
    ///
    /// - Returns: The number of removed responses.
    @discardableResult
    public func removePartition(_ partition: String) async throws -> Int {
        try await removeEntries { $0.partition == partition }
    }

    /// Removes all responses of a URL, with any method, parameters, version and partition.
    ///
    /// - Returns: The number of removed responses.
    @discardableResult
    public func removeAll(of url: String) async throws -> Int {
        let canonical = try ResponseKey(url).url
        return try await removeEntries { $0.url == canonical }
    }

    /// Removes expired responses.
    ///
    /// - Returns: The number of removed responses.
    @discardableResult
    public func removeExpired() async throws -> Int {
        try await writer.run { [store] in try store.removeExpiredSynchronously().expired }
    }

    /// Removes one response; returns true also if there was none, false for an empty URL and for errors.
    @discardableResult
    public func removeSynchronously(_ request: ResponseRequest) -> Bool {
        do {
            let key = try key(request)
            try writer.runBlocking { [store] in try store.removeSynchronously(key) }
            return true
        } catch {
            return false
        }
    }

    /// Removes all responses; returns false for errors.
    @discardableResult
    public func removeAllSynchronously() -> Bool {
        do {
            try writer.runBlocking { [store] in try store.removeAllSynchronously() }
            return true
        } catch {
            return false
        }
    }

    private func removeEntries(
        where isWanted: @escaping @Sendable ((version: String, partition: String, method: String, url: String)) -> Bool
    ) async throws -> Int {
        try await writer.run { [store] in
            var count = 0
            for entry in try store.entriesSynchronously() {
                guard let parts = ResponseKey.parts(of: entry.key), isWanted(parts) else { continue }
                try store.removeSynchronously(entry.key)
                count += 1
            }
            return count
        }
    }
}
