import CSystemShim
import CXXHash
import TintypeBase

extension DiskStore {
    /// Files from this size on are mapped in a private folder; below it a read into fresh memory is quicker than the page
    /// faults.
    static let mappingThreshold = 1 << 20
    /// Last uses are written to the file (as its access time) at most this often, in seconds.
    static let accessGranularity = 60.0

    /// The result of reading and checking a file.
    enum FileContents {
        case missing
        case damaged
        case fromTheFuture
        case entry(key: String?, metadata: CacheEntryMetadata, data: Data, status: FileFacts)
    }

    struct FileFacts {
        var size: Int
        var accessed: Double
    }

    func read(_ key: String, allowExpired: Bool) throws(CachingError) -> CacheEntry? {
        guard !key.isEmpty else { throw .invalidKey }
        if naming.scheme == .sha256 {
            if let file = naming.file(for: key), let entry = try readOwn(file, key: key, allowExpired: allowExpired) {
                return entry
            }
        } else {
            for file in naming.candidates(for: key) {
                if let entry = try readOwn(file, key: key, allowExpired: allowExpired) { return entry }
            }
        }
        return readOnlyPaths.isEmpty ? nil : readFromReadOnlyPaths(key)
    }

    private func readOwn(_ file: EntryFile, key: String, allowExpired: Bool) throws(CachingError) -> CacheEntry? {
        let time = self.time
        let (folder, known, maximumAge) = state.withLock { state in
            let maximumAge = state.maximumAgeInSeconds
            // The use is recorded here, so that a usual hit accesses the index once. A missing or corrupt entry is removed
            // from the index anyway.
            let known = state.index.use(file.name, at: time) { isExpired($0, at: time, maximumAge: maximumAge) }
            return (state.folder, known, maximumAge)
        }
        guard var folder else { return nil }
        // After a clear by another process the open folder may still hold the old files for a while.
        if !folder.isCurrent(paths) {
            guard let current = openFolder() else { return nil }
            folder = current
        }
        switch try contents(of: file, in: folder, expecting: key) {
        case .fromTheFuture: return nil
        case .missing:
            forget(file, in: folder)
            return nil
        case .damaged:
            removeDamaged(file, in: folder)
            return nil
        case .entry(let storedKey, let metadata, let data, let facts):
            if let storedKey, storedKey != key {
                // The name matches and the key does not: the file was renamed, or two keys share 160 bits.
                removeDamaged(file, in: folder)
                return nil
            }
            let record = EntryIndex.Record(
                size: facts.size, storedAt: metadata.storedAt.timeIntervalSinceReferenceDate,
                expiresAt: metadata.expiresAt?.timeIntervalSinceReferenceDate ?? .infinity, lastAccess: facts.accessed)
            var current = record
            // The owner's index is exact; a guest reads the uses of others from the file.
            let before = known?.lastAccess ?? facts.accessed
            current.lastAccess = folder.isOwner ? before : max(before, facts.accessed)
            let isExpired = isExpired(current, at: time, maximumAge: maximumAge)
            if isExpired {
                return allowExpired ? CacheEntry(key: key, data: data, metadata: metadata, isExpired: true) : nil
            }
            if let known, known.describesTheSame(as: record), !self.isExpired(known, at: time, maximumAge: maximumAge) {
                if abs(time - known.lastAccess) >= Self.accessGranularity { touchFile(file, in: folder) }
            } else {
                noteUse(file, current, in: folder, at: time)
            }
            return CacheEntry(key: key, data: data, metadata: metadata, isExpired: false)
        }
    }

    /// Records a hit on an entry that the index did not know, and updates the access time of the file.
    private func noteUse(_ file: EntryFile, _ record: EntryIndex.Record, in folder: CacheFolder, at time: Double) {
        let before = state.withLock { state -> Double? in
            guard state.folder === folder else { return time }
            return state.index.use(file.name, at: time)?.lastAccess
        }
        guard let before else {
            // Stored by another process.
            if abs(time - record.lastAccess) >= Self.accessGranularity { touchFile(file, in: folder) }
            var record = record
            record.lastAccess = time
            if folder.isOwner { adopt(file, record, in: folder) }
            return
        }
        guard abs(time - before) >= Self.accessGranularity else { return }
        touchFile(file, in: folder)
    }

