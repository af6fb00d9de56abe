import TintypeBase

/// The policy for retries of failed transfers.
///
/// Only transient errors (``NetworkingError/isTransient``) of methods that may be repeated (RFC 9110 §9.2.2) are retried.
/// The wait before retry n is `baseDelay` × 2ⁿ, at most `maximumDelay`, less a random part. A `Retry-After` of the server
/// replaces the wait; if it is longer than `maximumRetryAfter`, the transfer fails.
public struct RetryPolicy: Hashable, Sendable {
    /// The most attempts after the first one.
    public var maximumRetries: Int
    /// The wait before the first retry.
    public var baseDelay: Duration
    /// The longest wait.
    public var maximumDelay: Duration
    /// The longest `Retry-After` that is honoured.
    public var maximumRetryAfter: Duration
    /// The random share of the wait, 0 to 1: clients that failed together must not retry together.
    public var jitter: Double

    /// Creates a policy.
    public init(
        maximumRetries: Int = 2, baseDelay: Duration = .milliseconds(500), maximumDelay: Duration = .seconds(30),
        maximumRetryAfter: Duration = .seconds(60), jitter: Double = 0.5
    ) {
        self.maximumRetries = maximumRetries
        self.baseDelay = baseDelay
        self.maximumDelay = maximumDelay
        self.maximumRetryAfter = maximumRetryAfter
        self.jitter = jitter
    }

    /// No retries.
    public static let none = RetryPolicy(maximumRetries: 0)

    /// Returns the wait before the next attempt, or nil if there is none.
    ///
    /// - Parameters:
    ///   - error: The error of the last attempt.
    ///   - retries: The number of retries so far.
    ///   - random: 0 to 1.
    ///   - now: Seconds since 1970, for a `Retry-After` that is a date.
    package func delay(after error: NetworkingError, retries: Int, random: Double, now: Double) -> Duration? {
        guard retries < maximumRetries, error.isTransient else { return nil }
        if case .badStatus(_, let headers) = error, let text = headers.first("Retry-After"),
            let wait = RetryAfter(text)?.delay(now: now)
        {
            return wait <= maximumRetryAfter ? wait : nil
        }
        let exponent = min(retries, 30)
        let full = min(baseDelay * (1 << exponent), maximumDelay)
        return full * (1 - min(max(jitter, 0), 1) * random)
    }
}

/// The clock of the waits between attempts. Tests use one that does not wait.
package struct RetryClock: Sendable {
    /// Seconds since 1970.
    package var now: @Sendable () -> Double
    /// Waits; throws `CancellationError` as soon as the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// 0 to 1.
    package var random: @Sendable () -> Double

    package init(
        now: @escaping @Sendable () -> Double, sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.now = now
        self.sleep = sleep
        self.random = random
    }

    package static let system = RetryClock(
        now: { secondsSince1970() }, sleep: { try await Task.sleep(for: $0) })
}

/// The value of `Retry-After` (RFC 9110 §10.2.3).
enum RetryAfter: Hashable, Sendable {
    case seconds(Int)
    /// Seconds since 1970.
    case date(Int)

    init?(_ text: String) {
        let value = trimmedBlanks(text)
        if let seconds = digitsValue(value) {
            self = .seconds(seconds)
        } else if let date = HTTPDate.parse(value) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// Returns the wait from `now` (seconds since 1970); zero for past dates.
    func delay(now: Double) -> Duration {
        switch self {
        case .seconds(let seconds): .seconds(seconds)
        case .date(let date): .seconds(max(0, Double(date) - now))
        }
    }
}
