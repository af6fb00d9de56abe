import CSystemShim
import TintypeBase

extension DiskStore {
    /// Stores the bytes in place of any older ones. After a failure the older ones are gone too: they are known to be
    /// out of date, and a miss is better than a wrong image.
    ///
    /// - Returns: false when `isCancelled` said so before the entry was complete; then nothing has changed.
    func store(
        _ data: Data, for key: String, metadata: CacheEntryMetadata, isCancelled: () -> Bool = { false }
    ) throws(CachingError) -> Bool {
        guard !key.isEmpty, let file = naming.file(for: key) else { throw .invalidKey }
        guard !data.isEmpty else {
            try remove(key)
            throw .emptyBody
        }
        let metadata = sanitized(metadata)
        let limit = state.withLock { $0.maximumByteCount }
        guard limit <= 0 || data.count <= limit else {
            try remove(key)
            throw .entryTooLarge(byteCount: data.count, limit: limit)
        }
        let header = data.withUnsafeBytes { self.header(for: key, metadata, $0) }
        guard let header else { throw .invalidKey }
        let isStored = try locks.run(file.name) { () throws(CachingError) -> Bool in
            do throws(CachingError) {
                return try data.withUnsafeBytes { payload in
                    Result { () throws(CachingError) in
                        try write(header, payload, to: file, metadata: metadata, isCancelled: isCancelled)
                    }
                }.get()
            } catch {
                if let folder = state.withLock({ $0.folder }) { _ = try? removeFile(file, in: folder) }
                throw error
            }
        }
        if isStored {
            removeOtherNames(of: key, than: file)
            cleanIfNeeded()
        }
        return isStored
    }

    private func write(
        _ header: [UInt8], _ payload: UnsafeRawBufferPointer, to file: EntryFile, metadata: CacheEntryMetadata,
        isCancelled: () -> Bool
    ) throws(CachingError) -> Bool {
        var folder = try writableFolder()
        for attempt in 0... {
            do throws(SystemError) {
                let isWritten = try header.withUnsafeBytes { header in
                    Result { () throws(SystemError) in
                        try writeFile(header, payload, to: file, in: folder, isCancelled: isCancelled)
                    }
                }.get()
                guard isWritten else { return false }
                break
            } catch {
                // Wiped or cleared between the look and the write: the folder is made again, a few times.
                if error.number == ENOENT, attempt < 8, let again = openFolder(), again.writeProblem == nil {
                    folder = again
                    continue
                }
                let problem = cachingError(error)
                if case .unavailable = problem { note(problem) }
                throw problem
            }
        }
        note(nil)
        let record = EntryIndex.Record(
            size: header.count + payload.count, storedAt: metadata.storedAt.timeIntervalSinceReferenceDate,
            expiresAt: metadata.expiresAt?.timeIntervalSinceReferenceDate ?? .infinity, lastAccess: time)
        self.record(.stored, file, record, in: folder)
        removeExports(of: file.name, in: folder)
        state.withLock { $0.storedSinceListing += record.size }
        return true
    }

    private func writeFile(
        _ header: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer, to file: EntryFile,
        in folder: CacheFolder, isCancelled: () -> Bool
    ) throws(SystemError) -> Bool {
        let (name, descriptor) = try createTemporary(in: folder)
        var isOpen = true
        do throws(SystemError) {
            let isWritten = try files.write(descriptor, header, payload, isCancelled: isCancelled)
            // Network file systems report a full disk only here.
            isOpen = false
            guard close(descriptor) == 0 else { throw SystemError(operation: .write, number: errno) }
            if isWritten {
                try withNames(name, file) { (old, new) throws(SystemError) in
                    try files.rename(old, in: folder.temporaries, to: new, in: folder.entries)
                }
                return true
            }
        } catch {
            if isOpen { close(descriptor) }
            _ = unlinkat(folder.temporaries, name, 0)
            throw error
        }
        _ = unlinkat(folder.temporaries, name, 0)
        return false
    }

