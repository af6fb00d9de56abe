import Testing

@testable import TintypeConcurrency

@Suite struct WorkerPoolTests {
    @Test func runsEverythingOnce() async throws {
        let pool = WorkerPool(name: "test", width: 2)
        let sum = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for value in 1...500 {
                group.addTask { try await pool.run { sum.withLock { $0 += value } } }
            }
            try await group.waitForAll()
        }
        #expect(sum.withLock { $0 } == 500 * 501 / 2)
    }

    @Test func higherPriorityRunsFirst() async throws {
        let pool = WorkerPool(name: "test", width: 1)
        let order = Locked<[Int]>([])
        let gate = Locked(())
        // Holding the gate keeps the only thread busy until everything is queued.
        gate.withLock { _ in
            pool.submit { gate.withLock { _ in } }
            for priority in [0, 2, 1, 2] { pool.submit(priority: priority) { order.withLock { $0.append(priority) } } }
        }
        try await pool.run(priority: -1) {}
        #expect(order.withLock { $0 } == [2, 2, 1, 0])
    }

    @Test func errorsReachTheCaller() async {
        struct Failure: Error {}
        let pool = WorkerPool(name: "test", width: 1)
        await #expect(throws: Failure.self) { try await pool.run { throw Failure() } }
    }

    @Test("a pool whose last reference is held by its own work goes away without waiting for itself")
    func endsOnItsOwnThread() async throws {
        final class Canary: Sendable {
            let isGone: Locked<Bool>
            init(_ isGone: Locked<Bool>) { self.isGone = isGone }
            deinit { isGone.withLock { $0 = true } }
        }
        final class Owner: Sendable {
            let pool = WorkerPool(name: "test", width: 1)
            // Released after the pool: stored properties go in their order.
            let canary: Canary
            init(_ canary: Canary) { self.canary = canary }
        }
        for _ in 0..<20 {
            let isGone = Locked(false)
            let gate = Locked(())
            gate.withLock { _ in
                let owner = Owner(Canary(isGone))
                owner.pool.submit { [owner] in gate.withLock { _ in withExtendedLifetime(owner) {} } }
            }
            for _ in 0..<10_000 where !isGone.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
            try #require(isGone.withLock { $0 })
        }
    }
}
