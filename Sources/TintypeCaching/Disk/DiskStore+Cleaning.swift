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

extension DiskStore {
    // MARK: Comparing index and folder

    /// Brings the index up to date with the folder. Returns how many records were wrong.
    @discardableResult
    func reconcile(_ folder: CacheFolder) throws(CachingError) -> Int {
        let (start, known) = state.withLock { state in (state.index.beginListing(), state.index.records) }
        var seen: [EntryFile: EntryIndex.Record] = [:]
        do throws(SystemError) {
            seen = try listEntries(folder, known: known)
        } catch {
            _ = state.withLock { $0.index.finishListing(since: .max, seen: [:]) }
            throw cachingError(error)
        }
        return state.withLock { state in
            guard state.folder === folder else { return 0 }
            return state.index.finishListing(since: start, seen: seen)
        }
    }

    func listEntries(
        _ folder: CacheFolder, known: [EntryName: EntryIndex.Record]
    ) throws(SystemError) -> [EntryFile: EntryIndex.Record] {
        var seen: [EntryFile: EntryIndex.Record] = [:]
        seen.reserveCapacity(known.count)
        try files.list(folder.entries) { name in
            let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
            // Hidden files and whatever else lies there are nobody's business.
            guard let file = naming.file(named: bytes), let status = files.status(name, in: folder.entries),
                status.is_regular != 0
            else { return true }
            let size = Int(clamping: status.size)
            if let record = known[file.name], record.size == size {
                seen[file] = record
            } else {
                seen[file] = record(of: file, in: folder, status: status)
            }
            return true
        }
        return seen
    }

    /// From the header of the file, or from its dates where it has none that can be read.
    private func record(of file: EntryFile, in folder: CacheFolder, status: FileStatus) -> EntryIndex.Record {
        let modified = Self.referenceSeconds(status.modified)
        var record = EntryIndex.Record(
            size: Int(clamping: status.size), storedAt: modified, expiresAt: .infinity,
            lastAccess: max(modified, Self.referenceSeconds(status.accessed)))
        if let header = header(of: file, in: folder) {
            record.storedAt = header.storedAt
            record.expiresAt = header.expiresAt
        }
        return record
    }

    private func header(of file: EntryFile, in folder: CacheFolder) -> EntryHeader? {
        guard naming.scheme == .sha256 else { return nil }
        return file.withFileName { name in
            guard let descriptor = try? files.openForReading(name, in: folder.entries) else { return nil }
            defer { close(descriptor) }
            return withUnsafeTemporaryAllocation(byteCount: EntryHeader.size, alignment: 8) { buffer in
                guard let status = try? files.status(descriptor),
                    (try? files.read(descriptor, into: buffer)) == EntryHeader.size
                else { return nil }
                return try? EntryHeader(UnsafeRawBufferPointer(buffer), fileByteCount: Int(clamping: status.size))
            }
        }
    }

    // MARK: Expired, then least recently used

    /// Removes what has expired, then, when more than `limit` bytes are left, the least recently used until at most
    /// `target` are.
    func clean(limit: Int, target: Int) throws(CachingError) -> CleanResult {
        guard let folder = state.withLock({ $0.folder }) else { return CleanResult() }
        try reconcile(folder)
        let time = self.time
        let (records, maximumAge) = state.withLock { ($0.index.records, $0.maximumAge) }
        var result = CleanResult()
        var kept: [(name: EntryName, record: EntryIndex.Record)] = []
        var byteCount = 0
        for (name, record) in records {
            if isExpired(record, at: time, maximumAge: maximumAge) {
                let size = try removeRecord(name, record, in: folder)
                result.expired += size == nil ? 0 : 1
                result.byteCount += size ?? 0
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
            guard let size = try removeRecord(name, record, in: folder) else { continue }
            byteCount -= size
            result.evicted += 1
            result.byteCount += size
        }
        return result
    }

    /// Removes an entry unless it was changed or used since `record` was taken. Returns its size.
    private func removeRecord(
        _ name: EntryName, _ record: EntryIndex.Record, in folder: CacheFolder
    ) throws(CachingError) -> Int? {
        let file = state.withLock { $0.index.file(name, digits: naming.scheme == .sha256 ? 40 : 32) }
        let removed = try lanes.runIfFree(name) { () throws(CachingError) -> Bool in
            guard state.withLock({ $0.index.records[name]?.change }) == record.change else { return false }
            try removeFile(file, in: folder)
            return true
        }
        return removed == true ? record.size : nil
    }

    // MARK: Everything

    /// Empties the cache at once: the folder is renamed away and deleted afterwards by `deleteTrash`.
    func removeAll() throws(CachingError) {
        let folder = try writableFolder()
        let name = "trash-" + TemporaryName.prefix + String(UInt64.random(in: .min ... .max))
        guard rename(paths.entries, paths.state + "/" + name) == 0 || errno == ENOENT else {
            throw cachingError(SystemError(operation: .rename, number: errno))
        }
        _ = folder
        _ = renameat(folder.state, "export", folder.state, name + "-export")
        openFolder()
        if let problem = state.withLock({ $0.problem }) { throw problem }
    }

    /// Deletes what `removeAll` put aside, here or in a process that died over it.
    func deleteTrash() {
        guard let folder = state.withLock({ $0.folder }), folder.state >= 0 else { return }
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
    /// Starts a clean-up on a thread of its own when the files hold more than they may.
    func cleanIfNeeded() {
        let isNeeded = state.withLock { state in
            guard state.maximumByteCount > 0, state.index.byteCount > state.maximumByteCount, !state.isCleaning else {
                return false
            }
            state.isCleaning = true
            return true
        }
        guard isNeeded else { return }
        cleaner.submit { [weak self] in self?.cleanNow() }
    }

    private func cleanNow() {
        let limit = state.withLock { $0.maximumByteCount }
        do {
            _ = try clean(limit: limit, target: limit / 2)
        } catch {
            // Nobody waits for this clean-up; what it could not remove the next one finds again.
            note(error)
        }
        state.withLock { $0.isCleaning = false }
    }
}