    /// Takes up an entry that the index did not know. Not if it has gone since it was read: under its lock nothing of
    /// ours can remove it between the look and the record.
    private func adopt(_ file: EntryFile, _ record: EntryIndex.Record, in folder: CacheFolder) {
        locks.runIfFree(file.name) { () -> Void in
            guard let status = files.status(file, in: folder.entries), status.isOwnFile,
                Int(clamping: status.size) == record.size
            else { return }
            self.record(.stored, file, record, in: folder)
        }
    }

    private func touchFile(_ file: EntryFile, in folder: CacheFolder) {
        // Only the order of trimming depends on it, so a failure is ignored.
        _ = file.withFileName { ct_touch_access_time_at(folder.entries, $0) }
    }

    func forget(_ file: EntryFile, in folder: CacheFolder) {
        guard state.withLock({ $0.folder === folder && $0.index.records[file.name] != nil }) else { return }
        locks.runIfFree(file.name) { () -> Void in
            guard files.status(file, in: folder.entries)?.isOwnFile != true else { return }
            record(.removed, file, nil, in: folder)
        }
    }

    // MARK: One file

    /// Reads and checks one file of the cache. Throws only what may pass (no memory, no descriptors, an I/O error).
    ///
    /// - Parameter key: the key that the file ought to hold.
    func contents(
        of file: EntryFile, in folder: CacheFolder, expecting key: String? = nil
    ) throws(CachingError) -> FileContents {
        try contents(expecting: key, file, isForeignAllowed: false, folder) {
            () throws(SystemError) in
            let result = file.withFileName { name in
                Result { () throws(SystemError) in try files.openForReading(name, in: folder.entries) }
            }
            return try result.get()
        }
    }

    /// The same for a folder that the caller has named, whose files may belong to any user.
    private func contents(of file: EntryFile, inReadOnly folder: String) throws(CachingError) -> FileContents {
        try contents(expecting: nil, file, isForeignAllowed: true, nil) { () throws(SystemError) in
            let result = (folder + "/" + file.fileName).withCString { path in
                Result { () throws(SystemError) in try files.openForReading(path, in: AT_FDCWD) }
            }
            return try result.get()
        }
    }

    private func contents(
        expecting key: String?, _ file: EntryFile, isForeignAllowed: Bool, _ folder: CacheFolder?,
        open: () throws(SystemError) -> Int32
    ) throws(CachingError) -> FileContents {
        do throws(SystemError) {
            let descriptor = try open()
            defer { close(descriptor) }
            let status = try files.status(descriptor)
            guard status.is_regular != 0, let size = Int(exactly: status.size) else { return .damaged }
            guard isForeignAllowed || status.isOwnFile else { return .missing }
            let facts = FileFacts(size: size, accessed: Self.referenceSeconds(max(status.accessed, status.modified)))
            let isRaw = file.digits == 32
            guard size > (isRaw ? 0 : EntryHeader.size) else { return .damaged }
            // The payload of an entry without metadata begins here.
            let payloadOffset = isRaw ? 0 : EntryHeader.payloadOffset(key?.utf8.count ?? 0, 0)
            let canMap = size >= Self.mappingThreshold && folder?.isPrivate == true
            guard let bytes = try bytes(of: descriptor, count: size, payloadOffset: payloadOffset, canMap: canMap)
            else {
                return .damaged
            }
            guard isRaw else { return Self.check(bytes, facts, expecting: key) }
            let metadata = CacheEntryMetadata(
                storedAt: Date(timeIntervalSinceReferenceDate: Self.referenceSeconds(status.modified)))
            return .entry(key: nil, metadata: metadata, data: bytes.data(from: 0), status: facts)
        } catch {
            switch error.number {
            case ENOENT, ENOTDIR: return .missing
            // A link, a directory or a socket where an entry should be.
            case ELOOP, EISDIR, ENXIO: return .damaged
            default: throw cachingError(error)
            }
        }
    }

