import CSystemShim
import TintypeBase

/// What a call was for; named in errors, and what a fault-injecting test chooses by.
enum FileOperation: String, Sendable, CaseIterable {
    case createDirectory, open, create, read, write, rename, remove, list, lock
}

struct SystemError: Error, Equatable {
    var operation: FileOperation
    var number: Int32

    /// Numbers of our own, outside the range of `errno`: a folder of another user, and a symbolic link in its place.
    static let foreignOwner: Int32 = 10_001
    static let linkInTheWay: Int32 = 10_002
}

typealias FileStatus = ct_file_status

extension FileStatus {
    /// Whether this is a regular file of the user of this process. For root, files of other users are foreign too.
    var isOwnFile: Bool { is_regular != 0 && owner == geteuid() }
}

/// The system calls of the disk cache. Foundation's writes call fsync and its listings stat each file three times; both
/// are more than ten times slower than these.
struct FileLayer: Sendable {
    /// For tests: an `errno` for the next call of a kind, nil to let it through.
    var fault: (@Sendable (FileOperation) -> Int32?)?

    private func check(_ operation: FileOperation) throws(SystemError) {
        if let fault, let number = fault(operation) { throw SystemError(operation: operation, number: number) }
    }

    func createDirectory(_ name: String, in directory: Int32 = AT_FDCWD) throws(SystemError) {
        try check(.createDirectory)
        guard mkdirat(directory, name, 0o700) != 0, errno != EEXIST else { return }
        throw SystemError(operation: .createDirectory, number: errno)
    }

    /// Creates every missing directory of an absolute path.
    func createDirectories(_ path: String) throws(SystemError) {
        var status = FileStatus()
        if ct_stat(path, &status) == 0 {
            guard status.is_directory != 0 else { throw SystemError(operation: .createDirectory, number: ENOTDIR) }
            return
        }
        var end = path.startIndex
        while let slash = path[end...].dropFirst().firstIndex(of: "/") {
            end = slash
            try createDirectory(String(path[..<slash]))
        }
        try createDirectory(path)
    }

