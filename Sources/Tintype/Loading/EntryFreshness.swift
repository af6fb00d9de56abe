#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How long an answer may be used without asking again (RFC 9111 §4.2), and for how long after that (RFC 5861).
struct EntryFreshness: Sendable, Hashable {
    /// When it came or was last confirmed.
    var receivedAt: Date
    /// Its age at that moment, in seconds.
    var initialAge: Double = 0
    /// In seconds.
    var lifetime: Double = 0
    /// Whether the origin said how long, rather than us guessing from `Last-Modified`.
    var isExplicit = false
    /// `no-cache`: never without asking.
    var alwaysAsks = false
    /// Never stale, whatever happens.
    var mustRevalidate = false
    /// Seconds.
    var staleWhileRevalidate: Double?
    var staleIfError: Double?

    func age(at now: Date) -> Double { initialAge + max(0, now.timeIntervalSince(receivedAt)) }

    func isFresh(at now: Date) -> Bool { !alwaysAsks && lifetime > age(at: now) }

    func allowsStaleWhileRevalidating(at now: Date) -> Bool {
        guard !mustRevalidate, !alwaysAsks, let window = staleWhileRevalidate else { return false }
        return age(at: now) < lifetime + window
    }

    /// Whether the old answer may stand in for one that could not be had. Server errors need the permission of the
    /// headers; without any connection RFC 9111 §4.2.4 allows it by itself.
    func allowsStale(after error: any Error, at now: Date) -> Bool {
        guard !mustRevalidate, !alwaysAsks else { return false }
        let error = (error as? PipelineError)?.networkingError ?? error as? NetworkingError
        switch error {
        case .badStatus(let status, _):
            guard status >= 500, let window = staleIfError else { return false }
            return age(at: now) < lifetime + window
        case .connectionFailed, .timedOut:
            guard let window = staleIfError else { return true }
            return age(at: now) < lifetime + window
        default: return false
        }
    }
}

extension PipelineError {
    var networkingError: NetworkingError? {
        if case .networking(let error) = self { error } else { nil }
    }
}
