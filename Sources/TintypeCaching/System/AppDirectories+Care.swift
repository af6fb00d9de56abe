import TintypeBase

/// What a folder holds.
public struct DirectorySize: Sendable, Hashable {
    /// Files of any kind but folders.
    public var fileCount = 0
    /// The lengths of the files.
    public var byteCount = 0
    /// What they take on disk (`st_blocks` × 512).
    public var allocatedByteCount = 0

    init() {}
}

extension AppDirectories {
    private static let worker = WorkerPool(name: "tintype-dirs", width: 1, stackSize: 1 << 20)

    /// The size of a folder and everything below it. Links are counted as themselves and never followed; what cannot be
    /// read is left out; a missing folder is empty.
    public static func size(of folder: URL) async throws -> DirectorySize {
        let path = folder.path
        return try await worker.run { sizeSynchronously(ofPath: path) }
    }

    /// The clean-up that every application that writes into the caches folder owes: removes the files whose last change
    /// is at least `maximumAge` ago; then, if more than `maximumByteCount` bytes are left, the oldest until half of that
    /// is. Hidden files and folders stay; links are not followed.
    ///
    /// A ``DiskCache`` cleans itself; this is for files that an application keeps there on its own.
    @discardableResult
    public static func clean(
        _ folder: URL, maximumAge: Duration?, maximumByteCount: Int? = nil, now: Date = Date()
    ) async throws -> CleanResult {
        let path = folder.path
        return try await worker.run {
            cleanSynchronously(path, maximumAge: maximumAge, maximumByteCount: maximumByteCount, now: now)
        }
    }

    static func sizeSynchronously(ofPath path: String) -> DirectorySize {
        var size = DirectorySize()
        forEachFile(below: path, includesHidden: true) { _, _, _, status in
            size.fileCount += 1
            size.byteCount += Int(clamping: status.size)
            size.allocatedByteCount += Int(clamping: status.blocks) * 512
        }
        return size
    }

    /// A file by its name and the folders that lead to it from the cleaned one.
    private struct FoundFile {
        var folders: [String]
        var name: String
        var modified: Int64
        var size: Int
    }

    static func cleanSynchronously(
        _ path: String, maximumAge: Duration?, maximumByteCount: Int?, now: Date
    ) -> CleanResult {
        var result = CleanResult()
        var kept: [FoundFile] = []
        let seconds = now.timeIntervalSince1970
        forEachFile(below: path, includesHidden: false) { directory, folders, name, status in
            let size = Int(clamping: status.size)
            let age = seconds - Double(status.modified) / 1e9
            if let maximumAge, maximumAge >= .zero, age >= maximumAge.inSeconds {
                if unlinkat(directory, name, 0) == 0 {
                    result.expired += 1
                    result.byteCount += size
                    result.names.append((folders + [name]).joined(separator: "/"))
                }
            } else {
                kept.append(FoundFile(folders: folders, name: name, modified: status.modified, size: size))
            }
        }
        var byteCount = kept.reduce(0) { $0 + $1.size }
        guard let maximumByteCount, byteCount > maximumByteCount else { return result }
        kept.sort { ($0.modified, $0.name) < ($1.modified, $1.name) }
        for file in kept {
            guard byteCount > maximumByteCount / 2 else { break }
            guard let directory = openFolder(path, file.folders) else { continue }
            defer { close(directory) }
            guard unlinkat(directory, file.name, 0) == 0 else { continue }
            byteCount -= file.size
            result.evicted += 1
            result.byteCount += file.size
            result.names.append((file.folders + [file.name]).joined(separator: "/"))
        }
        return result
    }

    /// Opens a folder below `path`; nil if it is gone, or if a link has taken the place of one of `folders`.
    private static func openFolder(_ path: String, _ folders: [String]) -> Int32? {
        let files = FileLayer()
        guard var directory = try? files.openDirectory(path) else { return nil }
        for name in folders {
            let next = try? files.openDirectory(name, in: directory, followsLinks: false)
            close(directory)
            guard let next else { return nil }
            directory = next
        }
        return directory
    }

    private static func forEachFile(
        below path: String, includesHidden: Bool,
        _ body: (_ directory: Int32, _ folders: [String], _ name: String, FileStatus) -> Void
    ) {
        let files = FileLayer()
        var waiting: [[String]] = [[]]
        while let folders = waiting.popLast() {
            guard let directory = openFolder(path, folders) else { continue }
            defer { close(directory) }
            // A folder that stops being readable half-way is counted as far as it went.
            try? files.list(directory) { name in
                if !includesHidden, name[0] == 46 { return true }
                guard let status = files.status(name, in: directory) else { return true }
                let name = String(cString: name)
                if status.is_directory != 0 {
                    waiting.append(folders + [name])
                } else {
                    body(directory, folders, name, status)
                }
                return true
            }
        }
    }
}
