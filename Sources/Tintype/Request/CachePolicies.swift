import TintypeBase

/// How a pipeline treats the HTTP headers about caching.
public enum HTTPCaching: String, Sendable, Hashable {
    /// A URL names one image for as long as the caches keep it: seven days by default.
    case ignoreHeaders
    /// The rules of RFC 9111 for a private cache: freshness, revalidation, `no-store`, `Vary`, and the stale responses
    /// that RFC 5861 allows.
    case respectHeaders
}

/// What a load writes to disk.
public enum DataCachePolicy: String, Sendable, Hashable, CaseIterable {
    /// The original bytes, from which any size, any processor and the file itself can be made later. The default.
    case original
    /// The encoded result where there are processors or a target size; else the original bytes.
    case automatic
    /// The encoded result; the original bytes only where nothing changes them.
    case processed
    /// Both.
    case both

    func storesOriginal(isProcessed: Bool) -> Bool {
        switch self {
        case .original, .both: true
        case .automatic, .processed: !isProcessed
        }
    }

    func storesResult(isProcessed: Bool) -> Bool { isProcessed && self != .original }
}

/// How long what a load stores stays valid.
public enum CacheExpiry: Sendable, Hashable {
    /// Until it is evicted.
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
