import TintypeBase

/// The loads that run in a pipeline, and whether new ones may begin.
final class TaskRegistry: Sendable {
    private struct State {
        var tasks: [UInt64: ImageTask] = [:]
        /// How to cancel the loads that have no `ImageTask`.
        var otherLoads: [UInt64: @Sendable () -> Void] = [:]
        var nextOtherLoad: UInt64 = 0
        var isShutDown = false
        var isLowDataMode = false
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    var isLowDataMode: Bool {
        get { state.withLock { $0.isLowDataMode } }
        set { state.withLock { $0.isLowDataMode = newValue } }
    }

    var isEmpty: Bool { state.withLock { $0.tasks.isEmpty && $0.otherLoads.isEmpty } }
    var otherLoadCount: Int { state.withLock { $0.otherLoads.count } }

    /// False after a shutdown.
    func insert(_ task: ImageTask) -> Bool {
        state.withLock { state in
            if !state.isShutDown { state.tasks[task.id] = task }
            return !state.isShutDown
        }
    }

    func remove(_ task: ImageTask) { remove { $0.tasks[task.id] = nil } }

    /// Runs a load that has no `ImageTask` in a task of its own, which `cancelAll()` reaches.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await body() }
        let entry = state.withLock { state -> UInt64? in
            guard !state.isShutDown else { return nil }
            state.nextOtherLoad += 1
            state.otherLoads[state.nextOtherLoad] = { task.cancel() }
            return state.nextOtherLoad
        }
        guard let id = entry else {
            task.cancel()
            throw PipelineError.shutDown
        }
        defer { remove { $0.otherLoads[id] = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func remove(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            change(&state)
            guard state.tasks.isEmpty, state.otherLoads.isEmpty else { return [] }
            defer { state.idleWaiters = [] }
            return state.idleWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when no load runs.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                let isIdle = state.tasks.isEmpty && state.otherLoads.isEmpty
                if !isIdle { state.idleWaiters.append(continuation) }
                return isIdle
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Ends every load with `CancellationError`.
    func cancelAll() {
        let (tasks, others) = state.withLock { (Array($0.tasks.values), Array($0.otherLoads.values)) }
        for task in tasks { task.cancel() }
        for cancel in others { cancel() }
    }

    /// Lets no load begin any more, and cancels those that may not go on.
    func shutDown() {
        let (tasks, others) = state.withLock { state in
            state.isShutDown = true
            return (Array(state.tasks.values), Array(state.otherLoads.values))
        }
        for cancel in others { cancel() }
        for task in tasks where !task.request.options.contains(.continueInBackground) { task.cancel() }
    }

    /// Runs `body` and waits for it, but not longer than the grace period, after which every load is cancelled.
    func run(grace: Duration, _ body: @escaping @Sendable () async -> Void) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let waiter = Locked<CheckedContinuation<Void, Never>?>(continuation)
            let end: @Sendable () -> Void = {
                let waiter = waiter.withLock { waiter in
                    defer { waiter = nil }
                    return waiter
                }
                waiter?.resume()
            }
            let deadline = Task.detached { [self] in
                try await Task.sleep(for: grace)
                cancelAll()
                end()
            }
            Task.detached {
                await body()
                deadline.cancel()
                end()
            }
        }
    }
}
