import CSystemShim
import TintypeBase

/// Loading the index, keeping the journal, comparing both with the folder.
extension DiskStore {
    /// What an owner starts with. `isSettled` says that the index is exact and no listing is needed.
    func loadIndex(_ folder: CacheFolder) -> (index: EntryIndex, journal: HintJournal?, isSettled: Bool) {
        guard folder.isOwner, folder.temporaries >= 0, naming.scheme == .sha256 else {
            return (EntryIndex(), nil, false)
        }
        switch HintJournal.load(folder) {
        case .missing, .setAside:
            let journal = HintJournal.rewrite([:], in: folder, temporaryName: temporaryName())
            return (EntryIndex(), journal, false)
        case .contents(let journal, let contents):
            let isExact = !contents.isDamaged && contents.closedAt != nil && contents.closedAt == folder.modified
            let isWasteful = contents.recordCount > contents.index.count * 2 + 1024
            guard contents.isDamaged || isWasteful else { return (contents.index, journal, isExact) }
            let rewritten = HintJournal.rewrite(
                contents.index.records, in: folder, temporaryName: temporaryName())
            return (contents.index, rewritten, isExact)
        }
    }

    /// Changes the index, and then the journal, while `folder` is the one in use. Under the lock of the entry.
    func record(_ kind: HintJournal.Kind, _ file: EntryFile, _ record: EntryIndex.Record?, in folder: CacheFolder) {
        let journal = state.withLock { state -> HintJournal? in
            guard state.folder === folder else { return nil }
            if let record { state.index.set(file, record) } else { state.index.remove(file.name) }
            state.journalRecordCount += 1
            guard state.backlog == nil else {
                state.backlog?.append((kind, file.name, record))
                return nil
            }
            return state.journal
        }
        journal?.append(kind, file.name, record)
    }

    /// Writes the journal anew, without the records that later ones made void. Changes go on meanwhile.
    func rewriteJournal(_ folder: CacheFolder) {
        let records = state.withLock { state -> [EntryName: EntryIndex.Record]? in
            guard state.folder === folder, state.journal != nil, state.backlog == nil else { return nil }
            state.backlog = []
            state.journalRecordCount = state.index.count
            return state.index.records
        }
        guard let records else { return }
        let journal = HintJournal.rewrite(records, in: folder, temporaryName: temporaryName())
        while true {
            let late = state.withLock { state -> [(HintJournal.Kind, EntryName, EntryIndex.Record?)] in
                guard state.folder === folder, let late = state.backlog, !late.isEmpty else {
                    state.backlog = nil
                    if state.folder === folder { state.journal = journal }
                    return []
                }
                state.backlog = []
                return late
            }
            guard !late.isEmpty else { return }
            for (kind, name, record) in late { journal?.append(kind, name, record) }
        }
    }

    /// Makes the next opening quick: last uses go into the journal, and a closing record says that it is exact.
    ///
    /// The folder is listed once more, because other processes may have changed it without this index: the record
    /// names the state of the folder from before the listing, so whatever comes later makes it void.
    func flush() {
        guard let folder = state.withLock({ $0.folder }), folder.isOwner, let modified = folder.modified else { return }
        do {
            try reconcile(folder)
        } catch {
            // Without a listing there is nothing to promise; the next opening looks for itself.
            return
        }
        locks.run(Self.closingLock) {
            rewriteJournal(folder)
            let journal = state.withLock { state -> HintJournal? in
                guard state.folder === folder, state.backlog == nil else { return nil }
                state.isSettled = true
                return state.journal
            }
            journal?.appendClosing(folderModified: modified)
        }
    }

    /// The end: when it returns, the next opening can be a quick one and this process owns the folder no longer, unless a
    /// clean-up is under way. What the background has not begun finds no folder any more.
    func finish() {
        state.withLock { $0.isClosed = true }
        // A comparison that is under way holds the folder, and none may begin now.
        locks.run(Self.settlingLock) {
            flush()
            let closed = state.withLock { state in
                defer { (state.folder, state.journal) = (nil, nil) }
                return (state.folder, state.journal)
            }
            withExtendedLifetime(closed) {}
        }
    }

    /// After a crash, a damaged journal, or changes by others the index is compared with the folder, once, in the
    /// background; what must be exact waits for it here.
    func settle() {
        guard !state.withLock({ $0.isSettled }) else { return }
        locks.run(Self.settlingLock) {
            guard let folder = state.withLock({ $0.isSettled ? nil : $0.folder }) else { return }
            do {
                try reconcile(folder)
            } catch {
                // Stays unsettled: who asks next tries again.
                return
            }
            rewriteJournal(folder)
            state.withLock { state in
                if state.folder === folder, folder.isOwner { state.isSettled = true }
            }
        }
    }

    // Names that no digest gives in practice.
    private static let settlingLock = EntryName(high: 0, middle: 0, low: 1)
    static let openingLock = EntryName(high: 0, middle: 0, low: 2)
    static let closingLock = EntryName(high: 0, middle: 0, low: 4)

    /// Brings the index up to date with the folder. Returns how many records were wrong.
    @discardableResult
    func reconcile(_ folder: CacheFolder) throws(CachingError) -> Int {
        try locks.run(EntryName(high: 0, middle: 0, low: 3)) { () throws(CachingError) -> Int in
            let (start, known) = state.withLock { state in (state.index.beginListing(), state.index.records) }
            var seen: [EntryFile: EntryIndex.Record] = [:]
            do throws(SystemError) {
                seen = try listEntries(folder, known: known)
            } catch {
                state.withLock { $0.index.abandonListing() }
                throw cachingError(error)
            }
            loadExports(folder)
            return state.withLock { state in
                guard state.folder === folder else {
                    state.index.abandonListing()
                    return 0
                }
                state.storedSinceListing = 0
                return state.index.finishListing(since: start, seen: seen)
            }
        }
    }

    private func listEntries(
        _ folder: CacheFolder, known: [EntryName: EntryIndex.Record]
    ) throws(SystemError) -> [EntryFile: EntryIndex.Record] {
        var seen: [EntryFile: EntryIndex.Record] = [:]
        seen.reserveCapacity(known.count)
        try files.list(folder.entries) { name in
            let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
            // Hidden files, links and the files of other users are no entries.
            guard let file = naming.file(named: bytes), let status = files.status(name, in: folder.entries),
                status.isOwnFile
            else { return true }
            // The facts of raw files are their dates, which are at hand; for our own the header would have to be read.
            if var record = known[file.name], record.size == Int(clamping: status.size), file.digits == 40 {
                record.lastAccess = max(record.lastAccess, Self.referenceSeconds(status.accessed))
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
}
