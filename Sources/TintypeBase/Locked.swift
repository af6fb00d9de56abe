// Not by `Exports.swift`: the package in GTK/ compiles this file too.
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A value behind a pthread mutex.
///
/// `Synchronization.Mutex` is not used: ThreadSanitizer does not understand it on Linux and reports races
/// that are not there. Never call out, do I/O or resume a continuation inside `withLock`.
@usableFromInline
package final class Locked<Value>: @unchecked Sendable {
    // `mutex` guards `value`; nothing else touches it. Behind a pointer and inlinable, because the checks of exclusive
    // access to a property and the unspecialised call cost several times what the lock does.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    package init(_ value: Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    @inlinable @inline(__always)
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}
