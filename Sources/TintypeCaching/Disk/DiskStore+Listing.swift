import TintypeBase

extension DiskStore {
    // MARK: Size and count

    /// The size and count. O(1) for the owner of the index; a guest lists the folder.
    var totals: (count: Int, byteCount: Int) {
        guard let folder = state.withLock({ $0.folder }) else { return (0, 0) }
        if folder.isOwner {
            settle()
        } else {
            // A guest that cannot list uses its last numbers.
            _ = try? reconcile(folder)
        }
        return state.withLock { ($0.index.count, $0.byteCount) }
    }

    func contains(_ key: String) throws(CachingError) -> Bool {
        if let isKnown = isInIndex(key) { return isKnown }
        return try read(key, allowExpired: false) != nil
    }

    /// Returns whether the index holds an entry that has not expired; nil if only the files can tell. No I/O.
    func isInIndex(_ key: String) -> Bool? {
        guard !key.isEmpty else { return false }
        let time = self.time
        let known = naming.candidates(for: key).map { isInIndex($0, at: time) }
        if known.contains(true) { return true }
        return known.contains(nil) || !readOnlyPaths.isEmpty ? nil : false
    }

    /// Nil if another process owns the index, or it is not complete yet.
    private func isInIndex(_ file: EntryFile, at time: Double) -> Bool? {
        state.withLock { state in
            guard state.isSettled, state.folder?.isOwner == true else { return nil }
            guard let record = state.index.records[file.name] else { return false }
            return !isExpired(record, at: time, maximumAge: state.maximumAgeInSeconds)
        }
    }

    // MARK: Listing and checking

    func summaries() throws(CachingError) -> [EntrySummary] {
        guard let folder = state.withLock({ $0.folder }) else { return [] }
        try reconcile(folder)
        let time = self.time
        let (index, maximumAge) = state.withLock { ($0.index, $0.maximumAgeInSeconds) }
        var summaries: [EntrySummary] = []
        for (name, record) in index.records {
            let file = index.file(name, digits: naming.scheme == .sha256 ? 40 : 32)
            guard case .entry(let key, let metadata, let data, _) = try contents(of: file, in: folder) else {
                continue
            }
            let expiry = expiry(of: record, maximumAge: maximumAge)
            summaries.append(
                EntrySummary(
                    key: key ?? file.fileName, byteCount: data.count, fileByteCount: record.size,
                    storedAt: metadata.storedAt, lastAccess: Date(timeIntervalSinceReferenceDate: record.lastAccess),
                    expiresAt: expiry == .infinity ? nil : Date(timeIntervalSinceReferenceDate: expiry),
                    contentType: metadata.contentType,
                    isExpired: isExpired(record, at: time, maximumAge: maximumAge)))
        }
        return summaries.sorted { ($0.storedAt, $0.key) < ($1.storedAt, $1.key) }
    }

    func verify() throws(CachingError) -> VerifyResult {
        var result = VerifyResult()
        guard let folder = state.withLock({ $0.folder }) else { return result }
        result.temporaries = sweepTemporaries(folder)
        result.corrected = try reconcile(folder)
        sweepExports(folder)
        let index = state.withLock { $0.index }
        for name in index.records.keys {
            let file = index.file(name, digits: naming.scheme == .sha256 ? 40 : 32)
            switch try contents(of: file, in: folder) {
            case .missing: continue
            case .fromTheFuture: result.checked += 1
            case .damaged:
                result.checked += 1
                result.damaged.append(file.fileName)
                removeDamaged(file, in: folder)
            case .entry(let key, _, _, let facts):
                result.checked += 1
                if let key, naming.file(for: key)?.name != name {
                    result.damaged.append(file.fileName)
                    _ = try? locks.run(name) { () throws(CachingError) in try removeFile(file, in: folder) }
                } else {
                    result.byteCount += facts.size
                }
            }
        }
        result.damaged.sort()
        return result
    }
}
