import TintypeConcurrency

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The blocking machinery of a ``DiskCache``: everything here runs on the caller's thread and touches files.
final class DiskStore: Sendable {
    struct State {
        var folder: CacheFolder?
        /// Why the folder cannot be used, while it cannot.
        var problem: CachingError?
        var index = EntryIndex()
        var maximumByteCount: Int
        var maximumAge: Duration?
        var isCleaning = false
        var temporaryNumber: UInt64 = 0
    }

    let paths: CachePaths
    let naming: EntryNaming
    let files: FileLayer
    let readOnlyPaths: [String]
    let expiration: CacheExpiration
    let now: @Sendable () -> Date
    let onProblem: (@Sendable (CachingError) -> Void)?
    let state: Locked<State>
    let lanes = KeyLanes()
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
        state = Locked(
            State(maximumByteCount: configuration.maximumByteCount, maximumAge: configuration.maximumAge))
        openFolder()
    }

    // MARK: The folder

    /// Opens the folder, or opens it again after it was found gone. Never throws: without a folder every read misses.
    @discardableResult
    func openFolder() -> CacheFolder? {
        let previous = state.withLock { $0.folder }
        do {
            let folder = try CacheFolder(paths, files: files, previous: previous)
            var index = EntryIndex()
            sweepTemporaries(folder)
            if folder.isOwner { loadIndex(&index, folder) }
            state.withLock { state in
                state.folder = folder
                state.index = index
            }
            note(folder.writeProblem.map { cachingError($0) })
            return folder
        } catch {
            state.withLock { state in
                state.folder = nil
                state.index = EntryIndex()
            }
            note(cachingError(error))
            return nil
        }
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
        default: .ioFailed(path: paths.root, operation: error.operation.rawValue, number: error.number)
        }
    }

    // MARK: Time

    var time: Double { now().timeIntervalSinceReferenceDate }

    /// When an entry expires: by its own date, else by the age rule. +∞: never.
    func expiry(of record: EntryIndex.Record, maximumAge: Duration?) -> Double {
        if record.expiresAt != .infinity { return record.expiresAt }
        guard let maximumAge, maximumAge >= .zero else { return .infinity }
        return (expiration == .sinceStored ? record.storedAt : max(record.storedAt, record.lastAccess))
            + maximumAge.inSeconds
    }

    /// Equality counts as expired. An entry from further ahead than its whole life was stored under a wrong clock
    /// and would otherwise stay for as long as that clock was wrong.
    func isExpired(_ record: EntryIndex.Record, at time: Double, maximumAge: Duration?) -> Bool {
        if expiry(of: record, maximumAge: maximumAge) <= time { return true }
        guard record.expiresAt == .infinity, let maximumAge, maximumAge >= .zero else { return false }
        return record.storedAt - time >= maximumAge.inSeconds
    }
}

extension Duration {
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
