import TintypeBase

extension DiskStore {
    // MARK: Expired, then least recently used

    /// Removes what has expired, then, when more than `limit` bytes are left, the least recently used until at most
    /// `target` are.
    func clean(limit: Int, target: Int) throws(CachingError) -> CleanResult {
        guard var folder = state.withLock({ $0.folder }) else { return CleanResult() }
        // The owner may have ended: then this process takes over.
        if !folder.isOwner || !folder.isCurrent(paths) { folder = openFolder() ?? folder }
        try reconcile(folder)
        sweepExports(folder)
        let time = self.time
        let (records, maximumAge) = state.withLock { ($0.index.records, $0.maximumAgeInSeconds) }
        var result = CleanResult()
        var removed = RemovalBatch()
        defer { write(&removed, in: folder) }
        var kept: [(name: EntryName, record: EntryIndex.Record)] = []
        var byteCount = state.withLock { $0.byteCount - $0.index.byteCount }
        for (name, record) in records {
            if isExpired(record, at: time, maximumAge: maximumAge) {
                let size = try removeRecord(name, record, in: folder, &removed)
                if let size {
                    result.expired += 1
                    result.byteCount += size
                    result.names.append(fileName(name))
                }
            } else {
                kept.append((name, record))
                byteCount += record.size
            }
        }
        guard limit >= 0, byteCount > limit else { return result }
        // A use from the future is the mark of a clock that was wrong. Ties are broken by name: always the same order.
        kept.sort {
            let (first, second) = (min($0.record.lastAccess, time), min($1.record.lastAccess, time))
            return first != second ? first < second : ($0.name.high, $0.name.middle) < ($1.name.high, $1.name.middle)
        }
        for (name, record) in kept {
            guard byteCount > target else { break }
            guard let size = try removeRecord(name, record, in: folder, &removed) else { continue }
            byteCount -= size
            result.evicted += 1
            result.byteCount += size
            result.names.append(fileName(name))
        }
        return result
    }

    private func fileName(_ name: EntryName) -> String {
        String(name.hexadecimal.prefix(naming.scheme == .sha256 ? 40 : 32))
    }

    /// Removes an entry unless it was changed since `record` was taken. Returns the bytes given back.
    private func removeRecord(
        _ name: EntryName, _ record: EntryIndex.Record, in folder: CacheFolder, _ removed: inout RemovalBatch
    ) throws(CachingError) -> Int? {
        if removed.names.count >= RemovalBatch.limit { write(&removed, in: folder) }
        let file = state.withLock { $0.index.file(name, digits: naming.scheme == .sha256 ? 40 : 32) }
        return try locks.runIfFree(name) { () throws(CachingError) -> Int? in
            let (change, exported) = state.withLock { ($0.index.records[name]?.change, $0.exports[name] ?? 0) }
            guard change == record.change else { return nil }
            try removeFile(file, in: folder, &removed)
            return record.size + exported
        } ?? nil
    }

    /// Removals that are in the index and not yet in the journal. Should the process die now, the journal has no closing
    /// record, and the next opening compares it with the folder. An entry may have been stored again meanwhile, so
    /// nothing of this may come between the writing of a journal and its closing record: both take `closingLock`.
    struct RemovalBatch {
        static let limit = 64
        var names: [EntryName] = []
    }

    private func write(_ removed: inout RemovalBatch, in folder: CacheFolder) {
        guard !removed.names.isEmpty else { return }
        let names = removed.names
        removed.names.removeAll(keepingCapacity: true)
        locks.run(Self.closingLock) {
            let journal = state.withLock { state -> HintJournal? in
                guard state.folder === folder else { return nil }
                state.journalRecordCount += names.count
                guard state.backlog == nil else {
                    state.backlog?.append(contentsOf: names.map { (.removed, $0, nil) })
                    return nil
                }
                return state.journal
            }
            journal?.append(removed: names)
        }
    }

    // MARK: Everything

    /// Empties the cache at once: the folder is renamed away and deleted afterwards by `deleteTrash`.
    func removeAll() throws(CachingError) {
        let folder = try writableFolder()
        let name = "trash-" + TemporaryName.prefix + String(UInt64.random(in: .min ... .max))
        let entries = paths.entriesComponents.last ?? ""
        guard renameat(folder.entriesParent, entries, folder.state, name) == 0 || errno == ENOENT else {
            throw cachingError(SystemError(operation: .rename, number: errno))
        }
        moveExports(to: name + "-export", in: folder)
        unlinkat(folder.state, HintJournal.fileName, 0)
        openFolder()
        if let problem = state.withLock({ $0.problem }) { throw problem }
    }

    /// Deletes what `removeAll` put aside, here or in a process that died over it.
    func deleteTrash(in folder: CacheFolder) {
        guard folder.state >= 0 else { return }
        var names: [String] = []
        try? files.list(folder.state) { name in
            let text = String(cString: name)
            if text.hasPrefix("trash-") { names.append(text) }
            return true
        }
        for name in names { files.removeTree(name, in: folder.state) }
    }
}

extension DiskStore {
    /// Starts a clean-up on a thread of its own, whatever the size, unless one is running.
    func sweep() {
        startCleaning { _ in true }
    }

    /// Starts a clean-up on a thread of its own when the files hold more bytes than the limit.
    func cleanIfNeeded() {
        startCleaning { state in
            let limit = state.maximumByteCount
            guard limit > 0 else { return false }
            // A guest does not know what others store: it looks each time it has stored an eighth of the limit.
            let isGuest = state.folder?.isOwner == false
            return state.byteCount > limit || (isGuest && state.storedSinceListing > limit / 8)
        }
    }

    private func startCleaning(if isNeeded: (State) -> Bool) {
        let isStarted = state.withLock { state in
            guard !state.isCleaning, !state.isClosed, isNeeded(state) else { return false }
            state.isCleaning = true
            return true
        }
        guard isStarted else { return }
        cleaner.submit { [weak self] in self?.cleanNow() }
    }

    private func cleanNow() {
        let limit = state.withLock { $0.maximumByteCount }
        do {
            let result = try clean(limit: limit > 0 ? limit : -1, target: limit / 2)
            onClean?(result)
        } catch {
            // No caller waits for this clean-up; the next one finds again what it could not remove.
            note(error)
        }
        let isWasteful = state.withLock { state in
            state.isCleaning = false
            return state.journalRecordCount > state.index.count * 4 + 16384
        }
        if isWasteful, let folder = state.withLock({ $0.folder }) { rewriteJournal(folder) }
    }
}
