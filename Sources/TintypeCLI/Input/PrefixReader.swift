import TintypeBase

/// Reads a file from its start, as far as it is asked to.
///
/// Not `Sendable`: one command reads one source at a time.
final class PrefixReader {
    private(set) var data = Data()
    private(set) var isAtEnd = false
    /// Of the whole file, if it is a regular one.
    private(set) var fileByteCount: Int?
    private let descriptor: Int32
    private let ownsDescriptor: Bool

    init(path: String) throws(Problem) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        ownsDescriptor = true
        guard descriptor >= 0 else { throw PrefixReader.failure(errno, "cannot be opened") }
        try inspect()
    }

    init(standardInput descriptor: Int32 = STDIN_FILENO) throws(Problem) {
        self.descriptor = descriptor
        ownsDescriptor = false
        try inspect()
    }

    deinit { if ownsDescriptor { close(descriptor) } }

    private func inspect() throws(Problem) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw PrefixReader.failure(errno, "cannot be inspected") }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw Problem("ioFailed", "it is a folder, not an image")
        case S_IFREG:
            // Standard input may have been read in part by somebody else.
            let position = lseek(descriptor, 0, SEEK_CUR)
            fileByteCount = Int(status.st_size) - Int(max(0, position))
        default: break
        }
    }

    /// Makes `data` at least `count` bytes long, or as long as the file.
    func grow(to count: Int) throws(Problem) {
        while !isAtEnd, data.count < count {
            let wanted = min(count - data.count, 4 << 20)
            var failure: Int32 = 0
            var chunk = Data(count: wanted)
            let received = chunk.withUnsafeMutableBytes { bytes in
                var result = read(descriptor, bytes.baseAddress, bytes.count)
                while result < 0, errno == EINTR { result = read(descriptor, bytes.baseAddress, bytes.count) }
                if result < 0 { failure = errno }
                return result
            }
            guard received >= 0 else { throw PrefixReader.failure(failure, "cannot be read") }
            if received == 0 { isAtEnd = true } else { data.append(chunk.prefix(received)) }
        }
        if let fileByteCount, data.count >= fileByteCount { isAtEnd = true }
    }

    func readAll() throws(Problem) -> Data {
        // One byte more than the file said: it may be growing, and /proc files say 0.
        while !isAtEnd { try grow(to: max(fileByteCount ?? 0, data.count) + (1 << 20)) }
        return data
    }

    /// Bytes of the whole source. A pipe must be read to its end for that; what comes is not kept.
    func countBytes() throws(Problem) -> Int {
        if let fileByteCount, fileByteCount >= data.count { return fileByteCount }
        var total = data.count
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while !isAtEnd {
            let received = read(descriptor, buffer.baseAddress, buffer.count)
            if received < 0, errno == EINTR { continue }
            guard received >= 0 else { throw PrefixReader.failure(errno, "cannot be read") }
            if received == 0 { isAtEnd = true }
            total += received
        }
        return total
    }

    static func failure(_ code: Int32, _ what: String) -> Problem {
        Problem("ioFailed", "\(what): \(String(cString: strerror(code)))")
    }
}
