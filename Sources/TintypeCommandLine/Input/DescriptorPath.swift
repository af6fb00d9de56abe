import TintypeBase

/// Paths that name an open descriptor of this process, as `<(command)` of a shell does. Only they may be a pipe, a
/// terminal or a socket; every other path must be a regular file, so that opening it never blocks.
enum DescriptorPath {
    /// Returns the descriptor of `/dev/stdin`, `/dev/stdout`, `/dev/fd/N` and `/proc/self/fd/N`, or nil.
    static func number(_ path: String) -> Int32? {
        switch path {
        case "/dev/stdin": return STDIN_FILENO
        case "/dev/stdout": return STDOUT_FILENO
        default: break
        }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            let digits = path.dropFirst(folder.count)
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return Int32(digits)
        }
        return nil
    }

    /// Returns `a named pipe`, or what else it is.
    static func kind(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFDIR: "a folder"
        case S_IFIFO: "a named pipe"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }
}

/// The image that a descriptor gives, read once.
final class PipeInput: Sendable {
    private static let pool = WorkerPool(name: "tintype-input", width: 2)

    private let path: String
    private let limit: Int
    private let result = Locked<Result<Data, any Error>?>(nil)

    init(path: String, limit: Int) {
        self.path = path
        self.limit = limit
    }

    func data() async throws -> Data {
        try await PipeInput.pool.run { [self] in
            if let result = result.withLock({ $0 }) { return try result.get() }
            let read = Result { try reader().readImage(limit: limit) }
            result.withLock { $0 = read }
            return try read.get()
        }
    }

    private func reader() throws -> PrefixReader {
        try path == "-" ? PrefixReader(standardInput: 0) : PrefixReader(path: path)
    }
}
