import Tintype
import TintypeBase

/// Reads a prefix of a file, which can grow.
///
/// Not `Sendable`: one command reads one source at a time.
final class PrefixReader {
    /// The longest body that is read, as for bodies from the network.
    static let defaultLimit = 200 << 20

    private(set) var data = Data()
    private(set) var isAtEnd = false
    /// Of the whole file, if it is a regular one.
    private(set) var fileByteCount: Int?
    private let descriptor: Int32
    private let ownsDescriptor: Bool

    /// Opens a regular file, or what a path such as `/dev/stdin` names. Never blocks.
    init(path: String) throws(Problem) {
        ownsDescriptor = true
        // Without O_NONBLOCK opening a named pipe would wait for a writer.
        let number = DescriptorPath.number(path)
        let opened = PathText.withPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        var status = stat()
        if let number, opened < 0 || fstat(opened, &status) != 0 || status.st_mode & S_IFMT != S_IFREG {
            // A pipe or a socket is not opened a second time but shared.
            if opened >= 0 { close(opened) }
            descriptor = fcntl(number, F_DUPFD_CLOEXEC, 3)
        } else {
            descriptor = opened
        }
        guard descriptor >= 0 else { throw PrefixReader.failure(errno, "cannot be opened") }
        try inspect(isRegularFile: number == nil)
    }

    init(standardInput descriptor: Int32 = STDIN_FILENO) throws(Problem) {
        self.descriptor = descriptor
        ownsDescriptor = false
        try inspect(isRegularFile: false)
    }

    deinit { if ownsDescriptor { close(descriptor) } }

    private func inspect(isRegularFile: Bool) throws(Problem) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw PrefixReader.failure(errno, "cannot be inspected") }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            // Standard input may have been read in part by another process.
            let position = lseek(descriptor, 0, SEEK_CUR)
            fileByteCount = Int(status.st_size) - Int(max(0, position))
        case let kind:
            guard !isRegularFile, kind != S_IFDIR else {
                throw Problem("ioFailed", "it is \(DescriptorPath.kind(kind)), not a regular file")
            }
        }
    }

    /// Makes `data` at least `count` bytes long, or as long as the file.
    func grow(to count: Int) throws(Problem) {
        while !isAtEnd, data.count < count {
            let wanted = min(count - data.count, 4 << 20)
            var chunk = Data(count: wanted)
            let received = chunk.withUnsafeMutableBytes { readSome($0) }
            guard received >= 0 else { throw PrefixReader.failure(errno, "cannot be read") }
            if received == 0 { isAtEnd = true } else { data.append(chunk.prefix(received)) }
        }
        if let fileByteCount, data.count >= fileByteCount { isAtEnd = true }
    }

    /// Like read(2), but blocks on a non-blocking descriptor, too.
    private func readSome(_ space: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let received = read(descriptor, space.baseAddress, space.count)
            if received >= 0 { return received }
            if errno == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                poll(&wait, 1, -1)
            } else if errno != EINTR {
                return received
            }
        }
    }

    /// Returns everything.
    ///
    /// - Throws: `bodyTooLarge` as soon as there is more than the limit.
    func readAll(limit: Int = defaultLimit) throws(Problem) -> Data {
        if max(fileByteCount ?? 0, data.count) > limit { throw PrefixReader.tooLarge(limit) }
        while !isAtEnd {
            // One byte more than the reported size: the file may be growing, and files in /proc report 0.
            try grow(to: min(max(fileByteCount ?? 0, data.count) + (1 << 20), limit + 1))
            if data.count > limit { throw PrefixReader.tooLarge(limit) }
        }
        return data
    }

    /// Returns a whole image. Other files are refused after their first bytes.
    func readImage(limit: Int = defaultLimit) throws -> Data {
        var wanted = InfoCommand.firstPrefix
        try grow(to: wanted)
        while ImageFormat.sniff(data) == nil {
            do {
                _ = try ImageCodecs.standard.info(data, isComplete: isAtEnd)
                break
            } catch ImagingError.needsMoreData(_, let hint) where !isAtEnd && data.count < 4 << 20 {
                wanted = InfoCommand.next(after: data.count, hint: hint)
                try grow(to: wanted)
            }
        }
        return try readAll(limit: limit)
    }

    /// Returns the bytes of the whole source. A pipe is read for that and its bytes are discarded. Nil if a pipe
    /// is too long.
    func countBytes() throws(Problem) -> Int? {
        if let fileByteCount, fileByteCount >= data.count { return fileByteCount }
        var total = data.count
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while !isAtEnd {
            let received = readSome(buffer)
            guard received >= 0 else { throw PrefixReader.failure(errno, "cannot be read") }
            if received == 0 { isAtEnd = true }
            total += received
            if total > 16 * PrefixReader.defaultLimit { return nil }
        }
        return total
    }

    static func tooLarge(_ limit: Int = defaultLimit) -> Problem {
        Problem("bodyTooLarge", "it is longer than the limit of \(limit) bytes")
    }

    static func failure(_ code: Int32, _ what: String) -> Problem {
        Problem("ioFailed", "\(what): \(systemErrorText(code))")
    }
}
