import TintypeBase

/// Keeps the codec libraries off standard error. libjxl and dav1d write what they think of damaged data there, offer no
/// way to have it handed over instead, and would put lines of theirs between those that scripts read.
enum StandardError {
    /// A descriptor of the tool's own for what was standard error. Everything else that is written to standard error is
    /// lost from now on, unless the variable `TINTYPE_LIBRARY_MESSAGES` is set.
    static func claim() -> Int32 {
        guard environment("TINTYPE_LIBRARY_MESSAGES") == nil else { return STDERR_FILENO }
        let own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
        // Closed by whoever started the tool: nobody listens.
        guard own >= 0 else { return STDERR_FILENO }
        let sink = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard sink >= 0 else { return own }
        dup2(sink, STDERR_FILENO)
        close(sink)
        return own
    }
}
