import TintypeBase

/// The directives of `Cache-Control` in a response or a request (RFC 9111 §5.2, RFC 5861, RFC 8246).
///
/// Times are seconds, at most 2³¹ (RFC 9111 §1.2.2). A `max-age` that is not a number counts as 0. Of repeated directives
/// the first counts (§4.2.1).
package struct CacheControl: Hashable, Sendable {
    package var maximumAge: Int?
    package var noStore = false
    /// Also set by `no-cache` with a list of fields, which may be read as the stronger form.
    package var noCache = false
    package var mustRevalidate = false
    package var isPublic = false
    package var isPrivate = false
    package var staleWhileRevalidate: Int?
    package var staleIfError: Int?
    /// `max-stale` of a request; without a value the largest number.
    package var maximumStaleness: Int?
    /// `min-fresh` of a request.
    package var minimumFreshness: Int?

    package init() {}

    /// Reads all `Cache-Control` fields; without one, `Pragma: no-cache` counts as `no-cache` (RFC 9111 §5.4).
    package init(_ headers: HeaderFields) {
        if let text = headers["Cache-Control"] {
            self.init(text)
        } else {
            self.init()
            noCache = headers["Pragma"].map { HeaderParameters($0).contains { $0.name == "no-cache" } } ?? false
        }
    }

    package init(_ text: String) {
        var seen: Set<String> = []
        for (name, value) in HeaderParameters(text) where seen.insert(name).inserted {
            apply(name, value)
        }
    }

    private mutating func apply(_ name: String, _ value: String?) {
        switch name {
        case "max-age": maximumAge = Self.seconds(value) ?? 0
        case "no-store": noStore = true
        case "no-cache": noCache = true
        case "must-revalidate": mustRevalidate = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "stale-while-revalidate": staleWhileRevalidate = Self.seconds(value)
        case "stale-if-error": staleIfError = Self.seconds(value)
        case "max-stale": maximumStaleness = value == nil ? deltaSecondsLimit : Self.seconds(value)
        case "min-fresh": minimumFreshness = Self.seconds(value)
        default: break
        }
    }

    private static func seconds(_ value: String?) -> Int? {
        value.flatMap { deltaSeconds($0) }
    }
}

let deltaSecondsLimit = 1 << 31

/// Reads `delta-seconds`: digits only; numbers that are too large become the limit.
func deltaSeconds(_ text: String) -> Int? {
    let digits = trimmedBlanks(text)
    guard !digits.isEmpty, digits.utf8.allSatisfy(isDigit) else { return nil }
    return min(Int(digits) ?? deltaSecondsLimit, deltaSecondsLimit)
}
