import TintypeBase

/// A cache of bytes on disk, with one checked file for each entry.
///
/// A reader gets a whole value or a miss: after a kill or a power loss, with a full disk, a folder that is wiped,
/// read-only or replaced, and with other processes in the same folder. Each file starts with a header that holds the key
/// and checksums; files are written under a temporary name and renamed; a corrupt entry is a miss and is removed. The
/// index in memory is a hint that can be rebuilt from the folder.
///
/// Operations run on threads of the cache; the variants that end in `Synchronously` block the calling thread.
///
/// Changes of one entry are serialized. A call sees everything that earlier calls have stored.
public final class DiskCache: Sendable {
    let store: DiskStore
    private let workers: WorkerPool
    /// Removes expired entries periodically; ends with the cache.
    private let sweeper: Task<Void, Never>?

    /// Opens the cache and creates its folder. Blocks the calling thread for a few milliseconds.
    ///
    /// - Throws: ``CachingError/invalidNamespace(_:)`` only. A folder that cannot be used makes a cache that misses;
    ///   ``unavailableReason`` says why, and the next store tries again.
    public init(_ configuration: Configuration = Configuration()) throws(CachingError) {
        guard Self.isValidNamespace(configuration.namespace) else {
            throw .invalidNamespace(configuration.namespace)
        }
        let root = configuration.root?.path ?? AppDirectories.caches.appendingPathComponent("tintype").path
        let store = DiskStore(configuration, root: root)
        self.store = store
        workers = WorkerPool(name: "tintype-disk", width: 4, stackSize: 512 << 10)
        let interval = configuration.sweepInterval
        sweeper = configuration.firstSweepDelay.map { firstDelay in
            Task.detached(priority: .utility) { [weak store] in
                var delay = firstDelay
                // Sleeping ends early only by cancellation.
                while (try? await Task.sleep(for: delay)) != nil {
                    guard let store else { return }
                    store.sweep()
                    delay = interval
                }
            }
        }
    }

    deinit {
        sweeper?.cancel()
        store.finish()
    }

    static func isValidNamespace(_ name: String) -> Bool {
        (1...100).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: ".")
            && name.utf8.allSatisfy { isAlphanumeric($0) || "-._".utf8.contains($0) }
    }

    /// The folder of the namespace.
    public var path: String { store.paths.root }

    /// The reason why nothing can be stored at the moment; nil if storing works.
    public var unavailableReason: CachingError? { store.state.withLock { $0.problem } }

    /// The bytes on disk, with headers. O(1), unless another process owns the index: then the folder is listed.
    public var byteCount: Int { store.totals.byteCount }

    /// The number of entries; see ``byteCount``.
    public var count: Int { store.totals.count }

    /// See ``Configuration/maximumByteCount``. Lowering it starts a clean-up soon.
    public var maximumByteCount: Int {
        get { store.state.withLock { $0.maximumByteCount } }
        set {
            store.state.withLock { $0.maximumByteCount = newValue }
            store.cleanIfNeeded()
        }
    }

    /// See ``Configuration/maximumAge``.
    public var maximumAge: Duration? {
        get { store.state.withLock { $0.maximumAge } }
        set { store.state.withLock { $0.maximumAge = newValue } }
    }

    // MARK: Entries

    /// Returns the entry, or nil on a miss; expired entries only with `allowExpired`.
    ///
    /// - Throws: ``CachingError/invalidKey``, or ``CachingError/ioFailed(path:operation:number:)`` for transient faults.
    public func entry(for key: String, allowExpired: Bool = false) async throws -> CacheEntry? {
        try await run { [store] in try store.read(key, allowExpired: allowExpired) }
    }

    /// Stores the bytes in place of older ones. On return the file is complete and visible to all processes.
    ///
    /// A cancelled task keeps the old entry. Any other failure removes it.
    ///
    /// - Throws: ``CachingError``, or `CancellationError`.
    public func store(_ data: Data, for key: String, metadata: CacheEntryMetadata = CacheEntryMetadata()) async throws {
        let flag = CancellationFlag()
        try await withTaskCancellationHandler {
            let isStored = try await run { [store] in
                try store.store(data, for: key, metadata: metadata) { flag.isSet }
            }
            guard isStored else { throw CancellationError() }
        } onCancel: {
            flag.set()
        }
    }

    /// Replaces the metadata and keeps the bytes, for a 304.
    ///
    /// - Throws: ``CachingError/notInCache(key:)`` if there is no such entry.
    public func updateMetadata(_ metadata: CacheEntryMetadata, for key: String) async throws {
        try await run { [store] in try store.updateMetadata(metadata, for: key) }
    }

    /// Returns whether a read would find the entry. May be true for a file that another process has just removed. No I/O
    /// if this process owns the index.
    ///
    /// - Throws: ``CachingError/ioFailed(path:operation:number:)`` for faults that may pass, or `CancellationError`.
    public func contains(_ key: String) async throws -> Bool {
        if let isKnown = store.isInIndex(key) { return isKnown }
        return try await run { [store] in try store.contains(key) }
    }

    /// Returns the file name of an entry without its extension, as in ``CleanResult/names``; nil for the empty key.
    public func entryName(for key: String) -> String? {
        guard !key.isEmpty, let file = store.naming.file(for: key) else { return nil }
        return String(file.fileName.prefix(file.digits))
    }

    /// Removes an entry; no error if there is none.
    public func remove(_ key: String) async throws {
        try await run { [store] in try store.remove(key) }
    }

    /// Removes all entries. Takes about as long as a rename; the files are deleted in the background.
    public func removeAll() async throws {
        try await run { [store] in try store.removeAll() }
        deleteTrashLater()
    }

    /// Returns a file with the bytes of an entry and the given extension; nil if there is no such entry.
    ///
    /// The file is removed with the entry. Copy it to keep it.
    ///
    /// - Parameter key: The key of the entry.
    /// - Parameter fileExtension: 1 to 20 letters and digits without the dot; anything else: no extension.
    public func fileURL(forOriginalOf key: String, fileExtension: String) async throws -> URL? {
        try await run { [store] in
            try store.exportOriginal(of: key, fileExtension: fileExtension).map { URL(fileURLWithPath: $0) }
        }
    }

    // MARK: Maintenance

    /// Removes expired entries.
    @discardableResult
    public func removeExpired() async throws -> CleanResult {
        try await runCleaner { [store] in try store.clean(limit: -1, target: 0) }
    }

    /// Removes expired entries, then the least recently used ones until at most `byteCount` bytes are left.
    @discardableResult
    public func trim(toByteCount byteCount: Int) async throws -> CleanResult {
        try await runCleaner { [store] in try store.clean(limit: max(0, byteCount), target: max(0, byteCount)) }
    }

    /// Returns all entries, oldest first.
    public func entries() async throws -> [EntrySummary] {
        try await runCleaner { [store] in try store.summaries() }
    }

    /// Reads and checks all entries, removes corrupt ones and updates the index.
    public func verify() async throws -> VerifyResult {
        try await runCleaner { [store] in try store.verify() }
    }

    /// Writes the index, so that the next opening is quick. Done automatically when the cache is released; call it before
    /// the process ends in another way. Blocks.
    public func flush() { store.flush() }

    // MARK: Threads

    private func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try Task.checkCancellation()
        return try await workers.run(body)
    }

    private func runCleaner<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try Task.checkCancellation()
        return try await store.cleaner.run(body)
    }

    func deleteTrashLater() {
        guard let folder = store.state.withLock({ $0.folder }) else { return }
        store.cleaner.submit { [store] in store.deleteTrash(in: folder) }
    }
}
