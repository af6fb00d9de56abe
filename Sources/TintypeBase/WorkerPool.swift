import CSystemShim

/// Threads for blocking work: file I/O, decoding, hashing of big bodies.
///
/// Swift's cooperative pool has as many threads as the machine has cores; work that blocks or computes for long there
/// stops every other task. Threads start when work arrives and none is idle, up to `width`; they live as long as the
/// pool.
package final class WorkerPool: Sendable {
    /// The urgency of work: higher runs first, equal priorities in the order of their submission.
    package typealias Priority = Int

    private struct Item {
        let priority: Priority
        let number: UInt64
        let work: @Sendable () -> Void
    }

    private struct State {
        var queue = BinaryHeap<Item> { first, second in
            first.priority == second.priority ? first.number < second.number : first.priority > second.priority
        }
        var nextNumber: UInt64 = 0
        var threads = 0
        /// Threads of the pool that run a piece of work.
        var busy = 0
        /// Pieces of work that run now, on threads of the pool or of callers that wait for them.
        var running = 0
        var isClosed = false
    }

    /// What the threads share with the pool. They do not retain the pool itself, so that its `deinit` ends them.
    private final class Shared: Sendable {
        let state = Monitor(State())
        let width: Int

        init(width: Int) { self.width = width }

        /// The life of a thread.
        func run() {
            while runNext() {
                state.withLock { state in
                    state.busy -= 1
                    state.running -= 1
                }
            }
        }

        /// Waits for a piece of work and runs it. Returns false when the pool has ended.
        ///
        /// The work is released on return, outside the lock: it may hold the last reference to this very pool, whose end
        /// takes the lock.
        private func runNext() -> Bool {
            let item = state.wait { [width] state -> Item?? in
                if state.running < width, let item = state.queue.removeFirst() {
                    state.busy += 1
                    state.running += 1
                    return item
                }
                guard state.isClosed, state.queue.isEmpty else { return nil }
                state.threads -= 1
                return .some(nil)
            }
            item?.work()
            return item != nil
        }

        /// Gives up a thread that could not be started. Without any thread the work is done here.
        func runWithoutThread() {
            state.withLock { $0.threads -= 1 }
            while let item = state.withLock({ state in state.threads == 0 ? state.queue.removeFirst() : nil }) {
                state.withLock { $0.running += 1 }
                item.work()
                state.withLock { $0.running -= 1 }
            }
        }
    }

    private let shared: Shared
    private let name: String
    private let stackSize: Int

    /// Creates a pool; its threads start with the work.
    ///
    /// - Parameters:
    ///   - name: The name that debuggers show; at most 15 bytes on Linux.
    ///   - width: The largest number of threads, at least 1.
    ///   - stackSize: Bytes for each thread; decoders want 1 MiB or more.
    package init(name: String, width: Int, stackSize: Int = 2 << 20) {
        self.name = name
        shared = Shared(width: max(1, width))
        self.stackSize = stackSize
    }

    deinit {
        shared.state.withLock { $0.isClosed = true }
        shared.state.broadcast()
    }

    /// Runs `work` on a thread of the pool; does not wait for it.
    package func submit(priority: Priority = 0, _ work: @escaping @Sendable () -> Void) {
        let needsThread = shared.state.withLock { [width = shared.width] state in
            state.queue.insert(Item(priority: priority, number: state.nextNumber, work: work))
            state.nextNumber += 1
            guard state.threads - state.busy < state.queue.count, state.threads < width else { return false }
            state.threads += 1
            return true
        }
        shared.state.signal()
        guard needsThread else { return }
        let shared = self.shared
        // Where the process is out of threads or memory, other threads of the pool take the work; without any, the
        // caller's thread does it, which is late but loses nothing.
        if !startDetachedThread(name: name, stackSize: stackSize, { shared.run() }) { shared.runWithoutThread() }
    }

    /// Runs `body` on a thread of the pool and waits for it without blocking the calling thread.
    package func run<Result: Sendable>(
        priority: Priority = 0, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            submit(priority: priority) { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    /// Runs `body` after everything that was submitted before, and blocks the calling thread until it has run. If
    /// nothing waits and there is room, that thread does the work itself: handing it over twice costs more than a
    /// small read.
    package func runBlocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
        let hasRoom = shared.state.withLock { [width = shared.width] state in
            guard state.queue.isEmpty, state.running < width else { return false }
            state.running += 1
            return true
        }
        guard hasRoom else {
            let gate = BlockingGate<Swift.Result<Result, any Error>>()
            submit { gate.open(Swift.Result { try body() }) }
            return try gate.wait().get()
        }
        defer {
            shared.state.withLock { $0.running -= 1 }
            shared.state.signal()
        }
        return try body()
    }
}

/// Starts a detached thread; returns false if the process is out of threads or memory.
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
