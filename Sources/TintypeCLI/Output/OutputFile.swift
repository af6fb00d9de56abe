import TintypeBase

/// Writes files that are either whole or not there.
enum OutputFile {
    /// Writes beside the path under another name, then renames. A device or a pipe is written to directly.
    ///
    /// - Parameter overwrites: false: an existing file is left alone, and `ioFailed` says so.
    static func write(_ data: Data, to path: String, overwrites: Bool = true) throws(Problem) {
        var status = stat()
        if stat(path, &status) == 0 {
            switch status.st_mode & S_IFMT {
            case S_IFDIR: throw Problem("ioFailed", "cannot be written: it is a folder", source: path)
            case S_IFREG:
                if !overwrites {
                    throw Problem("ioFailed", "it exists already; --force replaces it", source: path)
                }
            default:
                try writeDirectly(data, path, flags: O_WRONLY)
                return
            }
        }
        let temporary = temporaryPath(beside: path)
        Cleanup.add(temporary)
        defer { Cleanup.remove(temporary) }
        do {
            try writeDirectly(data, temporary, flags: O_WRONLY | O_CREAT | O_EXCL, named: path)
            try publish(temporary, path, overwrites: overwrites)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// A name in the same folder that nobody else uses: a rename works only inside one file system.
    static func temporaryPath(beside path: String) -> String {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let mark = String(UInt64.random(in: 0 ... .max), radix: 36)
        return path[..<slash] + ".tintype-\(getpid())-\(mark).part"
    }

    private static func publish(_ temporary: String, _ path: String, overwrites: Bool) throws(Problem) {
        if overwrites {
            guard rename(temporary, path) == 0 else { throw failure(errno, path) }
            return
        }
        // link(2) fails if the name has been taken meanwhile, which rename(2) does not.
        if link(temporary, path) == 0 {
            unlink(temporary)
        } else if errno == EEXIST {
            throw Problem("ioFailed", "it exists already; --force replaces it", source: path)
        } else {
            // File systems without hard links.
            guard rename(temporary, path) == 0 else { throw failure(errno, path) }
        }
    }

    private static func writeDirectly(_ data: Data, _ path: String, flags: Int32, named name: String? = nil)
        throws(Problem)
    {
        let descriptor = open(path, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(errno, name ?? path) }
        var failed: Int32 = 0
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty, failed == 0 {
                #if canImport(Glibc)
                    let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                #else
                    let count = Darwin.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                #endif
                if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { failed = errno }
            }
        }
        if close(descriptor) != 0, failed == 0, errno != EINTR { failed = errno }
        guard failed == 0 else { throw failure(failed, name ?? path) }
    }

    private static func failure(_ code: Int32, _ path: String) -> Problem {
        let isFull = code == ENOSPC || code == EDQUOT
        return Problem(
            isFull ? "diskFull" : "ioFailed", "cannot be written: \(String(cString: strerror(code)))", source: path)
    }
}
