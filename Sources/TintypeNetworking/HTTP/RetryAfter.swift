/// `Retry-After`: seconds, or a date (RFC 9110 §10.2.3).
public enum RetryAfter: Hashable, Sendable {
    case seconds(Int)
    /// Seconds since 1970.
    case date(Int)

    public init?(_ text: String) {
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
    public func delay(now: Double) -> Duration {
        switch self {
        case .seconds(let seconds): .seconds(seconds)
        case .date(let date): .seconds(max(0, Double(date) - now))
        }
    }
}
