import CIsolation
import TintypeBase

/// The workers of one setting: started when they are needed, handed to one thread at a time, ended when idle.
final class DecodeWorkerPool: Sendable {
    /// How long a worker waits for work before it is ended.
    static let idleDuration: Duration = .seconds(30)
    /// How long a worker may take to start, which is no decoder's fault.
    private static let startDuration: Duration = .seconds(30)

    private struct Settings: Hashable {
        let path: String?
        let memory: Int
        let isStrict: Bool
    }

    private struct State {
        var idle: [DecodeWorkerProcess] = []
        /// The number of workers that exist or are being started.
        var count = 0
        var nextID = 0
        /// Threads that wait for any worker; each is told to try again.
        var waiters: [BlockingGate<Void>] = []
        /// Threads that wait for one worker, which another thread uses.
        var waitersForWorker: [Int: [BlockingGate<Void>]] = [:]
        var busy: Set<Int> = []
        /// Sessions that their workers close before they do something else.
        var abandonedSessions: [Int: [Int]] = [:]
        var isReaping = false
    }

    private static let pools = Locked<[Settings: DecodeWorkerPool]>([:])
    /// Its one thread lives as long as the process: the kernel kills a worker when the thread that started it ends.
    private static let spawner = WorkerPool(name: "tt-spawn", width: 1)

    /// The most workers at a time.
    let width: Int
    private let isolation: DecodeIsolation
    private let state = Locked(State())

    private init(isolation: DecodeIsolation) {
        self.isolation = isolation
        width = max(2, min(4, ProcessInfo.processInfo.activeProcessorCount))
    }

    /// The pool of a setting; one for all settings that differ only in scope and deadline.
    static func pool(for isolation: DecodeIsolation) -> DecodeWorkerPool {
        let settings = Settings(
            path: isolation.workerPath, memory: isolation.maximumMemoryByteCount, isStrict: isolation.isStrict)
        return pools.withLock { pools in
            if let pool = pools[settings] { return pool }
            let pool = DecodeWorkerPool(isolation: isolation)
            pools[settings] = pool
            return pool
        }
    }

    /// The number of workers that exist now.
    var workerCount: Int { state.withLock { $0.count } }

    // MARK: Calls

    /// Runs `body` with a worker that no other thread uses. Blocks while all workers are busy; each of them is free again
    /// after at most its deadline.
    ///
    /// - Parameters:
    ///   - preferred: the worker that holds a session; another one is taken if it is gone.
    ///   - format: for the error that says what happened to the worker.
    /// - Throws: `ImagingError`.
    func withWorker<Result>(
        preferred: Int? = nil, format: ImageFormat, timeout: Duration,
        _ body: (DecodeWorkerProcess, ContinuousClock.Instant) throws -> Result
    ) throws -> Result {
        do {
            let worker = try take(preferred)
            defer { give(worker) }
            let deadline = ContinuousClock.now + timeout
            for session in state.withLock({ $0.abandonedSessions.removeValue(forKey: worker.id) }) ?? [] {
                _ = try worker.call(deadline: deadline) { _ in .close(session: session) }
            }
            return try body(worker, deadline)
        } catch let failure as DecodeWorkerProcess.Failure {
            throw ImagingError(failure, format: format, timeout: timeout, memory: isolation.maximumMemoryByteCount)
        }
    }

    /// Closes a session before the next call to its worker. Does not block.
    func abandon(session: Int, of worker: Int) {
        state.withLock { state in
            guard state.busy.contains(worker) || state.idle.contains(where: { $0.id == worker }) else { return }
            state.abandonedSessions[worker, default: []].append(session)
        }
    }

    func missingProtections() throws -> [String] {
        try withWorker(format: .svg, timeout: .seconds(10)) { worker, _ in
            DecodeWorkerPool.describe(worker.missingProtections)
        }
    }

    static func describe(_ missing: Int) -> [String] {
        var parts: [String] = []
        if missing & TT_SANDBOX_NO_NEW_PRIVILEGES != 0 { parts.append("no_new_privs") }
        if missing & TT_SANDBOX_NO_LIMITS != 0 { parts.append("resource limits") }
        if missing & TT_SANDBOX_NO_LANDLOCK != 0 { parts.append("landlock") }
        if missing & TT_SANDBOX_NO_SECCOMP != 0 { parts.append("seccomp") }
        return parts
    }

    // MARK: Handing out

    private enum Step {
        case use(DecodeWorkerProcess)
        case start(id: Int)
        case wait(BlockingGate<Void>)
    }

