import Testing

@testable import TintypeBase

#if canImport(Glibc)
    import Glibc
#endif

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

    @Test("blocking work waits for what was submitted before, and keeps what comes after waiting")
    func blockingWorkKeepsTheOrder() async throws {
        let pool = WorkerPool(name: "test", width: 1)
        let order = Locked<[String]>([])
        let threads = WorkerPool(name: "callers", width: 2)
        for _ in 0..<200 {
            order.withLock { $0 = [] }
            pool.submit { order.withLock { $0.append("before") } }
            try await threads.run {
                try pool.runBlocking {
                    pool.submit { order.withLock { $0.append("after") } }
                    order.withLock { $0.append("blocking") }
                }
            }
            try await pool.run {}
            #expect(order.withLock { $0 } == ["before", "blocking", "after"])
        }
    }

    @Test("never more pieces of work at a time than the width, those of blocked callers too")
    func blockingWorkCounts() async throws {
        let pool = WorkerPool(name: "test", width: 2)
        let callers = WorkerPool(name: "callers", width: 4)
        let running = Locked((now: 0, most: 0, sum: 0))
        @Sendable func work() {
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
                $0.sum += 1
            }
            usleep(20)
            running.withLock { $0.now -= 1 }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    if number % 2 == 0 { return try await pool.run { work() } }
                    try await callers.run { try pool.runBlocking { work() } }
                }
            }
            try await group.waitForAll()
        }
        #expect(running.withLock { $0.sum } == 400)
        #expect(running.withLock { $0.most } == 2)
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
