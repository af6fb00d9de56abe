import TintypeBase

/// One lock for each entry, so that the index and the file of an entry cannot end in different states.
///
/// Only a second change of the same entry waits; reads never do.
final class EntryLocks: Sendable {
    private let busy = Monitor<Set<EntryName>>([])

    /// Waits for the lock of an entry and runs `body`. Must not be nested for one name.
    func run<Result, Failure: Error>(
        _ name: EntryName, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        busy.wait { $0.insert(name).inserted ? () : nil }
        defer { release(name) }
        return try body()
    }

    /// Runs `body`, or does nothing and returns nil if another thread is changing the entry.
    @discardableResult
    func runIfFree<Result, Failure: Error>(
        _ name: EntryName, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard busy.withLock({ $0.insert(name).inserted }) else { return nil }
        defer { release(name) }
        return try body()
    }

    private func release(_ name: EntryName) {
        busy.withLock { _ = $0.remove(name) }
        busy.broadcast()
    }
}
