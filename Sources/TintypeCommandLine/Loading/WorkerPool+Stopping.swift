import Tintype
import TintypeBase

extension WorkerPool {
    /// Runs `body` on a thread of the pool. Between two frames of an animation the work stops if the task is cancelled or
    /// the time is over.
    func run<Result: Sendable>(
        stoppingAfter limit: Duration?, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let isCancelled = Locked(false)
        return try await withTaskCancellationHandler {
            try await run {
                let start = ContinuousClock.now
                return try ImagingCancellation.withCheck {
                    if isCancelled.withLock({ $0 }) { throw CancellationError() }
                    if let limit, start.duration(to: .now) > limit {
                        throw Problem(
                            "timedOut", "its frames were not encoded within \(Quantity.seconds(limit.inSeconds))")
                    }
                } operation: {
                    try body()
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }
}
