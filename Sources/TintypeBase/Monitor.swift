/// A value behind a pthread mutex, and threads that wait for it to change.
///
/// For threads that may block, never for the cooperative pool. As with ``Locked``: never call out, do I/O or resume a
/// continuation inside a closure.
package final class Monitor<Value>: @unchecked Sendable {
    // `mutex` guards `value`; nothing else touches it.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: Value) {
        self.value = value
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

    /// Reads or changes the value. Wakes no thread.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Wakes one waiting thread.
    package func signal() { pthread_cond_signal(condition) }

    /// Wakes all waiting threads.
    package func broadcast() { pthread_cond_broadcast(condition) }

    /// Calls `body` until it returns a result, and blocks between the calls until another thread wakes this one.
    package func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }
}

/// One value for which threads block.
package final class BlockingGate<Value: Sendable>: Sendable {
    private let monitor = Monitor<Value?>(nil)

    package init() {}

    /// Hands over the value; only the first one counts.
    package func open(_ value: Value) {
        monitor.withLock { $0 = $0 ?? value }
        monitor.broadcast()
    }

    /// Blocks until the value is there.
    package func wait() -> Value { monitor.wait { $0 } }
}
