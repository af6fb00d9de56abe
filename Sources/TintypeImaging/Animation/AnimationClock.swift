/// The clock of an `AnimatedImagePlayer`. Tests inject their own.
package struct AnimationClock: Sendable {
    /// Time since a fixed moment; never goes back.
    package var now: @Sendable () -> Duration
    /// Waits; throws `CancellationError` when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// The monotonic clock of the system, which continues while the machine sleeps.
    package static let continuous: AnimationClock = {
        let start = ContinuousClock.now
        return AnimationClock(
            now: { start.duration(to: .now) }, sleep: { try await ContinuousClock().sleep(for: $0) })
    }()
}
