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
    /// Fills the index of an owner.
    func loadIndex(_ index: inout EntryIndex, _ folder: CacheFolder) {
        guard let seen = try? listEntries(folder, known: [:]) else { return }
        for (file, record) in seen { index.set(file, record) }
    }

    // MARK: Size and count

    /// In constant time for the owner of the index; a guest lists the folder.
    var totals: (count: Int, byteCount: Int) {
        guard let folder = state.withLock({ $0.folder }) else { return (0, 0) }
        // A guest that cannot list answers with what it last knew.
        if !folder.isOwner { _ = try? reconcile(folder) }
        return state.withLock { ($0.index.count, $0.index.byteCount) }
    }

    func contains(_ key: String) -> Bool {
        guard !key.isEmpty else { return false }
        let time = self.time
        let files = naming.candidates(for: key)
        let (folder, records, maximumAge) = state.withLock { state in
            (state.folder, files.compactMap { state.index.records[$0.name] }, state.maximumAge)
        }
        if folder?.isOwner == true {
            if records.contains(where: { !isExpired($0, at: time, maximumAge: maximumAge) }) { return true }
            if readOnlyPaths.isEmpty { return false }
        }
        return (try? read(key, allowExpired: false)) != nil
    }

    // MARK: Listing and checking

    func summaries() throws(CachingError) -> [EntrySummary] {
        guard let folder = state.withLock({ $0.folder }) else { return [] }
        try reconcile(folder)
        let time = self.time
        let (index, maximumAge) = state.withLock { ($0.index, $0.maximumAge) }
        var summaries: [EntrySummary] = []
        for (name, record) in index.records {
            let file = index.file(name, digits: naming.scheme == .sha256 ? 40 : 32)
            guard case .entry(let key, let metadata, let data, _) = try contents(of: file, in: folder.entries) else {
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
        let index = state.withLock { $0.index }
        for name in index.records.keys {
            let file = index.file(name, digits: naming.scheme == .sha256 ? 40 : 32)
            switch try contents(of: file, in: folder.entries) {
            case .missing: continue
            case .fromTheFuture: result.checked += 1
            case .damaged:
                result.checked += 1
                result.damaged.append(file.fileName)
                removeDamaged(file, in: folder)
            case .entry(let key, _, _, let facts):
                result.checked += 1
                if let key, naming.file(for: key) != file {
                    result.damaged.append(file.fileName)
                    _ = try? lanes.run(name) { () throws(CachingError) in try removeFile(file, in: folder) }
                } else {
                    result.byteCount += facts.size
                }
            }
        }
        result.damaged.sort()
        return result
    }

    // MARK: Originals as files

    /// The bytes of an entry as a file of their own. The name holds the checksum of the bytes, so that a file that is
    /// there is never out of date.
    func exportOriginal(of key: String, fileExtension: String) throws(CachingError) -> String? {
        guard let entry = try read(key, allowExpired: true), let file = naming.file(for: key) else { return nil }
        let folder = try writableFolder()
        let checksum = entry.data.withUnsafeBytes { ct_xxh3($0.baseAddress, $0.count) }
        let allowed = fileExtension.utf8.allSatisfy {
            ($0 >= 48 && $0 <= 57) || ($0 >= 65 && $0 <= 90) || ($0 >= 97 && $0 <= 122)
        }
        let suffix = allowed && (1...20).contains(fileExtension.utf8.count) ? "." + fileExtension.lowercased() : ""
        let name = file.name.hexadecimal + "-" + hexadecimal(checksum) + suffix
        do throws(SystemError) {
            try files.createDirectory("export", in: folder.state)
            let directory = try files.openDirectory("export", in: folder.state)
            defer { close(directory) }
            let path = paths.state + "/export/" + name
            if let status = files.status(name, in: directory), status.size == entry.data.count { return path }
            let temporary = try writeTemporary(entry.data, in: folder)
            do throws(SystemError) {
                try files.rename(temporary, in: folder.temporaries, to: name, in: directory)
            } catch {
                unlinkat(folder.temporaries, temporary, 0)
                throw error
            }
            return path
        } catch {
            throw cachingError(error)
        }
    }

    private func hexadecimal(_ value: UInt64) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    /// Removes the exported originals of an entry.
    func removeExports(of file: EntryFile, in folder: CacheFolder) {
        guard folder.state >= 0, files.status("export", in: folder.state) != nil,
            let directory = try? files.openDirectory("export", in: folder.state)
        else { return }
        defer { close(directory) }
        let prefix = file.name.hexadecimal + "-"
        var names: [String] = []
        try? files.list(directory) { name in
            let text = String(cString: name)
            if text.hasPrefix(prefix) { names.append(text) }
            return true
        }
        for name in names { unlinkat(directory, name, 0) }
    }
}
