import Foundation

/// What a task leaves for the thread that waits for it: written before the semaphore's signal, read after it.
private final class Outcome<Value: Sendable>: @unchecked Sendable {
    var result: Result<Value, any Error>?
}

/// Runs asynchronous work from the main thread and waits for it.
@discardableResult
func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let (outcome, done) = (Outcome<Value>(), DispatchSemaphore(value: 0))
    Task.detached {
        do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
        done.signal()
    }
    done.wait()
    guard let result = outcome.result else { throw CancellationError() }
    return try result.get()
}

/// Hands the numbers below `count` to `workers` tasks.
func forEach(below count: Int, workers: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<workers {
            group.addTask {
                for number in stride(from: worker, to: count, by: workers) { try await body(number) }
            }
        }
        try await group.waitForAll()
    }
}
