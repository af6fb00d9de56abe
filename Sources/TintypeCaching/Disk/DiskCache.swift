import TintypeBase

/// The second tier: bytes on disk, one checked file for each entry.
///
/// A reader gets a whole value or a miss, never a mixture, whatever happens: a kill, a power loss, a full disk, a folder
/// that is wiped, made read-only or replaced, other processes in the same folder. Each file starts with a header that
/// names the key and holds checksums; files are written beside their place and renamed into it; what does not check is a
/// miss and is removed. The folder is the truth: the index in memory is a hint that can be rebuilt from it.
///
/// Every operation runs on threads of the cache; the twins that end in `Synchronously` run on the calling thread and
/// block it, for tools and threads that may block.
///
/// Changes of one entry happen one after another. What a call has stored when it returns, every later call sees.
public final class DiskCache: Sendable {
    let store: DiskStore
    private let workers: WorkerPool
    /// Removes expired entries from time to time; ends with the cache.
    private let sweeper: Task<Void, Never>?

    /// Opens the cache and creates its folder. Does file I/O on the calling thread: a few milliseconds.
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

    /// Why nothing can be stored at the moment; nil while all is well.
    public var unavailableReason: CachingError? { store.state.withLock { $0.problem } }

    /// Bytes on disk, headers included. In constant time, unless another process owns the index: then the folder is listed.
    public var byteCount: Int { store.totals.byteCount }

    /// Number of entries; like ``byteCount``.
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

    /// The entry, or nil on a miss; expired ones only with `allowExpired`.
    ///
    /// - Throws: ``CachingError/invalidKey``, or ``CachingError/ioFailed(path:operation:number:)`` for faults that may pass.
    public func entry(for key: String, allowExpired: Bool = false) async throws -> CacheEntry? {
        try await run { [store] in try store.read(key, allowExpired: allowExpired) }
    }

    /// Stores the bytes in place of any older ones. When it returns, the file is complete and every process sees it.
    ///
    /// A cancelled task leaves the old entry and no file behind. After any other failure the old entry is gone.
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

    /// Replaces the metadata and keeps the bytes: for an answer 304.
    ///
    /// - Throws: ``CachingError/notInCache(key:)`` when there is no such entry.
    public func updateMetadata(_ metadata: CacheEntryMetadata, for key: String) async throws {
        try await run { [store] in try store.updateMetadata(metadata, for: key) }
    }

    /// Whether a read would find the entry. May be true for a file that another process has just removed. No I/O where this
    /// process owns the index.
    ///
    /// - Throws: ``CachingError/ioFailed(path:operation:number:)`` for faults that may pass, or `CancellationError`.
    public func contains(_ key: String) async throws -> Bool {
        if let isKnown = store.isInIndex(key) { return isKnown }
        return try await run { [store] in try store.contains(key) }
    }

    /// The file name of an entry without its extension, as in ``CleanResult/names``; nil for the empty key.
    public func entryName(for key: String) -> String? {
        guard !key.isEmpty, let file = store.naming.file(for: key) else { return nil }
        return String(file.fileName.prefix(file.digits))
    }

    /// Removes an entry; no error when there is none.
    public func remove(_ key: String) async throws {
        try await run { [store] in try store.remove(key) }
    }

    /// Empties the cache. Takes about as long as a rename; the files are deleted afterwards in the background.
    public func removeAll() async throws {
        try await run { [store] in try store.removeAll() }
        deleteTrashLater()
    }

    /// The bytes of an entry as a file of their own, byte for byte, with the given extension.
    ///
    /// The file lives as long as the entry: removing, replacing or trimming the entry, and clearing the cache, remove it.
    /// Copy it to keep it.
    ///
    /// - Parameter key: of the entry.
    /// - Parameter fileExtension: 1 to 20 letters and digits without the dot; anything else: no extension.
    /// - Returns: nil when there is no such entry.
    public func fileURL(forOriginalOf key: String, fileExtension: String) async throws -> URL? {
        try await run { [store] in
            try store.exportOriginal(of: key, fileExtension: fileExtension).map { URL(fileURLWithPath: $0) }
        }
    }

    // MARK: Care

    /// Removes what has expired.
    @discardableResult
    public func removeExpired() async throws -> CleanResult {
        try await runCleaner { [store] in try store.clean(limit: -1, target: 0) }
    }

    /// Removes what has expired, then the least recently used until at most `byteCount` bytes are left.
    @discardableResult
    public func trim(toByteCount byteCount: Int) async throws -> CleanResult {
        try await runCleaner { [store] in try store.clean(limit: max(0, byteCount), target: max(0, byteCount)) }
    }

    /// Every entry, oldest first.
    public func entries() async throws -> [EntrySummary] {
        try await runCleaner { [store] in try store.summaries() }
    }

    /// Reads and checks every entry, removes what is damaged and brings the index up to date.
    public func verify() async throws -> VerifyResult {
        try await runCleaner { [store] in try store.verify() }
    }

    /// Writes what makes the next opening quick. Happens by itself when the cache is released; a server that ends in
    /// another way calls this before. Blocks for a moment.
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
