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