    private func take(_ preferred: Int?) throws -> DecodeWorkerProcess {
        while true {
            let step = state.withLock { state -> Step in
                if let preferred {
                    if let index = state.idle.firstIndex(where: { $0.id == preferred }) {
                        state.busy.insert(preferred)
                        return .use(state.idle.remove(at: index))
                    }
                    if state.busy.contains(preferred) {
                        let gate = BlockingGate<Void>()
                        state.waitersForWorker[preferred, default: []].append(gate)
                        return .wait(gate)
                    }
                }
                if let worker = state.idle.popLast() {
                    state.busy.insert(worker.id)
                    return .use(worker)
                }
                guard state.count < width else {
                    let gate = BlockingGate<Void>()
                    state.waiters.append(gate)
                    return .wait(gate)
                }
                state.count += 1
                state.nextID += 1
                state.busy.insert(state.nextID)
                return .start(id: state.nextID)
            }
            switch step {
            case .use(let worker):
                if worker.isUsable { return worker }
                // It was killed while it was idle, which is not the fault of this call.
                worker.end()
                give(worker)
            case .wait(let gate): gate.wait()
            case .start(let id):
                do { return try start(id) } catch {
                    free(id, nil)
                    throw error
                }
            }
        }
    }

    private func start(_ id: Int) throws -> DecodeWorkerProcess {
        let gate = BlockingGate<Swift.Result<DecodeWorkerProcess, any Error>>()
        let isolation = isolation
        Self.spawner.submit {
            gate.open(
                Swift.Result {
                    try DecodeWorkerProcess(id: id, isolation: isolation, deadline: .now + Self.startDuration)
                })
        }
        let worker = try gate.wait().get()
        Self.warn(worker.missingProtections)
        return worker
    }

    /// Says once what this system lacks.
    private static func warn(_ missing: Int) {
        let isNew = hasWarned.withLock { hasWarned in
            defer { hasWarned = hasWarned || missing != 0 }
            return missing != 0 && !hasWarned
        }
        guard isNew else { return }
        let parts = describe(missing).joined(separator: ", ")
        let line = "tintype: this system offers no \(parts): decode workers are not fully isolated\n"
        // Where standard error is closed there is no one to tell.
        _ = line.utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
    }

    private static let hasWarned = Locked(false)

    private func give(_ worker: DecodeWorkerProcess) {
        if worker.isWornOut { worker.end() }
        worker.idleSince = .now
        free(worker.id, worker.isOver ? nil : worker)
    }

    /// Makes room, with a worker that can be used again or without.
    private func free(_ id: Int, _ worker: DecodeWorkerProcess?) {
        let (gates, reaps) = state.withLock { state in
            state.busy.remove(id)
            if let worker {
                state.idle.append(worker)
            } else {
                state.count -= 1
                state.abandonedSessions[id] = nil
            }
            var gates = state.waitersForWorker.removeValue(forKey: id) ?? []
            if !state.waiters.isEmpty { gates.append(state.waiters.removeFirst()) }
            let reaps = !state.isReaping && !state.idle.isEmpty
            if reaps { state.isReaping = true }
            return (gates, reaps)
        }
        for gate in gates { gate.open(()) }
        if reaps { scheduleReaping() }
    }

    // MARK: Idle workers

    private func scheduleReaping() {
        Task.detached { [self] in
            // The task is never cancelled.
            try? await Task.sleep(for: Self.idleDuration / 2)
            Self.spawner.submit { [self] in
                if endIdleWorkers(olderThan: Self.idleDuration) { scheduleReaping() }
            }
        }
    }

    /// Ends the workers that have been idle for long.
    ///
    /// - Returns: whether idle workers are left.
    @discardableResult func endIdleWorkers(olderThan age: Duration) -> Bool {
        let (old, areLeft) = state.withLock { state in
            let limit = ContinuousClock.now - age
            let old = state.idle.filter { $0.idleSince <= limit }
            state.idle.removeAll { $0.idleSince <= limit }
            state.count -= old.count
            for worker in old { state.abandonedSessions[worker.id] = nil }
            state.isReaping = !state.idle.isEmpty
            return (old, state.isReaping)
        }
        for worker in old { worker.end() }
        return areLeft
    }
}

extension ImagingError {
    fileprivate init(_ failure: DecodeWorkerProcess.Failure, format: ImageFormat, timeout: Duration, memory: Int) {
        switch failure {
        case .timedOut: self = .decodeTimedOut(format, after: timeout)
        case .crashed(let signal): self = .decoderCrashed(format, signal: signal)
        case .outOfMemory: self = .tooCostly(format, "decoding it takes more than \(memory >> 20) MiB of memory")
        case .system(let code):
            self = .processorFailed("no decode worker can be used: \(String(cString: strerror(code)))")
        }
    }
}
