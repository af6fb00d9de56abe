import Tintype
import TintypeBase

/// A folder with one file for each URL, which several processes may fill at the same time.
///
/// Each file says which URL and flags made it. A name is claimed by link(2), which fails if another process was first;
/// then the file gets another name, unless the existing file has the same origin.
final class OutputFolder: Sendable {
    private struct State {
        /// File names by the identity of their origin.
        var files: [String: String] = [:]
        /// File names by URL, of files that other programs saved.
        var foreign: [String: String] = [:]
        var names: OutputNames
        var index: OriginIndex
    }

    let path: String
    private let stems: [String]
    private let origins: [FileOrigin]
    private let overwrites: Bool
    private let state: Locked<State>

    /// - Parameters:
    ///   - urls: in the order of the list, in which they are named.
    ///   - isReversed: whether they are loaded, and counted by index, from the last to the first.
    ///   - flags: those that change the files.
    init(
        path: String, urls: [String], isReversed: Bool, style: OutputNames.Style, flags: String, overwrites: Bool
    ) throws(Problem) {
        self.path = path
        self.overwrites = overwrites
        var names = OutputNames(style: style, total: urls.count)
        let stems = urls.map { names.stem(for: $0) }
        let origins = urls.map { FileOrigin(url: $0, flags: flags) }
        self.stems = isReversed ? stems.reversed() : stems
        self.origins = isReversed ? origins.reversed() : origins
        try OutputFolder.make(path)
        var state = State(names: names, index: OriginIndex(folder: path))
        if !overwrites { try OutputFolder.scan(path, &state) }
        self.state = Locked(state)
    }

    /// Creates a folder and those above it.
    static func make(_ path: String) throws(Problem) {
        var end = path.utf8.startIndex
        while end < path.utf8.endIndex {
            let start = path.utf8[end...].firstIndex { $0 != UInt8(ascii: "/") } ?? path.utf8.endIndex
            end = path.utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.utf8.endIndex
            let result = PathText.withPath(String(path[..<end])) { mkdir($0, 0o777) }
            guard result == 0 || errno == EEXIST || end < path.utf8.endIndex else {
                throw Problem(
                    "ioFailed", "the folder cannot be made: \(systemErrorText(errno))", source: path)
            }
        }
        var status = stat()
        guard PathText.withPath(path, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Problem("ioFailed", "it is not a folder", source: path)
        }
    }

    private static func scan(_ path: String, _ state: inout State) throws(Problem) {
        guard let folder = PathText.withPath(path, { opendir($0) }) else {
            throw Problem("ioFailed", "the folder cannot be read: \(systemErrorText(errno))", source: path)
        }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    PathText.text(UnsafeRawBufferPointer(start: name, count: strlen(name)))
                }
            }
            guard !name.hasPrefix(".") else { continue }
            let stored = FileOrigin.stored(path: path + "/" + name)
            if let identity = stored.identity ?? state.index.identity(of: name) {
                state.files[identity] = name
            } else if let url = stored.url {
                state.foreign[url] = name
            }
        }
    }

    /// Returns the path of the file that a load would write, if an earlier run, another process or this one has written
    /// it. A file that is not an image does not count.
    func existingFile(for index: Int) -> String? {
        guard !overwrites else { return nil }
        let origin = origins[index]
        let name = state.withLock { state in
            state.files[origin.identity] ?? (origin.isOriginal ? state.foreign[origin.url] : nil)
        }
        guard let name, isImage(path + "/" + name) else { return nil }
        return path + "/" + name
    }

    private func isImage(_ path: String) -> Bool {
        do {
            let reader = try PrefixReader(path: path)
            try reader.grow(to: 4096)
            return ImageFormat.sniff(reader.data) != nil
        } catch {
            return false
        }
    }

    /// Writes the file of a URL under a free name.
    ///
    /// - Returns: the path; that of an existing file with the same origin, if there is one.
    func write(_ data: Data, index: Int, fileExtension: String) throws -> String {
        let origin = origins[index]
        if let path = existingFile(for: index) { return path }
        let staged = try StagedFile(data, beside: path + "/x", origin: origin)
        var stem = stems[index]
        while true {
            let name = stem + "." + fileExtension
            let full = path + "/" + name
            let isPublished = try state.withLock { state in
                guard try staged.publish(as: full, overwrites: overwrites) else { return false }
                state.files[origin.identity] = name
                if !staged.carriesOrigin { try state.index.add(name, identity: origin.identity) }
                return true
            }
            if isPublished { return full }
            // The name belongs to another program, or to another process that loads the same list.
            let stored = self.origin(of: name)
            if stored.identity == origin.identity, isImage(full) { return full }
            if stored == (nil, nil), try adopt(name, data, origin) { return full }
            stem = state.withLock { $0.names.another(for: stems[index]) }
        }
    }

    private func origin(of name: String) -> (identity: String?, url: String?) {
        let stored = FileOrigin.stored(path: path + "/" + name)
        guard stored == (nil, nil) else { return stored }
        return state.withLock { state in
            state.index.reload()
            return (state.index.identity(of: name), nil)
        }
    }

    /// Adopts a file of unknown origin with the same bytes: older versions did not record the origin.
    private func adopt(_ name: String, _ data: Data, _ origin: FileOrigin) throws -> Bool {
        let full = path + "/" + name
        guard try OutputFile.holds(full, data) else { return false }
        let isMarked = origin.attach(toPath: full)
        try state.withLock { state in
            state.files[origin.identity] = name
            if !isMarked { try state.index.add(name, identity: origin.identity) }
        }
        return true
    }

    /// Writes a preview beside the other files, under a name of its own.
    func write(preview data: Data, index: Int, number: Int) throws(Problem) -> String {
        let digits = String(number)
        let stem = stems[index] + "-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
        let staged = try StagedFile(data, beside: path + "/x")
        var name = stem
        while try !staged.publish(as: path + "/" + name + ".png", overwrites: overwrites) {
            name = state.withLock { $0.names.another(for: stem) }
        }
        return path + "/" + name + ".png"
    }
}
