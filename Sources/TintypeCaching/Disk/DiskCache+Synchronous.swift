import TintypeBase

/// The same operations on the calling thread, which they block. Never call them from a task of Swift's concurrency.
extension DiskCache {
    /// See ``entry(for:allowExpired:)``.
    public func entrySynchronously(for key: String, allowExpired: Bool = false) throws(CachingError) -> CacheEntry? {
        try store.read(key, allowExpired: allowExpired)
    }

    /// See ``store(_:for:metadata:)``.
    public func storeSynchronously(
        _ data: Data, for key: String, metadata: CacheEntryMetadata = CacheEntryMetadata()
    ) throws(CachingError) {
        _ = try store.store(data, for: key, metadata: metadata)
    }

    /// See ``updateMetadata(_:for:)``.
    package func updateMetadataSynchronously(_ metadata: CacheEntryMetadata, for key: String) throws(CachingError) {
        try store.updateMetadata(metadata, for: key)
    }

    /// See ``contains(_:)``. No I/O where this process owns the index.
    public func containsSynchronously(_ key: String) throws(CachingError) -> Bool {
        try store.contains(key)
    }

    /// See ``remove(_:)``.
    public func removeSynchronously(_ key: String) throws(CachingError) {
        try store.remove(key)
    }

    /// See ``removeAll()``; deletes the files before it returns.
    public func removeAllSynchronously() throws(CachingError) {
        try store.removeAll()
        if let folder = store.state.withLock({ $0.folder }) { store.deleteTrash(in: folder) }
    }

    /// See ``fileURL(forOriginalOf:fileExtension:)``.
    package func fileURLSynchronously(forOriginalOf key: String, fileExtension: String) throws(CachingError) -> URL? {
        try store.exportOriginal(of: key, fileExtension: fileExtension).map { URL(fileURLWithPath: $0) }
    }

    /// See ``removeExpired()``.
    @discardableResult
    package func removeExpiredSynchronously() throws(CachingError) -> CleanResult {
        try store.clean(limit: -1, target: 0)
    }

    /// See ``trim(toByteCount:)``.
    @discardableResult
    public func trimSynchronously(toByteCount byteCount: Int) throws(CachingError) -> CleanResult {
        try store.clean(limit: max(0, byteCount), target: max(0, byteCount))
    }

    /// See ``entries()``.
    package func entriesSynchronously() throws(CachingError) -> [EntrySummary] {
        try store.summaries()
    }

    /// See ``verify()``.
    package func verifySynchronously() throws(CachingError) -> VerifyResult {
        try store.verify()
    }
}
