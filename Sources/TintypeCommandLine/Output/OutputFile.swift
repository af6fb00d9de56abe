import TintypeBase

/// Writes files atomically.
enum OutputFile {
    /// Writes beside the path under another name, then renames. `/dev/null`, `/dev/full` and paths such as
    /// `/dev/stdout` are written to directly; other devices, pipes and sockets are refused.
    ///
    /// - Parameter overwrites: false makes an existing file an error, `ioFailed`.
    static func write(_ data: Data, to path: String, overwrites: Bool = true, origin: FileOrigin? = nil)
        throws(Problem)
    {
        if let number = DescriptorPath.number(path) {
            try write(data, to: number, named: path)
            return
        }
        var status = stat()
        if PathText.withPath(path, { stat($0, &status) }) == 0 {
            switch status.st_mode & S_IFMT {
            case S_IFREG:
                guard overwrites else { throw exists(path) }
            case S_IFCHR where status.st_rdev >> 8 == 1:
                // The memory devices never block.
                try writeToDevice(data, path)
                return
            case let kind:
                throw Problem(
                    "ioFailed", "cannot be written: it is \(DescriptorPath.kind(kind)), not a regular file",
                    source: path)
            }
        }
        let staged = try StagedFile(data, beside: path, origin: origin)
        guard try staged.publish(as: path, overwrites: overwrites) else { throw exists(path) }
    }

    /// Returns whether a regular file holds these bytes already.
    static func holds(_ path: String, _ data: Data) throws(Problem) -> Bool {
        guard DescriptorPath.number(path) == nil else { return false }
        var status = stat()
        guard PathText.withPath(path, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG,
            Int(status.st_size) == data.count
        else { return false }
        return try PrefixReader(path: path).readAll(limit: data.count) == data
    }

    static func exists(_ path: String) -> Problem {
        Problem("ioFailed", "it exists already; --force replaces it", source: path)
    }

    static func failure(_ code: Int32, _ path: String) -> Problem {
        let isFull = code == ENOSPC || code == EDQUOT
        return Problem(
            isFull ? "diskFull" : "ioFailed", "cannot be written: \(systemErrorText(code))", source: path)
    }

    fileprivate static func write(_ data: Data, to descriptor: Int32, named path: String) throws(Problem) {
        let number = data.withUnsafeBytes { writeFully($0, to: descriptor) }
        guard number == 0 else { throw failure(number, path) }
    }

    private static func writeToDevice(_ data: Data, _ path: String) throws(Problem) {
        let descriptor = PathText.withPath(path) { open($0, O_WRONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw failure(errno, path) }
        defer { close(descriptor) }
        try write(data, to: descriptor, named: path)
    }
}

/// A complete file under a temporary name. It is removed unless it is published.
final class StagedFile {
    /// Whether the attributes of the file record its origin.
    let carriesOrigin: Bool
    private let temporary: String
    private var isDone = false

    /// Writes the bytes into the folder of `path`: a rename works only inside one file system.
    init(_ data: Data, beside path: String, origin: FileOrigin? = nil) throws(Problem) {
        // By bytes, because a combining character after the slash forms one `Character` with it.
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        let mark = String(UInt64.random(in: 0 ... .max), radix: 36)
        let temporary = String(path[..<slash]) + ".tintype-\(getpid())-\(mark).part"
        self.temporary = temporary
        let descriptor = Cleanup.begin(temporary) {
            PathText.withPath(temporary) { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
        }
        guard descriptor >= 0 else {
            let number = errno
            Cleanup.finish(temporary)
            throw OutputFile.failure(number, path)
        }
        carriesOrigin = origin?.attach(to: descriptor) ?? false
        do throws(Problem) {
            try OutputFile.write(data, to: descriptor, named: path)
        } catch {
            close(descriptor)
            StagedFile.discard(temporary)
            throw error
        }
        guard close(descriptor) == 0 || errno == EINTR else {
            let number = errno
            StagedFile.discard(temporary)
            throw OutputFile.failure(number, path)
        }
    }

    deinit { if !isDone { StagedFile.discard(temporary) } }

    private static func discard(_ temporary: String) {
        _ = PathText.withPath(temporary) { unlink($0) }
        Cleanup.finish(temporary)
    }

    /// Gives the file its name.
    ///
    /// - Returns: false if the name is taken and may not be overwritten; another one can be tried.
    func publish(as path: String, overwrites: Bool) throws(Problem) -> Bool {
        let number = PathText.withPath(temporary) { from in
            PathText.withPath(path) { to in StagedFile.publish(from, to, overwrites: overwrites) }
        }
        if number == EEXIST, !overwrites { return false }
        guard number == 0 else { throw OutputFile.failure(number, path) }
        isDone = true
        Cleanup.finish(temporary)
        return true
    }

    private static func publish(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>, overwrites: Bool) -> Int32 {
        if !overwrites {
            // link(2) fails if another process has taken the name, which rename(2) does not.
            if link(from, to) == 0 {
                unlink(from)
                return 0
            }
            guard errno != EEXIST else { return EEXIST }
            // A file system without hard links: an empty file claims the name.
            let claim = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard claim >= 0 else { return errno }
            close(claim)
            guard rename(from, to) == 0 else {
                let number = errno
                unlink(to)
                return number
            }
            return 0
        }
        return rename(from, to) == 0 ? 0 : errno
    }
}
