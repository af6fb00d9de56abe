import TintypeBase

/// Whether the process may open enough files for a command.
///
/// libdispatch, which runs Swift's tasks, ends the process when it cannot open its own descriptors. The tool finds that
/// out first, and fails with an error.
enum DescriptorSupply {
    /// Files that a command opens at the same time: the runtime's, the cache's, a connection's and the output.
    static let minimum = 24

    static func isSufficient() -> Bool {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        for _ in 0..<minimum {
            let descriptor = dup(STDERR_FILENO)
            if descriptor < 0 { return errno == EBADF }
            descriptors.append(descriptor)
        }
        return true
    }
}
