import TintypeBase

/// Files that must not outlive the process half written.
enum Cleanup {
    private static let unfinished = Locked<Set<String>>([])

    static func add(_ path: String) { unfinished.withLock { _ = $0.insert(path) } }

    static func remove(_ path: String) { unfinished.withLock { _ = $0.remove(path) } }

    /// Ends the process at once, without what is half done.
    static func leave(_ status: ExitStatus) -> Never {
        for path in unfinished.withLock({ $0 }) { unlink(path) }
        // Not exit(3): its handlers would tear down libraries under threads that still use them, and nothing here is
        // buffered.
        _exit(status.rawValue)
    }
}