    /// Opens a directory; anything else fails with `ENOTDIR` at once, pipes and devices too.
    func openDirectory(
        _ name: String, in directory: Int32 = AT_FDCWD, followsLinks: Bool = true
    ) throws(SystemError) -> Int32 {
        try check(.open)
        let file = openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW))
        guard file >= 0 else {
            let number = errno
            let isLink = !followsLinks && status(name, in: directory)?.is_link == 1
            throw SystemError(operation: .open, number: isLink ? SystemError.linkInTheWay : number)
        }
        return file
    }

    /// Creates a directory unless there is one. A link in its place is removed, not followed, if `removesLink`.
    func createOwnDirectory(_ name: String, in directory: Int32, removesLink: Bool = true) throws(SystemError) {
        if removesLink, status(name, in: directory)?.is_link == 1 { unlinkat(directory, name, 0) }
        try createDirectory(name, in: directory)
    }

    /// Creates and opens a directory of this user.
    func openOwnDirectory(_ name: String, in directory: Int32) throws(SystemError) -> Int32 {
        try createOwnDirectory(name, in: directory)
        let file = try openDirectory(name, in: directory, followsLinks: false)
        do throws(SystemError) {
            guard try status(file).owner == geteuid() else {
                throw SystemError(operation: .open, number: SystemError.foreignOwner)
            }
            return file
        } catch {
            close(file)
            throw error
        }
    }

    func openForReading(_ name: UnsafePointer<CChar>, in directory: Int32) throws(SystemError) -> Int32 {
        try check(.open)
        // Never through a link: a cache in a shared place must not be led elsewhere. Never wait for the other end of a
        // pipe that is in the place of an entry.
        let file = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { throw SystemError(operation: .open, number: errno) }
        return file
    }

    /// Fails with `EEXIST` rather than take a file that is there.
    func create(_ name: UnsafePointer<CChar>, in directory: Int32) throws(SystemError) -> Int32 {
        try check(.create)
        let file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SystemError(operation: .create, number: errno) }
        return file
    }

    func status(_ file: Int32) throws(SystemError) -> FileStatus {
        var status = FileStatus()
        guard ct_fstat(file, &status) == 0 else { throw SystemError(operation: .read, number: errno) }
        return status
    }

    func status(_ name: UnsafePointer<CChar>, in directory: Int32 = AT_FDCWD) -> FileStatus? {
        var status = FileStatus()
        return ct_fstatat(directory, name, &status) == 0 ? status : nil
    }

    func status(_ file: EntryFile, in directory: Int32) -> FileStatus? {
        file.withFileName { status($0, in: directory) }
    }

    /// Reads from the current position until the buffer is full or the file ends; returns the number of bytes.
    func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try check(.read)
        guard let base = buffer.baseAddress else { return 0 }
        var count = 0
        while count < buffer.count {
            let got = ct_read(file, base + count, buffer.count - count)
            if got == 0 { break }
            if got > 0 {
                count += got
                // A short read of a regular file is its end; asking again would only cost a call.
                if count < buffer.count { break }
            } else if errno != EINTR {
                throw SystemError(operation: .read, number: errno)
            }
        }
        return count
    }

    /// Writes both buffers, in pieces of at most a mebibyte between which `isCancelled` is asked.
    /// Returns false when cancelled.
    func write(
        _ file: Int32, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, isCancelled: () -> Bool
    ) throws(SystemError) -> Bool {
        var first = first
        var second = second
        while first.count + second.count > 0 {
            if isCancelled() { return false }
            try check(.write)
            let piece = min(second.count, 1 << 20)
            let written = ct_write_two(file, first.baseAddress, first.count, second.baseAddress, piece)
            if written < 0 {
                if errno == EINTR { continue }
                throw SystemError(operation: .write, number: errno)
            }
            let ofFirst = min(written, first.count)
            first = UnsafeRawBufferPointer(rebasing: first.dropFirst(ofFirst))
            second = UnsafeRawBufferPointer(rebasing: second.dropFirst(written - ofFirst))
        }
        return true
    }

    func rename(
        _ name: UnsafePointer<CChar>, in directory: Int32, to newName: UnsafePointer<CChar>, in newDirectory: Int32
    ) throws(SystemError) {
        try check(.rename)
        guard renameat(directory, name, newDirectory, newName) == 0 else {
            throw SystemError(operation: .rename, number: errno)
        }
    }

    /// Whether there was such a file.
    @discardableResult
    func remove(_ name: UnsafePointer<CChar>, in directory: Int32) throws(SystemError) -> Bool {
        try check(.remove)
        if unlinkat(directory, name, 0) == 0 { return true }
        if errno == ENOENT { return false }
        throw SystemError(operation: .remove, number: errno)
    }

    /// Calls `body` with each name but `.` and `..`; the pointer is valid during the call. `body` returns false to stop.
    func list(_ directory: Int32, _ body: (UnsafePointer<CChar>) -> Bool) throws(SystemError) {
        try check(.list)
        // A descriptor of its own: fdopendir takes it over, and the reading position belongs to the open file.
        let copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else {
            let number = errno
            if copy >= 0 { close(copy) }
            throw SystemError(operation: .list, number: number)
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let goesOn = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    if name[0] == 46, name[1] == 0 || (name[1] == 46 && name[2] == 0) { return true }
                    return body(name)
                }
            }
            if !goesOn { return }
        }
    }

    /// Removes a directory and everything below it, as far as possible. Links are removed, never followed.
    func removeTree(_ name: String, in directory: Int32) {
        guard let file = try? openDirectory(name, in: directory, followsLinks: false) else {
            unlinkat(directory, name, 0)
            return
        }
        var directories: [String] = []
        try? list(file) { name in
            // A directory fails with EISDIR (Linux) or EPERM (POSIX).
            if unlinkat(file, name, 0) != 0, errno == EISDIR || errno == EPERM {
                directories.append(String(cString: name))
            }
            return true
        }
        for name in directories { removeTree(name, in: file) }
        close(file)
        unlinkat(directory, name, AT_REMOVEDIR)
    }
}
