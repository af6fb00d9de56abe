import TintypeBase

/// How long what a load stores stays valid.
public enum CacheExpiry: Sendable, Hashable {
    /// As long as the space lasts.
    case never
    /// This long after it is stored; zero or less means that it is not stored at all.
    case after(Duration)
    /// Until this moment.
    case date(Date)

    func date(from now: Date) -> Date {
        switch self {
        case .never: .distantFuture
        case .after(let duration): now.addingTimeInterval(duration.inSeconds)
        case .date(let date): date
        }
    }
}
