import CSystemShim
import CXXHash
import TintypeBase

extension DiskStore {
    /// Files from this size on are mapped; below it a read into fresh memory is quicker than the page faults.
    static let mappingThreshold = 1 << 20
    /// Last uses are written to the file (as its access time) at most this often, in seconds.
    static let accessGranularity = 60.0

    /// A file whose contents could be checked, or why not.
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
            // The use is marked here already, so that an ordinary hit looks into the index once. What turns out not to
            // be there or to be damaged leaves the index anyway.
            let known = state.index.use(file.name, at: time) { isExpired($0, at: time, maximumAge: maximumAge) }
            return (state.folder, known, maximumAge)
        }
        guard let folder else { return nil }
        // The owner knows what a file holds; for a guest it may have changed, and its access time counts.
        switch try contents(of: file, expecting: key, folder.isOwner ? known : nil) {
        case .fromTheFuture: return nil
        case .missing:
            forget(file, in: folder)
            // Perhaps the folder itself is gone, or another one by now.
            if !folder.isCurrent(paths) { openFolder() }
            return nil
        case .damaged:
            removeDamaged(file, in: folder)
            return nil
        case .entry(let storedKey, let metadata, let data, let facts):
            if let storedKey, storedKey != key {
                // The name is right and the key is not: the file was renamed, or two keys share 160 bits.
                removeDamaged(file, in: folder)
                return nil
            }
            let record = EntryIndex.Record(
                size: facts.size, storedAt: metadata.storedAt.timeIntervalSinceReferenceDate,
                expiresAt: metadata.expiresAt?.timeIntervalSinceReferenceDate ?? .infinity, lastAccess: facts.accessed)
            var current = record
            // The owner knows best; a guest sees in the file what others did.
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

    /// Brings the index up to date with a hit on what it did not know, and, now and then, the access time of the file.
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

    /// Takes up an entry that the index did not know. Not if it has gone since it was read: in its lane nothing of
    /// ours can remove it between the look and the record.
    private func adopt(_ file: EntryFile, _ record: EntryIndex.Record, in folder: CacheFolder) {
        lanes.runIfFree(file.name) { () -> Void in
            guard let status = files.status(file, in: folder.entries), Int(clamping: status.size) == record.size else {
                return
            }
            self.record(.stored, file, record, in: folder)
        }
    }

    private func touchFile(_ file: EntryFile, in folder: CacheFolder) {
        // Only the order of trimming depends on it: a failure does not matter to anybody.
        _ = file.withFileName { ct_touch_access_time_at(folder.entries, $0) }
    }

    func forget(_ file: EntryFile, in folder: CacheFolder) {
        guard state.withLock({ $0.folder === folder && $0.index.records[file.name] != nil }) else { return }
        lanes.runIfFree(file.name) { () -> Void in
            guard file.withPath(in: paths.entries, { files.status($0) }) == nil else { return }
            record(.removed, file, nil, in: folder)
        }
    }

    // MARK: One file

    /// Reads and checks one file. Throws only what may pass (no memory, no descriptors, an I/O error).
    ///
    /// The file is opened by its whole path and not through the open folder: after a clear by another process that
    /// folder may still hold the old files for a while.
    ///
    /// - Parameters:
    ///   - key: the key that the file ought to hold.
    ///   - known: what the index says of the file. If it is right, the file is read without asking for its size.
    func contents(
        of file: EntryFile, in folder: String? = nil, expecting key: String? = nil, _ known: EntryIndex.Record? = nil
    ) throws(CachingError) -> FileContents {
        do throws(SystemError) {
            return try readContents(of: file, in: folder ?? paths.entries, expecting: key, known)
        } catch {
            switch error.number {
            case ENOENT, ENOTDIR: return .missing
            // A link, a directory or a socket where an entry should be.
            case ELOOP, EISDIR, ENXIO: return .damaged
            default: throw cachingError(error)
            }
        }
    }

    private func readContents(
        of file: EntryFile, in folder: String, expecting key: String?, _ known: EntryIndex.Record?
    ) throws(SystemError) -> FileContents {
        let descriptor = try openFile(file, in: folder)
        defer { close(descriptor) }
        if let known, file.digits == 40, let bytes = try bytesAsKnown(descriptor, count: known.size, key: key) {
            let facts = FileFacts(size: known.size, accessed: known.lastAccess)
            return Self.check(bytes, facts, expecting: key)
        }
        let status = try files.status(descriptor)
        guard status.is_regular != 0, let size = Int(exactly: status.size) else { return .damaged }
        let facts = FileFacts(
            size: size, accessed: Self.referenceSeconds(max(status.accessed, status.modified)))
        if file.digits == 32 {
            guard size > 0 else { return .damaged }
            guard let bytes = try bytes(of: descriptor, count: size) else { return .damaged }
            var metadata = CacheEntryMetadata(
                storedAt: Date(timeIntervalSinceReferenceDate: Self.referenceSeconds(status.modified)))
            metadata.expiresAt = nil
            return .entry(key: nil, metadata: metadata, data: bytes.data(from: 0), status: facts)
        }
        guard size > EntryHeader.size, let bytes = try bytes(of: descriptor, count: size) else { return .damaged }
        return Self.check(bytes, facts, expecting: key)
    }

    private func openFile(_ file: EntryFile, in folder: String) throws(SystemError) -> Int32 {
        let result = file.withPath(in: folder) { path in
            Result { () throws(SystemError) in try files.openForReading(path, in: AT_FDCWD) }
        }
        return try result.get()
    }

    /// The whole file if it is as long as expected: a read of one byte more that comes back one short has met the end.
    /// Nil, and the position at the start again, if it is not, or is to be mapped.
    private func bytesAsKnown(_ descriptor: Int32, count: Int, key: String?) throws(SystemError) -> FileBytes? {
        guard count > EntryHeader.size, count < Self.mappingThreshold else { return nil }
        // Where the payload begins if there is no metadata.
        let payloadOffset = EntryHeader.payloadOffset(key?.utf8.count ?? 0, 0)
        guard var bytes = FileBytes(allocating: count + 1, payloadOffset: payloadOffset) else {
            throw SystemError(operation: .read, number: ENOMEM)
        }
        let got = try bytes.withMutableBytes { (buffer) throws(SystemError) in
            try files.readOnce(descriptor, into: buffer)
        }
        if got == count {
            bytes.shorten(to: count)
            return bytes
        }
        lseek(descriptor, 0, SEEK_SET)
        return nil
    }

    private func bytes(of descriptor: Int32, count: Int) throws(SystemError) -> FileBytes? {
        // Where mapping does not work (some network file systems) reading does.
        if count >= Self.mappingThreshold, let mapped = FileBytes(mapping: descriptor, count: count) { return mapped }
        guard let bytes = FileBytes(allocating: count) else { throw SystemError(operation: .read, number: ENOMEM) }
        let got = try bytes.withMutableBytes { (buffer) throws(SystemError) in
            try files.read(descriptor, into: buffer)
        }
        // Short: somebody cut the file, which nothing of ours does.
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
                    case .entry(let storedKey?, let metadata, let data, _)? = try? contents(of: own, in: folder),
                    storedKey == key
                {
                    return CacheEntry(key: key, data: data, metadata: metadata, isExpired: false)
                }
                for raw in candidates.raw {
                    guard case .entry(nil, let metadata, let data, _)? = try? contents(of: raw, in: folder) else {
                        continue
                    }
                    return CacheEntry(key: key, data: data, metadata: metadata, isExpired: false)
                }
            }
        }
        return nil
    }
}
