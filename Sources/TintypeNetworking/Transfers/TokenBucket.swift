/// A limit for the number of transfers that start.
public struct RateLimit: Hashable, Sendable {
    /// The starts in a second, after the burst.
    public var perSecond: Double
    /// The starts without a wait.
    public var burst: Int

    /// Creates a limit.
    public init(perSecond: Double, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }
}

/// The tokens of a ``RateLimit``. Times are nanoseconds of any clock that only goes forward.
struct TokenBucket {
    private let limit: RateLimit
    private var tokens: Double
    private var filledAt: UInt64

    init(_ limit: RateLimit, now: UInt64) {
        self.limit = limit
        tokens = Double(max(1, limit.burst))
        filledAt = now
    }

    /// Takes a token; without one returns the time when there is one.
    mutating func take(now: UInt64) -> UInt64? {
        if let time = nextToken(now: now) { return time }
        tokens -= 1
        return nil
    }

    /// Returns the time of the next token, or nil if there is one now.
    mutating func nextToken(now: UInt64) -> UInt64? {
        refill(now: now)
        guard tokens < 1 else { return nil }
        guard limit.perSecond > 0 else { return .max }
        return now &+ UInt64(min(((1 - tokens) / limit.perSecond * 1e9).rounded(.up), 1e18))
    }

    private mutating func refill(now: UInt64) {
        guard now > filledAt else { return }
        tokens = min(Double(max(1, limit.burst)), tokens + Double(now - filledAt) / 1e9 * limit.perSecond)
        filledAt = now
    }
}
