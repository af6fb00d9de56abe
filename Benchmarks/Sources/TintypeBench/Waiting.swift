import Foundation

/// Runs asynchronous work from the main thread and waits for it.
func wait<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
    final class Box: @unchecked Sendable {
        // Written before the signal, read after it.
        var result: Swift.Result<Result, any Error>?
    }
    let (box, done) = (Box(), DispatchSemaphore(value: 0))
    Task.detached {
        do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
        done.signal()
    }
    done.wait()
    guard let result = box.result else { throw CancellationError() }
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
