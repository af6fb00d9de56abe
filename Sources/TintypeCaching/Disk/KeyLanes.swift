import TintypeBase

/// One change at a time for each entry, so that the index and the file of an entry cannot end in different states.
///
/// Not a lock around I/O in disguise for everybody: only a second change of the *same* entry waits, reads never do.
final class KeyLanes: @unchecked Sendable {
    // `mutex` guards `busy`.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var busy: Set<EntryName> = []

    init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Waits for the lane. Must not be nested for one name.
    func run<Result, Failure: Error>(
        _ name: EntryName, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        while busy.contains(name) { pthread_cond_wait(condition, mutex) }
        busy.insert(name)
        pthread_mutex_unlock(mutex)
        defer { leave(name) }
        return try body()
    }

    /// Does nothing and returns nil when somebody else is changing the entry.
    @discardableResult
    func runIfFree<Result, Failure: Error>(
        _ name: EntryName, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        pthread_mutex_lock(mutex)
        let isFree = busy.insert(name).inserted
        pthread_mutex_unlock(mutex)
        guard isFree else { return nil }
        defer { leave(name) }
        return try body()
    }

    private func leave(_ name: EntryName) {
        pthread_mutex_lock(mutex)
        busy.remove(name)
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }
}