    private func bytes(
        of descriptor: Int32, count: Int, payloadOffset: Int, canMap: Bool
    ) throws(SystemError) -> FileBytes? {
        // Where mapping does not work (some network file systems) reading does.
        if canMap, let mapped = FileBytes(mapping: descriptor, count: count) { return mapped }
        guard let bytes = FileBytes(allocating: count, payloadOffset: payloadOffset) else {
            throw SystemError(operation: .read, number: ENOMEM)
        }
        let got = try bytes.withMutableBytes { (buffer) throws(SystemError) in
            try files.read(descriptor, into: buffer)
        }
        // Short: the file was truncated, which this cache never does.
        guard got == count else { return nil }
        return bytes
    }

    private static func check(
        _ bytes: consuming FileBytes, _ facts: FileFacts, expecting expected: String?
    ) -> FileContents {
        var found: (key: String, metadata: CacheEntryMetadata, payloadOffset: Int)?
        var fault = EntryHeader.Fault.notAnEntry
        bytes.withBytes { raw in
            let header: EntryHeader
            do throws(EntryHeader.Fault) {
                header = try EntryHeader(raw, fileByteCount: raw.count)
            } catch {
                fault = error
                return
            }
            guard header.payloadByteCount > 0, header.isIntact(raw), let base = raw.baseAddress,
                ct_xxh3(base + header.payloadOffset, header.payloadByteCount) == header.payloadChecksum
            else { return }
            let keyEnd = EntryHeader.size + header.keyByteCount
            guard let key = key(UnsafeRawBufferPointer(rebasing: raw[EntryHeader.size..<keyEnd]), expecting: expected),
                let metadata = CacheEntryMetadata(
                    UnsafeRawBufferPointer(rebasing: raw[keyEnd..<keyEnd + header.metadataByteCount]),
                    storedAt: header.storedAt, expiresAt: header.expiresAt)
            else { return }
            found = (key, metadata, header.payloadOffset)
        }
        guard let found else {
            switch fault {
            case .notAnEntry: return .damaged
            case .fromTheFuture: return .fromTheFuture
            }
        }
        let data = bytes.data(from: found.payloadOffset)
        return .entry(key: found.key, metadata: found.metadata, data: data, status: facts)
    }

    /// The expected key itself where the file holds its bytes, without making another string of them.
    private static func key(_ bytes: UnsafeRawBufferPointer, expecting expected: String?) -> String? {
        if var expected {
            let isSame = expected.withUTF8 { $0.elementsEqual(bytes) }
            if isSame { return expected }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    static func referenceSeconds(_ nanosecondsSince1970: Int64) -> Double {
        Double(nanosecondsSince1970) / 1e9 - Date.timeIntervalBetween1970AndReferenceDate
    }

    // MARK: Read-only paths

    private func readFromReadOnlyPaths(_ key: String) -> CacheEntry? {
        let candidates = naming.readOnlyCandidates(for: key)
        for path in readOnlyPaths {
            for folder in [path, path + "/entries"] {
                // What cannot be read there is looked for in the next place.
                if let own = candidates.own,
                    case .entry(let storedKey?, let metadata, let data, _)? = try? contents(of: own, inReadOnly: folder),
                    storedKey == key
                {
                    return CacheEntry(key: key, data: data, metadata: metadata, isExpired: false)
                }
                for raw in candidates.raw {
                    guard case .entry(nil, let metadata, let data, _)? = try? contents(of: raw, inReadOnly: folder)
                    else {
                        continue
                    }
                    return CacheEntry(key: key, data: data, metadata: metadata, isExpired: false)
                }
            }
        }
        return nil
    }
}
