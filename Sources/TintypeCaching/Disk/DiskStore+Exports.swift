import CXXHash
import TintypeBase

// Originals as files, for callers that need a path.
extension DiskStore {
    private static let exportFolder = "export"

    /// Returns the path of a file with the bytes of an entry: `name-checksum.extension`. The checksum of the bytes makes an
    /// existing file valid.
    func exportOriginal(of key: String, fileExtension: String) throws(CachingError) -> String? {
        guard let entry = try read(key, allowExpired: true), let file = naming.file(for: key) else { return nil }
        let folder = try writableFolder()
        let checksum = entry.data.withUnsafeBytes { ct_xxh3($0.baseAddress, $0.count) }
        let name =
            file.name.hexadecimal + "-" + hexadecimal(withUnsafeBytes(of: checksum.bigEndian) { Array($0) })
            + Self.suffix(fileExtension)
        do throws(SystemError) {
            let directory = try files.openOwnDirectory(Self.exportFolder, in: folder.state)
            defer { close(directory) }
            let path = paths.state + "/" + Self.exportFolder + "/" + name
            if let status = files.status(name, in: directory), status.isOwnFile, status.size == entry.data.count {
                return path
            }
            let temporary = try writeTemporary(entry.data, in: folder)
            do throws(SystemError) {
                try files.rename(temporary, in: folder.temporaries, to: name, in: directory)
            } catch {
                unlinkat(folder.temporaries, temporary, 0)
                throw error
            }
            state.withLock { state in
                guard state.folder === folder else { return }
                state.exports[file.name, default: 0] += entry.data.count
                state.exportByteCount += entry.data.count
            }
            return path
        } catch {
            throw cachingError(error)
        }
    }

    private static func suffix(_ fileExtension: String) -> String {
        let isPlain = fileExtension.utf8.allSatisfy(isAlphanumeric) && (1...20).contains(fileExtension.utf8.count)
        return isPlain ? "." + fileExtension.lowercased() : ""
    }

    /// Removes the exported originals of an entry, if it has any.
    func removeExports(of name: EntryName, in folder: CacheFolder) {
        let hadExports = state.withLock { state in
            guard state.folder === folder, let byteCount = state.exports.removeValue(forKey: name) else { return false }
            state.exportByteCount -= byteCount
            return true
        }
        guard hadExports else { return }
        forEachExport(folder) { owner, file, directory in
            if owner == name { unlinkat(directory, file, 0) }
        }
    }

    /// Counts the exported files.
    func loadExports(_ folder: CacheFolder) {
        var exports: [EntryName: Int] = [:]
        forEachExport(folder) { owner, file, directory in
            if let status = files.status(file, in: directory), status.isOwnFile {
                exports[owner, default: 0] += Int(clamping: status.size)
            }
        }
        guard !exports.isEmpty || state.withLock({ !$0.exports.isEmpty }) else { return }
        state.withLock { state in
            guard state.folder === folder else { return }
            state.exports = exports
            state.exportByteCount = exports.values.reduce(0, +)
        }
    }

    /// Removes exported files whose entry is gone.
    func sweepExports(_ folder: CacheFolder) {
        let orphans = state.withLock { state in state.exports.keys.filter { state.index.records[$0] == nil } }
        for name in orphans { removeExports(of: name, in: folder) }
    }

    private func forEachExport(_ folder: CacheFolder, _ body: (EntryName, UnsafePointer<CChar>, Int32) -> Void) {
        guard folder.state >= 0,
            let directory = try? files.openDirectory(Self.exportFolder, in: folder.state, followsLinks: false)
        else { return }
        defer { close(directory) }
        var found: [(EntryName, String)] = []
        // If listing fails, the next clean-up tries again.
        try? files.list(directory) { name in
            let text = UnsafeRawBufferPointer(start: name, count: strlen(name))
            if let owner = EntryName(hexadecimal: text.prefix(40), digits: 40) {
                found.append((owner, String(cString: name)))
            }
            return true
        }
        for (owner, name) in found { body(owner, name, directory) }
    }

    func moveExports(to name: String, in folder: CacheFolder) {
        _ = renameat(folder.state, Self.exportFolder, folder.state, name)
    }
}
