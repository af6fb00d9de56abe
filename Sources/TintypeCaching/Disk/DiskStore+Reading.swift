import CSystemShim
import CXXHashShim

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
        var inode: UInt64
    }

    func read(_ key: String, allowExpired: Bool) throws(CachingError) -> CacheEntry? {
        guard !key.isEmpty else { throw .invalidKey }
        for file in naming.candidates(for: key) {
            if let entry = try readOwn(file, key: key, allowExpired: allowExpired) { return entry }
        }
        return readOnlyPaths.isEmpty ? nil : readFromReadOnlyPaths(key)
    }

    private func readOwn(_ file: EntryFile, key: String, allowExpired: Bool) throws(CachingError) -> CacheEntry? {
        guard var folder = state.withLock({ $0.folder }) else { return nil }
        var contents = try contents(of: file, in: folder.entries)
        if case .missing = contents {
            forget(file, in: folder)
            // Perhaps the folder itself is another one by now.
            guard !folder.isCurrent(paths), let reopened = openFolder() else { return nil }
            folder = reopened
            contents = try self.contents(of: file, in: folder.entries)
        }
        switch contents {
        case .missing, .fromTheFuture: return nil
        case .damaged:
            removeDamaged(file, in: folder)
            return nil
        case .entry(let storedKey, let metadata, let data, let facts):
            if let storedKey, storedKey != key {
                // The name is right and the key is not: the file was renamed, or two keys share 160 bits.
                removeDamaged(file, in: folder)
                return nil
            }
            let time = self.time
            let record = EntryIndex.Record(
                size: facts.size, storedAt: metadata.storedAt.timeIntervalSinceReferenceDate,
                expiresAt: metadata.expiresAt?.timeIntervalSinceReferenceDate ?? .infinity, lastAccess: facts.accessed)
            let (before, maximumAge) = state.withLock { state -> (Double?, Duration?) in
                (state.index.records[file.name]?.lastAccess, state.maximumAge)
            }
            var current = record
            current.lastAccess = max(before ?? facts.accessed, facts.accessed)
            let isExpired = isExpired(current, at: time, maximumAge: maximumAge)
            guard !isExpired || allowExpired else { return nil }
            if !isExpired { noteUse(file, current, in: folder, at: time) }
            return CacheEntry(key: key, data: data, metadata: metadata, isExpired: isExpired)
        }
    }

    /// Brings the index up to date with a hit and, now and then, the access time of the file.
    private func noteUse(_ file: EntryFile, _ record: EntryIndex.Record, in folder: CacheFolder, at time: Double) {
        let before = state.withLock { state -> Double? in
            guard state.folder === folder else { return time }
            if let before = state.index.touch(file.name, at: time) { return before }
            // Stored by another process.
            var record = record
            record.lastAccess = time
            if folder.isOwner { state.index.set(file, record) }
            return record.lastAccess
        }
        guard let before, abs(time - before) >= Self.accessGranularity else { return }
        touchFile(file, in: folder)
    }

    private func touchFile(_ file: EntryFile, in folder: CacheFolder) {
        // Only the order of trimming depends on it: a failure does not matter to anybody.
        _ = file.withFileName { ct_touch_access_time_at(folder.entries, $0) }
    }

    func forget(_ file: EntryFile, in folder: CacheFolder) {
        state.withLock { state in
            guard state.folder === folder else { return }
            state.index.remove(file.name)
        }
    }

    // MARK: One file

    /// Reads and checks one file. Throws only what may pass (no memory, no descriptors, an I/O error).
    func contents(of file: EntryFile, in directory: Int32) throws(CachingError) -> FileContents {
        do throws(SystemError) {
            return try readContents(of: file, in: directory)
        } catch {
            switch error.number {
            case ENOENT, ENOTDIR: return .missing
            // A link, a directory or a socket where an entry should be.
            case ELOOP, EISDIR, ENXIO: return .damaged
            default: throw cachingError(error)
            }
        }
    }

    private func readContents(of file: EntryFile, in directory: Int32) throws(SystemError) -> FileContents {
        let descriptor = try openFile(file, in: directory)
        defer { close(descriptor) }
        let status = try files.status(descriptor)
        guard status.is_regular != 0, let size = Int(exactly: status.size) else { return .damaged }
        let facts = FileFacts(
            size: size, accessed: Self.referenceSeconds(max(status.accessed, status.modified)), inode: status.inode)
        if naming.scheme == .sdWebImage, file.digits == 32 {
            guard size > 0 else { return .damaged }
            guard let bytes = try bytes(of: descriptor, count: size) else { return .damaged }
            var metadata = CacheEntryMetadata(
                storedAt: Date(timeIntervalSinceReferenceDate: Self.referenceSeconds(status.modified)))
            metadata.expiresAt = nil
            return .entry(key: nil, metadata: metadata, data: bytes.data(from: 0), status: facts)
        }
        guard size > EntryHeader.size, let bytes = try bytes(of: descriptor, count: size) else { return .damaged }
        return Self.check(bytes, facts)
    }

    private func openFile(_ file: EntryFile, in directory: Int32) throws(SystemError) -> Int32 {
        let result = file.withFileName { name in
            Result { () throws(SystemError) in try files.openForReading(name, in: directory) }
        }
        return try result.get()
    }

    private func bytes(of descriptor: Int32, count: Int) throws(SystemError) -> FileBytes? {
        // Where mapping does not work (some network file systems) reading does.
        if count >= Self.mappingThreshold, let mapped = FileBytes(mapping: descriptor, count: count) { return mapped }
        guard let bytes = FileBytes(allocating: count) else { throw SystemError(operation: .read, number: ENOMEM) }
        // Short: somebody cut the file, which nothing of ours does.
        return try files.read(descriptor, into: bytes.mutable) == count ? bytes : nil
    }

    static func check(_ bytes: FileBytes, _ facts: FileFacts) -> FileContents {
        let raw = bytes.raw
        let header: EntryHeader
        do {
            header = try EntryHeader(raw, fileByteCount: raw.count)
        } catch {
            switch error {
            case .notAnEntry: return .damaged
            case .fromTheFuture: return .fromTheFuture
            }
        }
        guard header.payloadByteCount > 0, header.isIntact(raw), let base = raw.baseAddress,
            ct_xxh3(base + header.payloadOffset, header.payloadByteCount) == header.payloadChecksum
        else { return .damaged }
        let keyEnd = EntryHeader.size + header.keyByteCount
        guard let key = String(validating: raw[EntryHeader.size..<keyEnd], as: UTF8.self),
            let metadata = CacheEntryMetadata(
                UnsafeRawBufferPointer(rebasing: raw[keyEnd..<keyEnd + header.metadataByteCount]),
                storedAt: header.storedAt, expiresAt: header.expiresAt)
        else { return .damaged }
        return .entry(key: key, metadata: metadata, data: bytes.data(from: header.payloadOffset), status: facts)
    }

    static func referenceSeconds(_ nanosecondsSince1970: Int64) -> Double {
        Double(nanosecondsSince1970) / 1e9 - Date.timeIntervalBetween1970AndReferenceDate
    }

    // MARK: Read-only paths

    private func readFromReadOnlyPaths(_ key: String) -> CacheEntry? {
        let candidates = naming.readOnlyCandidates(for: key)
        for path in readOnlyPaths {
            for folder in [path, path + "/entries"] {
                guard let directory = try? files.openDirectory(folder) else { continue }
                defer { close(directory) }
                if let own = candidates.own,
                    case .entry(let storedKey?, let metadata, let data, _)? = try? contents(
                        of: own, in: directory), storedKey == key
                {
                    return CacheEntry(key: key, data: data, metadata: metadata, isExpired: false)
                }
                for raw in candidates.raw {
                    guard let found = try? rawContents(of: raw, in: directory) else { continue }
                    return CacheEntry(key: key, data: found.data, metadata: found.metadata, isExpired: false)
                }
            }
        }
        return nil
    }

    private func rawContents(
        of file: EntryFile, in directory: Int32
    ) throws(SystemError) -> (data: Data, metadata: CacheEntryMetadata)? {
        let descriptor = try openFile(file, in: directory)
        defer { close(descriptor) }
        let status = try files.status(descriptor)
        guard status.is_regular != 0, let size = Int(exactly: status.size), size > 0,
            let bytes = try bytes(of: descriptor, count: size)
        else { return nil }
        let date = Date(timeIntervalSinceReferenceDate: Self.referenceSeconds(status.modified))
        return (bytes.data(from: 0), CacheEntryMetadata(storedAt: date))
    }
}
