import TintypeBase

/// The blocking machinery of a ``DiskCache``: everything here runs on the caller's thread and touches files.
final class DiskStore: Sendable {
    struct State {
        var folder: CacheFolder?
        /// Why the folder cannot be used, while it cannot.
        var problem: CachingError?
        var index = EntryIndex()
        var maximumByteCount: Int
        var maximumAge: Duration? {
            didSet { maximumAgeInSeconds = Self.seconds(maximumAge) }
        }
        /// +∞: entries without a date of their own do not expire.
        private(set) var maximumAgeInSeconds: Double
        var isCleaning = false
        var temporaryNumber: UInt64 = 0
        /// Whether the index is known to agree with the folder, but for what other processes do.
        var isSettled = false
        /// Nil for guests, read-only folders and SDWebImage's naming.
        var journal: HintJournal?
        /// Records that came while the journal was being rewritten; nil at other times.
        var backlog: [(HintJournal.Kind, EntryName, EntryIndex.Record?)]?
        var journalRecordCount = 0
        /// Bytes of exported originals by entry.
        var exports: [EntryName: Int] = [:]
        var exportByteCount = 0
        var storedSinceListing = 0
        /// The cache is gone: nothing may open its folder again.
        var isClosed = false

        init(maximumByteCount: Int, maximumAge: Duration?) {
            self.maximumByteCount = maximumByteCount
            self.maximumAge = maximumAge
            maximumAgeInSeconds = Self.seconds(maximumAge)
        }

        private static func seconds(_ age: Duration?) -> Double {
            if let age, age >= .zero { age.inSeconds } else { .infinity }
        }

        /// What counts against the limit: entries and exported originals.
        var byteCount: Int { index.byteCount + exportByteCount }
    }

    let paths: CachePaths
    let naming: EntryNaming
    let files: FileLayer
    let readOnlyPaths: [String]
    let expiration: CacheExpiration
    let now: @Sendable () -> Date
    let onProblem: (@Sendable (CachingError) -> Void)?
    let onClean: (@Sendable (CleanResult) -> Void)?
    let state: Locked<State>
    let locks = EntryLocks()
    let cleaner = WorkerPool(name: "tintype-clean", width: 1, stackSize: 512 << 10)

    init(_ configuration: DiskCache.Configuration, root: String) {
        paths = CachePaths(root: root, namespace: configuration.namespace, naming: configuration.naming)
        naming = EntryNaming(configuration.naming)
        files = configuration.files
        var seen: Set<String> = []
        readOnlyPaths = configuration.readOnlyPaths.map(\.path).filter { seen.insert($0).inserted }
        expiration = configuration.expiration
        now = configuration.now
        onProblem = configuration.onProblem
        onClean = configuration.onClean
        state = Locked(
            State(maximumByteCount: configuration.maximumByteCount, maximumAge: configuration.maximumAge))
        openFolder()
    }

    // MARK: The folder

    /// Opens the folder, or opens it again after it was found gone. Never throws: without a folder every read misses.
    @discardableResult
    func openFolder() -> CacheFolder? {
        let (before, isClosed) = state.withLock { ($0.folder, $0.isClosed) }
        guard !isClosed else { return nil }
        return locks.run(Self.openingLock) {
            // Another thread may have done it while this one waited.
            let previous = state.withLock { $0.folder }
            if let previous, previous !== before, previous.writeProblem == nil, previous.isCurrent(paths) {
                return previous
            }
            return replaceFolder(previous)
        }
    }

