/// The time that animations run by. Tests give one of their own.
public struct AnimationClock: Sendable {
    /// Time since some fixed moment; never goes back.
    public var now: @Sendable () -> Duration
    /// Waits; throws `CancellationError` when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    public init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// The monotonic clock of the system, which goes on while the machine sleeps.
    public static let continuous: AnimationClock = {
        let start = ContinuousClock.now
        return AnimationClock(
            now: { start.duration(to: .now) }, sleep: { try await ContinuousClock().sleep(for: $0) })
    }()
}
