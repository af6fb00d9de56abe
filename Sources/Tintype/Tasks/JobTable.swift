import TintypeBase

/// Something that a job reports on its way. A late waiter gets the last one of each kind at once.
protocol JobEvent: Sendable {
    var kind: Int { get }
}

/// The running jobs of one stage, by key: whoever asks for a key that is already being worked on waits with the others.
///
/// A job runs once and ends once. The last waiter to leave cancels it, and from that moment a new waiter starts a new
/// one. No lock is held while a waiter is called.
final class JobTable<Key: Hashable & Sendable, Event: JobEvent, Value: Sendable>: Sendable {
    typealias Body = @Sendable (Job) async throws -> Value

    struct Subscriber: Sendable {
        var interest: Interest
        var version: UInt64 = 0
        let onEvent: (@Sendable (Event) -> Void)?
        let onEnd: @Sendable (Result<Value, any Error>) -> Void
    }

    /// One job. Everything that changes is guarded by the lock of the table.
    final class Job: @unchecked Sendable {
        let key: Key
        let control: JobControl
        fileprivate let table: JobTable
        fileprivate var subscribers: [UInt64: Subscriber] = [:]
        fileprivate var counter = InterestCounter()
        fileprivate var version: UInt64 = 0
        fileprivate var latest: [Event] = []
        fileprivate var task: Task<Void, Never>?
        fileprivate var isAbandoned = false

        fileprivate init(key: Key, interest: Interest, table: JobTable) {
            self.key = key
            self.table = table
            control = JobControl(interest)
        }

        /// Reports to every waiter that listens.
        func send(_ event: Event) { table.send(event, from: self) }
    }

    /// One waiter's hold on a job.
    struct Subscription: Sendable {
        fileprivate let job: Job
        fileprivate let id: UInt64

        /// Leaves the job; its end is not reported any more. False if it had ended or been left before.
        @discardableResult func cancel() -> Bool { job.table.leave(job, id) }

        /// - Parameter version: of the interest; an older one than the last is ignored.
        func update(_ interest: Interest, version: UInt64) { job.table.update(job, id, interest, version) }
    }

    private struct State {
        var jobs: [Key: Job] = [:]
        var nextID: UInt64 = 0
        /// Bodies that have not returned yet, those of abandoned jobs included.
        var runningCount = 0
        var idleWaiters: [CheckedContinuation<Void, Never>] = []

        mutating func takeIdleWaiters() -> [CheckedContinuation<Void, Never>] {
            guard runningCount == 0 else { return [] }
            defer { idleWaiters = [] }
            return idleWaiters
        }
    }

    private let state = Locked(State())

    /// Called before a job's waiters are: with the result and the interest of those who are waiting. Called again if
    /// somebody joined in between and wants more.
    let willEnd: @Sendable (Job, Value, Interest) -> Void

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

    /// Waits for the job of this key, which `body` starts if it is not running.
    func join(_ key: Key, _ subscriber: Subscriber, body: @escaping Body) -> Subscription {
        var isNew = false
        var replay: [Event] = []
        let (job, id, merged, version) = state.withLock { state -> (Job, UInt64, Interest, UInt64) in
            let job: Job
            if let running = state.jobs[key] {
                job = running
                if subscriber.onEvent != nil { replay = job.latest }
            } else {
                job = Job(key: key, interest: subscriber.interest, table: self)
                state.jobs[key] = job
                state.runningCount += 1
                isNew = true
            }
            let id = state.nextID
            state.nextID += 1
            job.subscribers[id] = subscriber
            job.counter.add(subscriber.interest)
            job.version += 1
            return (job, id, job.counter.merged, job.version)
        }
        if isNew {
            start(job, body)
        } else {
            job.control.update(merged, version: version)
            for event in replay { subscriber.onEvent?(event) }
        }
        return Subscription(job: job, id: id)
    }

    private func start(_ job: Job, _ body: @escaping Body) {
        // Not detached: the task-local values of the load that starts a job reach loaders and delegates.
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
            let waiters = state.withLock { state -> [(key: UInt64, value: Subscriber)]? in
                // Somebody joined meanwhile and wants what has not been done yet: once more.
                if case .success = result, !job.counter.merged.demand.isSubset(of: finalized) { return nil }
                if state.jobs[job.key] === job { state.jobs[job.key] = nil }
                state.runningCount -= 1
                idle = state.takeIdleWaiters()
                job.task = nil
                defer { job.subscribers = [:] }
                return job.subscribers.sorted { $0.key < $1.key }
            }
            guard let waiters else { continue }
            for waiter in waiters { waiter.value.onEnd(result) }
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
            return job.subscribers.values.compactMap(\.onEvent)
        }
        for listener in listeners { listener(event) }
    }

    private func leave(_ job: Job, _ id: UInt64) -> Bool {
        var abandoned: Task<Void, Never>?
        var change: (Interest, UInt64)?
        let hasLeft = state.withLock { state in
            guard let subscriber = job.subscribers.removeValue(forKey: id) else { return false }
            job.counter.remove(subscriber.interest)
            job.version += 1
            if job.subscribers.isEmpty {
                job.isAbandoned = true
                if state.jobs[job.key] === job { state.jobs[job.key] = nil }
                abandoned = job.task
            } else {
                change = (job.counter.merged, job.version)
            }
            return true
        }
        abandoned?.cancel()
        if let (merged, version) = change { job.control.update(merged, version: version) }
        return hasLeft
    }

    private func update(_ job: Job, _ id: UInt64, _ interest: Interest, _ version: UInt64) {
        let change = state.withLock { _ -> (Interest, UInt64)? in
            guard var subscriber = job.subscribers[id], version > subscriber.version else { return nil }
            job.counter.remove(subscriber.interest)
            job.counter.add(interest)
            subscriber.interest = interest
            subscriber.version = version
            job.subscribers[id] = subscriber
            job.version += 1
            return (job.counter.merged, job.version)
        }
        if let (merged, version) = change { job.control.update(merged, version: version) }
    }
}
