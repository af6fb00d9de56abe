import TintypeBase

/// When a failed transfer is tried again.
///
/// Only transient faults are (``NetworkingError/isTransient``), and only methods that may be repeated (RFC 9110 §9.2.2).
/// The wait before try n is `baseDelay` × 2ⁿ, at most `maximumDelay`, less a random part; a `Retry-After` of the server
/// is honoured when it is not longer than `maximumRetryAfter`, and ends the transfer with the server's answer otherwise.
public struct RetryPolicy: Hashable, Sendable {
    /// Tries after the first one.
    public var maximumRetries: Int
    public var baseDelay: Duration
    public var maximumDelay: Duration
    public var maximumRetryAfter: Duration
    /// The random part, 0 to 1: clients that failed together must not come back together.
    public var jitter: Double

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

    public static let none = RetryPolicy(maximumRetries: 0)

    /// The wait before the next try, nil when there is none.
    ///
    /// - Parameters:
    ///   - error: why the last try failed.
    ///   - retries: how many tries followed the first one so far.
    ///   - random: 0 to 1.
    ///   - now: seconds since 1970, for a `Retry-After` that is a date.
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
    /// Waits; throws `CancellationError` at once when its task is cancelled.
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

/// `Retry-After`: seconds, or a date (RFC 9110 §10.2.3).
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

    /// The wait from `now` (seconds since 1970); zero for dates that have passed.
    func delay(now: Double) -> Duration {
        switch self {
        case .seconds(let seconds): .seconds(seconds)
        case .date(let date): .seconds(max(0, Double(date) - now))
        }
    }
}
