import CSystemShim

/// Threads for blocking work: file I/O, decoding, hashing of big bodies.
///
/// Swift's cooperative pool has as many threads as the machine has cores; work that blocks or computes for long
/// there stops every other task. Threads start when work arrives and there is no idle one, up to `width`;
/// they live as long as the pool.
package final class WorkerPool: Sendable {
    /// Higher runs first; equal priorities run in the order of their submission.
    package typealias Priority = Int

    private struct Item {
        let priority: Priority
        let work: @Sendable () -> Void
    }

    private final class State: @unchecked Sendable {
        // Everything below is guarded by `mutex`.
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        var queue: [Item] = []
        var idle = 0
        var threads = 0
        /// Pieces of work that run now, on threads of the pool or of callers that wait for them.
        var running = 0
        var isClosed = false

        let width: Int

        init(width: Int) {
            self.width = width
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

        func run() {
            pthread_mutex_lock(mutex)
            while true {
                var item = running < width ? takeFirst() : nil
                if item != nil {
                    running += 1
                    pthread_mutex_unlock(mutex)
                    item?.work()
                    // Before the lock: the work may hold the last reference to this very pool, whose end takes the lock.
                    item = nil
                    pthread_mutex_lock(mutex)
                    running -= 1
                } else if isClosed, queue.isEmpty {
                    break
                } else {
                    idle += 1
                    pthread_cond_wait(condition, mutex)
                    idle -= 1
                }
            }
            threads -= 1
            pthread_mutex_unlock(mutex)
        }

        /// Takes back a thread that could not be started.
        func runWithoutThread() {
            pthread_mutex_lock(mutex)
            threads -= 1
            while threads == 0, let item = takeFirst() {
                running += 1
                pthread_mutex_unlock(mutex)
                item.work()
                pthread_mutex_lock(mutex)
                running -= 1
            }
            pthread_mutex_unlock(mutex)
        }

        func takeRoom() -> Bool {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            guard queue.isEmpty, running < width else { return false }
            running += 1
            return true
        }

        func giveRoomBack() {
            pthread_mutex_lock(mutex)
            running -= 1
            if !queue.isEmpty { pthread_cond_signal(condition) }
            pthread_mutex_unlock(mutex)
        }

        private func takeFirst() -> Item? {
            guard var best = queue.indices.first else { return nil }
            for index in queue.indices.dropFirst() where queue[index].priority > queue[best].priority { best = index }
            return queue.remove(at: best)
        }
    }

    private let state: State
    private let name: String
    private let stackSize: Int

    /// - Parameters:
    ///   - name: shown by debuggers; at most 15 bytes on Linux.
    ///   - width: the largest number of threads, at least 1.
    ///   - stackSize: bytes for each thread; decoders want 1 MiB or more.
    package init(name: String, width: Int, stackSize: Int = 2 << 20) {
        self.name = name
        state = State(width: max(1, width))
        self.stackSize = stackSize
    }

    deinit {
        pthread_mutex_lock(state.mutex)
        state.isClosed = true
        pthread_cond_broadcast(state.condition)
        pthread_mutex_unlock(state.mutex)
    }

    /// Runs `work` on a thread of the pool; returns at once.
    package func submit(priority: Priority = 0, _ work: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(state.mutex)
        state.queue.append(Item(priority: priority, work: work))
        let needsThread = state.idle < state.queue.count && state.threads < state.width
        if needsThread { state.threads += 1 }
        pthread_cond_signal(state.condition)
        pthread_mutex_unlock(state.mutex)
        if needsThread { startThread() }
    }

    /// Runs `body` on a thread of the pool and waits for it without blocking the calling thread.
    package func run<Result: Sendable>(
        priority: Priority = 0, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            submit(priority: priority) { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    /// Runs `body` behind everything that was submitted before, and blocks the calling thread until it has run. Where
    /// nothing waits and there is room, that thread does the work itself: handing it over twice costs more than a
    /// small read.
    package func runBlocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
        guard state.takeRoom() else {
            let gate = BlockingGate<Swift.Result<Result, any Error>>()
            submit { gate.open(Swift.Result { try body() }) }
            return try gate.wait().get()
        }
        defer { state.giveRoomBack() }
        return try body()
    }

    private func startThread() {
        let state = self.state
        guard !startDetachedThread(name: name, stackSize: stackSize, { state.run() }) else { return }
        // The process is out of threads or memory. Other threads of the pool take the work; without any, the caller's
        // thread does it, which is late but loses nothing.
        state.runWithoutThread()
    }
}

/// Starts a detached thread; false when the process is out of threads or memory.
@discardableResult
package func startDetachedThread(name: String, stackSize: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
    final class Box: Sendable {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stackSize)
    let argument = Unmanaged.passRetained(Box(name: name, body: body)).toOpaque()
    #if canImport(Darwin)
        var thread: pthread_t?
    #else
        var thread = pthread_t()
    #endif
    let code = pthread_create(
        &thread, &attributes,
        { argument in
            #if !canImport(Darwin)
                guard let argument else { return nil }
            #endif
            let box = Unmanaged<Box>.fromOpaque(argument).takeRetainedValue()
            ct_set_thread_name(String(box.name.prefix(15)))
            box.body()
            return nil
        }, argument)
    pthread_attr_destroy(&attributes)
    if code != 0 { Unmanaged<Box>.fromOpaque(argument).release() }
    return code == 0
}