    private func withNames(
        _ name: String, _ file: EntryFile,
        _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) throws(SystemError) -> Void
    ) throws(SystemError) {
        let result = name.withCString { old in
            file.withFileName { new in
                Result { () throws(SystemError) in try body(old, new) }
            }
        }
        try result.get()
    }

    // MARK: Removing

    /// An older file under a fallback name must not come back when the new one goes.
    private func removeOtherNames(of key: String, than file: EntryFile) {
        guard naming.scheme == .sdWebImage, let folder = state.withLock({ $0.folder }) else { return }
        for other in naming.candidates(for: key) where other != file {
            // What cannot be removed is only found again after the new file is gone.
            _ = locks.run(other.name) { try? removeFile(other, in: folder) }
        }
    }

    /// Removes every file that a read of the key would accept. Not an error when there is none.
    func remove(_ key: String) throws(CachingError) {
        guard !key.isEmpty else { throw .invalidKey }
        guard let folder = currentFolder() else { return }
        for file in naming.candidates(for: key) {
            _ = try locks.run(file.name) { () throws(CachingError) in try removeFile(file, in: folder) }
        }
    }

    /// Under the lock of the entry. Returns whether there was a file.
    @discardableResult
    func removeFile(_ file: EntryFile, in folder: CacheFolder) throws(CachingError) -> Bool {
        let existed = try unlink(file, in: folder)
        record(.removed, file, nil, in: folder)
        removeExports(of: file.name, in: folder)
        return existed
    }

    /// The same for one of many: the journal gets it with the rest of the batch.
    func removeFile(_ file: EntryFile, in folder: CacheFolder, _ removed: inout RemovalBatch) throws(CachingError) {
        try unlink(file, in: folder)
        let isKnown = state.withLock { state in
            guard state.folder === folder else { return false }
            state.index.remove(file.name)
            return true
        }
        if isKnown { removed.names.append(file.name) }
        removeExports(of: file.name, in: folder)
    }

    @discardableResult
    private func unlink(_ file: EntryFile, in folder: CacheFolder) throws(CachingError) -> Bool {
        let result = file.withFileName { name in
            Result { () throws(SystemError) in try files.remove(name, in: folder.entries) }
        }
        do throws(SystemError) { return try result.get() } catch { throw cachingError(error) }
    }

    /// Removes a file that a read found damaged, unless a good one has taken its place meanwhile.
    func removeDamaged(_ file: EntryFile, in folder: CacheFolder) {
        locks.run(file.name) { () -> Void in
            if case .entry(let key, _, _, _)? = try? contents(of: file, in: folder),
                key.map({ naming.file(for: $0)?.name == file.name }) ?? true
            {
                return
            }
            // A folder that cannot be written keeps its damaged file; it stays a miss.
            _ = try? removeFile(file, in: folder)
        }
    }

    // MARK: Metadata

    /// Rewrites the header; the bytes stay. SDWebImage's naming keeps no metadata: there the date of the file moves.
    func updateMetadata(_ metadata: CacheEntryMetadata, for key: String) throws(CachingError) {
        guard !key.isEmpty else { throw .invalidKey }
        let metadata = sanitized(metadata)
        for file in naming.candidates(for: key) {
            let isDone = try locks.run(file.name) { () throws(CachingError) in
                try rewrite(file, key: key, metadata: metadata)
            }
            if isDone { return }
        }
        throw .notInCache(key: key)
    }

    /// Under the lock of the entry: bytes that are stored meanwhile must not be overwritten with these.
    private func rewrite(
        _ file: EntryFile, key: String, metadata: CacheEntryMetadata
    ) throws(CachingError) -> Bool {
        guard let folder = currentFolder(),
            case .entry(let storedKey, _, let data, _) = try contents(of: file, in: folder),
            storedKey == nil || storedKey == key
        else { return false }
        let result = data.withUnsafeBytes { payload in
            Result { () throws(CachingError) in
                guard let header = self.header(for: key, metadata, payload) else { throw .invalidKey }
                return try write(header, payload, to: file, metadata: metadata) { false }
            }
        }
        return try result.get()
    }

    /// Empty for files that hold the bytes alone; nil when key and metadata are too long for a header.
    private func header(
        for key: String, _ metadata: CacheEntryMetadata, _ payload: UnsafeRawBufferPointer
    ) -> [UInt8]? {
        naming.scheme == .sdWebImage ? [] : EntryHeader.encode(key: key, metadata: metadata, payload: payload)
    }

    private func sanitized(_ metadata: CacheEntryMetadata) -> CacheEntryMetadata {
        var metadata = metadata
        if !metadata.storedAt.timeIntervalSinceReferenceDate.isFinite { metadata.storedAt = now() }
        if metadata.expiresAt?.timeIntervalSinceReferenceDate.isFinite == false { metadata.expiresAt = nil }
        return metadata
    }

    // MARK: Temporary files

    func temporaryName() -> String {
        let number = state.withLock { state -> UInt64 in
            state.temporaryNumber += 1
            return state.temporaryNumber
        }
        return TemporaryName.prefix + String(number)
    }

    /// Creates a file whose name no other process, now or after a crash, uses.
    private func createTemporary(in folder: CacheFolder) throws(SystemError) -> (name: String, descriptor: Int32) {
        while true {
            let name = temporaryName()
            let result = name.withCString { name in
                Result { () throws(SystemError) in try files.create(name, in: folder.temporaries) }
            }
            switch result {
            case .success(let descriptor): return (name, descriptor)
            case .failure(let error) where error.number == EEXIST: continue
            case .failure(let error): throw error
            }
        }
    }

    /// A complete temporary file with these bytes; the caller renames or removes it.
    func writeTemporary(_ data: Data, in folder: CacheFolder) throws(SystemError) -> String {
        let (name, descriptor) = try createTemporary(in: folder)
        do throws(SystemError) {
            _ = try data.withUnsafeBytes { bytes in
                Result { () throws(SystemError) in
                    try files.write(descriptor, UnsafeRawBufferPointer(start: nil, count: 0), bytes) { false }
                }
            }.get()
            close(descriptor)
            return name
        } catch {
            close(descriptor)
            unlinkat(folder.temporaries, name, 0)
            throw error
        }
    }

    /// Removes temporary files of processes that are gone. Returns how many.
    @discardableResult
    func sweepTemporaries(_ folder: CacheFolder) -> Int {
        guard folder.temporaries >= 0 else { return 0 }
        var dead: [String] = []
        try? files.list(folder.temporaries) { name in
            let text = String(cString: name)
            if TemporaryName.isAbandoned(text, status: files.status(name, in: folder.temporaries)) { dead.append(text) }
            return true
        }
        for name in dead { unlinkat(folder.temporaries, name, 0) }
        return dead.count
    }
}
