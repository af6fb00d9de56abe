import TintypeBase

/// Something that a job reports while it runs. A late waiter gets the last one of each kind at once.
protocol WorkEvent: Sendable {
    var kind: Int { get }
}

/// The running jobs of one stage, by key: a second caller with the same key waits for the job that already runs.
///
/// A job runs once and ends once. When its last waiter leaves it is cancelled, and from that moment a new waiter starts
/// a new job. No lock is held while a waiter is called.
final class CoalescedWork<Key: Hashable & Sendable, Event: WorkEvent, Value: Sendable>: Sendable {
    /// One job. Everything that changes is guarded by the lock of its table.
    final class Job: @unchecked Sendable {
        let key: Key
        let control: WorkControl
        fileprivate let table: CoalescedWork
        fileprivate var waiters: [UInt64: Waiter] = [:]
        fileprivate var counter = InterestCounter()
        fileprivate var version: UInt64 = 0
        fileprivate var latest: [Event] = []
        fileprivate var task: Task<Void, Never>?
        fileprivate var isAbandoned = false

        fileprivate init(key: Key, interest: Interest, table: CoalescedWork) {
            self.key = key
            self.table = table
            control = WorkControl(interest)
        }

        /// Reports to every waiter that listens.
        func send(_ event: Event) { table.send(event, from: self) }
    }

    /// One call of `value(for:)`. Everything that changes is guarded by the lock of the table.
    fileprivate final class Waiter: @unchecked Sendable {
        let onEvent: (@Sendable (Event) -> Void)?
        var continuation: CheckedContinuation<Value, any Error>?
        var job: Job?
        var id: UInt64 = 0
        var interest = Interest(priority: .veryLow, demand: [])
        var version: UInt64 = 0
        var observer: UInt64?
        var isCancelled = false

        init(onEvent: (@Sendable (Event) -> Void)?) { self.onEvent = onEvent }
    }

    private struct State {
        var jobs: [Key: Job] = [:]
        var nextID: UInt64 = 0
        /// Bodies that have not returned yet, those of abandoned jobs included.
        var runningCount = 0
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let willEnd: @Sendable (Job, Value, Interest) -> Void

    /// - Parameter willEnd: called before a job's waiters are resumed, with the result and their interest. Called again
    ///   if a waiter joined in between and wants more.
    init(willEnd: @escaping @Sendable (Job, Value, Interest) -> Void = { _, _, _ in }) { self.willEnd = willEnd }

    var runningCount: Int { state.withLock { $0.runningCount } }

    /// Returns when no body runs any more.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.runningCount > 0 { state.idleWaiters.append(continuation) }
                return state.runningCount == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Waits for the job of a key, which `body` starts if it is not running.
    ///
    /// - Parameters:
    ///   - control: of the waiting load or job; its interest travels down, its cancellation too.
    ///   - mapInterest: what of that interest the job shares; called at each change.
    ///   - onEvent: called with what the job reports.
    /// - Throws: what the job throws; `CancellationError` at once when the waiting task is cancelled.
    func value(
        for key: Key, control: WorkControl, mapInterest: @escaping @Sendable (Interest) -> Interest = { $0 },
        onEvent: (@Sendable (Event) -> Void)?, body: @escaping @Sendable (Job) async throws -> Value
    ) async throws -> Value {
        let waiter = Waiter(onEvent: onEvent)
        defer {
            // The job has ended or been left, so the waiter is used by this task alone.
            if let observer = waiter.observer { control.stopObserving(observer) }
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard join(key, waiter, continuation, mapInterest(control.interest), body) else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                observe(control, for: waiter, mapInterest)
            }
        } onCancel: {
            leave(waiter)
        }
    }

    private func observe(
        _ control: WorkControl, for waiter: Waiter, _ mapInterest: @escaping @Sendable (Interest) -> Interest
    ) {
        let observer = control.observe { [self] interest, version in
            // Version 0 is the interest that the waiter joined with.
            if version > 0 { update(waiter, mapInterest(interest), version) }
        }
        let hasEnded = state.withLock { _ in
            if waiter.continuation != nil { waiter.observer = observer }
            return waiter.continuation == nil
        }
        if hasEnded { control.stopObserving(observer) }
    }

