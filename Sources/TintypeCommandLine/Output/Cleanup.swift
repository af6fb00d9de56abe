import TintypeBase

/// Removes unfinished files when the process ends.
enum Cleanup {
    private static let unfinished = Locked<Set<String>>([])

    /// Creates an unfinished file, which is removed if the process is stopped before ``finish(_:)``.
    ///
    /// - Returns: what `body` returns: a descriptor. Not while the process ends: then it never returns.
    static func begin(_ path: String, _ body: () -> Int32) -> Int32 {
        unfinished.withLock { paths in
            paths.insert(path)
            return body()
        }
    }

    /// Declares that the file has its final name or was removed.
    static func finish(_ path: String) { unfinished.withLock { _ = $0.remove(path) } }

    /// Ends the process at once, and removes unfinished files.
    static func leave(_ status: ExitStatus) -> Never {
        // The lock is never released, so that no file is created after the others have been removed.
        unfinished.withLock { paths in
            for path in paths { _ = PathText.withPath(path) { unlink($0) } }
            // Not exit(3): its handlers would tear down libraries under threads that still use them, and nothing here
            // is buffered.
            _exit(status.rawValue)
        }
    }
}
