import TintypeBase

/// The three descriptors that a process starts with.
enum StandardStreams {
    /// Opens those that the parent process has closed, so that no file gets their numbers and with it what is
    /// meant for the terminal. Reading from them and writing to them fails.
    static func occupy() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is this one.
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Keeps the codec libraries off standard error. libjxl and dav1d write what they think of damaged data there,
    /// offer no way to have it handed over instead, and would put lines of theirs between those that scripts read.
    ///
    /// - Returns: a descriptor of the tool's own for what was standard error. Everything else that is written to
    ///   standard error is lost from now on, unless the variable `TINTYPE_LIBRARY_MESSAGES` is set.
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