    private func replaceFolder(_ previous: CacheFolder?) -> CacheFolder? {
        do throws(SystemError) {
            let folder = try makeFolder(previous)
            sweepTemporaries(folder)
            let loaded = loadIndex(folder)
            let isWanted = state.withLock { state in
                // The cache may have been released while a clean-up of it came here.
                guard !state.isClosed else { return false }
                state.folder = folder
                state.index = loaded.index
                state.journal = loaded.journal
                state.isSettled = loaded.isSettled
                state.backlog = nil
                state.exports = [:]
                state.exportByteCount = 0
                state.journalRecordCount = loaded.index.count
                return true
            }
            guard isWanted else { return nil }
            loadExports(folder)
            note(folder.writeProblem.map { cachingError($0) })
            if folder.isOwner, !loaded.isSettled { cleaner.submit { [weak self] in self?.settle() } }
            return folder
        } catch {
            state.withLock { state in
                state.folder = nil
                state.index = EntryIndex()
                state.journal = nil
                state.backlog = nil
                state.exports = [:]
                state.exportByteCount = 0
            }
            note(cachingError(error))
            return nil
        }
    }

    private func makeFolder(_ previous: CacheFolder?) throws(SystemError) -> CacheFolder {
        for _ in 0..<8 {
            do throws(SystemError) {
                return try CacheFolder(paths, files: files, previous: previous)
            } catch {
                // Another process may clear the cache between the making of the folder and its opening.
                guard error.number == ENOENT else { throw error }
            }
        }
        return try CacheFolder(paths, files: files, previous: previous)
    }

    /// The open folder, opened again when another one has taken its place; nil when there is none.
    func currentFolder() -> CacheFolder? {
        guard let folder = state.withLock({ $0.folder }) else { return nil }
        return folder.isCurrent(paths) ? folder : openFolder()
    }

    /// The folder for a write, opened again when it is gone or was not usable.
    func writableFolder() throws(CachingError) -> CacheFolder {
        var folder = state.withLock { $0.folder }
        if folder == nil || folder?.writeProblem != nil || folder?.isCurrent(paths) == false { folder = openFolder() }
        guard let folder, folder.writeProblem == nil else {
            throw state.withLock { $0.problem } ?? .unavailable(path: paths.root, reason: "it cannot be opened")
        }
        return folder
    }

    /// Remembers why the folder cannot be used (or that it can again) and tells the owner once per change.
    func note(_ problem: CachingError?) {
        let isNew = state.withLock { state in
            let isNew = problem != nil && state.problem == nil
            state.problem = problem
            return isNew
        }
        if isNew, let problem { onProblem?(problem) }
    }

    func cachingError(_ error: SystemError) -> CachingError {
        switch error.number {
        case ENOSPC, EDQUOT: .diskFull(path: paths.root)
        case EROFS:
            .unavailable(
                path: paths.root, reason: "the file system is read-only; make it writable or choose another folder")
        case EACCES, EPERM:
            .unavailable(path: paths.root, reason: "no permission to write there; change it or choose another folder")
        case ENOTDIR: .unavailable(path: paths.root, reason: "a file is in the way; remove it or choose another folder")
        case SystemError.foreignOwner:
            .unavailable(path: paths.root, reason: "it belongs to another user; choose another folder")
        case SystemError.linkInTheWay:
            .unavailable(
                path: paths.root, reason: "a symbolic link is in the way; remove it, or link the folder above it")
        default: .ioFailed(path: paths.root, operation: error.operation.rawValue, number: error.number)
        }
    }

    // MARK: Time

    var time: Double { now().timeIntervalSinceReferenceDate }

    /// When an entry expires: by its own date, else by the age rule. +∞: never.
    func expiry(of record: EntryIndex.Record, maximumAge: Double) -> Double {
        if record.expiresAt != .infinity { return record.expiresAt }
        return (expiration == .sinceStored ? record.storedAt : max(record.storedAt, record.lastAccess)) + maximumAge
    }

    /// Equality counts as expired. An entry from further ahead than its whole life was stored under a wrong clock
    /// and would otherwise stay for as long as that clock was wrong.
    func isExpired(_ record: EntryIndex.Record, at time: Double, maximumAge: Double) -> Bool {
        if expiry(of: record, maximumAge: maximumAge) <= time { return true }
        return record.expiresAt == .infinity && record.storedAt - time >= maximumAge
    }
}
