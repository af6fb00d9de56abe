import TintypeBase

/// Admits work whose result is to be written to disk, so that finished results cannot pile up in memory.
///
/// Work starts while fewer than `byteLimit` bytes wait to be written and fewer than `width` pieces of admitted work
/// run. Beyond that it waits here, by priority, without holding a thread or a decoded image.
final class StoreGate: Sendable {
    private struct Waiter {
        var rank: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// Identifiers in the order of their arrival. Those that have left or moved to another rank are skipped.
    private struct Line {
        private var ids: [UInt64] = []
        private var head = 0

        mutating func append(_ id: UInt64) { ids.append(id) }

        mutating func popFirst() -> UInt64? {
            guard head < ids.count else { return nil }
            defer {
                head += 1
                if head > 256, 2 * head > ids.count {
                    ids.removeFirst(head)
                    head = 0
                }
            }
            return ids[head]
        }
    }

    private struct State {
        var pendingByteCount = 0
        var runningCount = 0
        var nextID: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
        var lines = [Line](repeating: Line(), count: StoreGate.rankCount)

        mutating func takeFirst() -> Waiter? {
            for rank in lines.indices.reversed() {
                while let id = lines[rank].popFirst() {
                    if waiters[id]?.rank == rank { return waiters.removeValue(forKey: id) }
                }
            }
            return nil
        }
    }

    private static let rankCount = ImagePriority.allCases.count + 1

    private let state = Locked(State())
    private let byteLimit: Int
    private let width: Int

    init(byteLimit: Int, width: Int) {
        self.byteLimit = max(1, byteLimit)
        self.width = max(1, width)
    }

    /// The bytes that wait to be written.
    var pendingByteCount: Int { state.withLock { $0.pendingByteCount } }

    /// Counts bytes that begin, or with a negative number end, to wait.
    func addPendingBytes(_ count: Int) {
        guard count != 0 else { return }
        admit { $0.pendingByteCount += count }
    }

    /// Waits for admission; each success is followed by one `leave()`.
    ///
    /// - Parameters:
    ///   - control: says the priority, which may change during the wait.
    ///   - holdsImage: whether the caller holds a decoded image already. It goes first then.
    /// - Throws: `CancellationError`.
    func enter(_ control: WorkControl, holdsImage: Bool) async throws {
        let id = state.withLock { state -> UInt64? in
            guard !hasRoom(state) else {
                state.runningCount += 1
                return nil
            }
            state.nextID += 1
            return state.nextID
        }
        guard let id else { return }
        let rank: @Sendable (ImagePriority) -> Int = { holdsImage ? StoreGate.rankCount - 1 : $0.rawValue }
        let observer = control.observe { [self] interest, _ in move(id, to: rank(interest.priority)) }
        defer { control.stopObserving(observer) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let first = rank(control.interest.priority)
                admit { state in
                    state.waiters[id] = Waiter(rank: first, continuation: continuation)
                    state.lines[first].append(id)
                }
                move(id, to: rank(control.interest.priority))
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    func leave() { admit { $0.runningCount -= 1 } }

    private func hasRoom(_ state: State) -> Bool {
        state.pendingByteCount < byteLimit && state.runningCount < width
    }

    /// Makes a change and admits the waiters that have room after it.
    private func admit(after change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            var admitted: [Waiter] = []
            while hasRoom(state), let waiter = state.takeFirst() {
                state.runningCount += 1
                admitted.append(waiter)
            }
            return admitted
        }
        for waiter in admitted { waiter.continuation.resume() }
    }

    private func move(_ id: UInt64, to rank: Int) {
        state.withLock { state in
            guard let old = state.waiters[id]?.rank, old != rank else { return }
            state.waiters[id]?.rank = rank
            state.lines[rank].append(id)
        }
    }

    private func cancel(_ id: UInt64) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
        waiter?.continuation.resume(throwing: CancellationError())
    }
}