    /// False if the waiting task was cancelled before it began.
    private func join(
        _ key: Key, _ waiter: Waiter, _ continuation: CheckedContinuation<Value, any Error>, _ interest: Interest,
        _ body: @escaping @Sendable (Job) async throws -> Value
    ) -> Bool {
        var isNew = false
        var replay: [Event] = []
        let joined = state.withLock { state -> (Job, Interest, UInt64)? in
            guard !waiter.isCancelled else { return nil }
            let job: Job
            if let running = state.jobs[key] {
                job = running
                if waiter.onEvent != nil { replay = job.latest }
            } else {
                job = Job(key: key, interest: interest, table: self)
                state.jobs[key] = job
                state.runningCount += 1
                isNew = true
            }
            state.nextID += 1
            (waiter.id, waiter.job, waiter.continuation, waiter.interest) = (state.nextID, job, continuation, interest)
            job.waiters[waiter.id] = waiter
            job.counter.add(interest)
            job.version += 1
            return (job, job.counter.merged, job.version)
        }
        guard let (job, merged, version) = joined else { return false }
        if isNew {
            start(job, body)
        } else {
            job.control.update(merged, version: version)
            for event in replay { waiter.onEvent?(event) }
        }
        return true
    }

    private func start(_ job: Job, _ body: @escaping @Sendable (Job) async throws -> Value) {
        // Not detached: the task-local values of the load that starts a job reach loaders.
        let task = Task {
            let result: Result<Value, any Error>
            do { result = .success(try await body(job)) } catch { result = .failure(error) }
            self.end(job, result)
        }
        let isAbandoned = state.withLock { _ in
            job.task = task
            return job.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    private func end(_ job: Job, _ result: Result<Value, any Error>) {
        var finalized: Interest.Demand = []
        while true {
            if case .success(let value) = result {
                let interest = state.withLock { _ in job.counter.merged }
                willEnd(job, value, interest)
                finalized = interest.demand
            }
            var idle: [CheckedContinuation<Void, Never>] = []
            let ended = state.withLock { state -> [CheckedContinuation<Value, any Error>]? in
                // A waiter joined meanwhile and wants what has not been done yet: once more.
                if case .success = result, !job.counter.merged.demand.isSubset(of: finalized) { return nil }
                if state.jobs[job.key] === job { state.jobs[job.key] = nil }
                state.runningCount -= 1
                if state.runningCount == 0 { swap(&idle, &state.idleWaiters) }
                job.task = nil
                let waiters = job.waiters.values.sorted { $0.id < $1.id }
                job.waiters = [:]
                return waiters.compactMap { waiter in
                    defer { (waiter.continuation, waiter.job) = (nil, nil) }
                    return waiter.continuation
                }
            }
            guard let ended else { continue }
            for continuation in ended { continuation.resume(with: result) }
            for waiter in idle { waiter.resume() }
            return
        }
    }

    private func send(_ event: Event, from job: Job) {
        let listeners = state.withLock { _ -> [@Sendable (Event) -> Void] in
            if let index = job.latest.firstIndex(where: { $0.kind == event.kind }) {
                job.latest[index] = event
            } else {
                job.latest.append(event)
            }
            return job.waiters.values.compactMap(\.onEvent)
        }
        for listener in listeners { listener(event) }
    }

    /// Ends the wait of a cancelled task.
    private func leave(_ waiter: Waiter) {
        var abandoned: Task<Void, Never>?
        var change: (WorkControl, Interest, UInt64)?
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            waiter.isCancelled = true
            guard let job = waiter.job else { return nil }
            job.waiters[waiter.id] = nil
            job.counter.remove(waiter.interest)
            job.version += 1
            if job.waiters.isEmpty {
                job.isAbandoned = true
                if state.jobs[job.key] === job { state.jobs[job.key] = nil }
                abandoned = job.task
            } else {
                change = (job.control, job.counter.merged, job.version)
            }
            defer { (waiter.continuation, waiter.job) = (nil, nil) }
            return waiter.continuation
        }
        abandoned?.cancel()
        if let (control, merged, version) = change { control.update(merged, version: version) }
        continuation?.resume(throwing: CancellationError())
    }

    private func update(_ waiter: Waiter, _ interest: Interest, _ version: UInt64) {
        let change = state.withLock { _ -> (WorkControl, Interest, UInt64)? in
            guard let job = waiter.job, version > waiter.version else { return nil }
            job.counter.remove(waiter.interest)
            job.counter.add(interest)
            (waiter.interest, waiter.version) = (interest, version)
            job.version += 1
            return (job.control, job.counter.merged, job.version)
        }
        if let (control, merged, version) = change { control.update(merged, version: version) }
    }
}
