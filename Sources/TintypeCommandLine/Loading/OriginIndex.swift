import TintypeBase

/// A file that records the origins of the other files of a folder, for file systems without extended attributes.
///
/// One line for each file: identity, size, modification time in nanoseconds, name. Lines are appended in one write each,
/// so several processes can share it; the line of a file that was changed later is ignored.
struct OriginIndex {
    static let fileName = ".tintype-origins"
    private static let limit = 64 << 20

    private struct Entry {
        var identity: String
        var byteCount: Int
        var modified: Int
    }

    private let folder: String
    private var entries: [String: Entry] = [:]

    init(folder: String) {
        self.folder = folder
        reload()
    }

    private var path: String { folder + "/" + OriginIndex.fileName }

    /// Reads the lines of other processes. A missing or unreadable file has no lines.
    mutating func reload() {
        let data: Data
        do { data = try PrefixReader(path: path).readAll(limit: OriginIndex.limit) } catch { return }
        for line in data.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: "\t"), maxSplits: 3)
            guard fields.count == 4, let byteCount = Int(String(decoding: fields[1], as: UTF8.self)),
                let modified = Int(String(decoding: fields[2], as: UTF8.self))
            else { continue }
            entries[PathText.text(fields[3])] = Entry(
                identity: String(decoding: fields[0], as: UTF8.self), byteCount: byteCount, modified: modified)
        }
    }

    /// Returns the recorded identity of a file, if the file has not changed.
    func identity(of name: String) -> String? {
        guard let entry = entries[name], let facts = facts(name), facts == (entry.byteCount, entry.modified) else {
            return nil
        }
        return entry.identity
    }

    mutating func add(_ name: String, identity: String) throws(Problem) {
        guard let facts = facts(name) else { return }
        entries[name] = Entry(identity: identity, byteCount: facts.byteCount, modified: facts.modified)
        let descriptor = PathText.withPath(path) {
            open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o666)
        }
        guard descriptor >= 0 else { throw OutputFile.failure(errno, path) }
        defer { close(descriptor) }
        let line = Array("\(identity)\t\(facts.byteCount)\t\(facts.modified)\t".utf8) + PathText.bytes(name) + [10]
        let number = line.withUnsafeBytes { writeFully($0, to: descriptor) }
        guard number == 0 else { throw OutputFile.failure(number, path) }
    }

    private func facts(_ name: String) -> (byteCount: Int, modified: Int)? {
        var status = stat()
        guard PathText.withPath(folder + "/" + name, { lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return (Int(status.st_size), status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec)
    }
}
