import TintypeBase

/// The three descriptors that a process starts with.
enum StandardStreams {
    /// Opens those that the parent process has closed, so that no file gets their numbers and the output for
    /// the terminal. Reading from them and writing to them fails.
    static func occupy() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is this one.
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Keeps the codec libraries off standard error. libjxl and dav1d write messages about damaged data there,
    /// which cannot be turned off and would mix with the lines that scripts read.
    ///
    /// - Returns: a new descriptor for the previous standard error. Other output to
    ///   standard error is discarded from now on, unless the variable `TINTYPE_LIBRARY_MESSAGES` is set.
    static func claimErrors() -> Int32 {
        guard environment("TINTYPE_LIBRARY_MESSAGES") == nil else { return STDERR_FILENO }
        let own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
        guard own >= 0 else { return STDERR_FILENO }
        let sink = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard sink >= 0 else { return own }
        dup2(sink, STDERR_FILENO)
        close(sink)
        return own
    }
}

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
