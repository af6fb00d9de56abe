/// A rate limit: `burst` starts at once, then `perSecond` of them.
public struct RateLimit: Hashable, Sendable {
    public var perSecond: Double
    public var burst: Int

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

    /// Takes a token when there is one; otherwise tells when there will be.
    mutating func take(now: UInt64) -> UInt64? {
        refill(now: now)
        guard tokens < 1 else {
            tokens -= 1
            return nil
        }
        guard limit.perSecond > 0 else { return .max }
        return now &+ UInt64(min(((1 - tokens) / limit.perSecond * 1e9).rounded(.up), 1e18))
    }

    /// Whether a token is there, without taking it; otherwise when it will be.
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
