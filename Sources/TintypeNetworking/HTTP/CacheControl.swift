import TintypeBase

/// The directives of `Cache-Control`, of an answer or of a request (RFC 9111 §5.2, RFC 5861, RFC 8246).
///
/// Times are seconds. A time that is no number counts as 0 where that is the cautious reading (`max-age`), and larger
/// ones than 2³¹ as 2³¹ (RFC 9111 §1.2.2). Of repeated directives the first counts (§4.2.1).
package struct CacheControl: Hashable, Sendable {
    package var maximumAge: Int?
    package var noStore = false
    /// Also with a list of fields, which may be read as the stronger form.
    package var noCache = false
    package var mustRevalidate = false
    package var isPublic = false
    package var isPrivate = false
    package var staleWhileRevalidate: Int?
    package var staleIfError: Int?
    // Of requests only.
    /// `max-stale` without a value is the largest number.
    package var maximumStaleness: Int?
    package var minimumFreshness: Int?

    package init() {}

    /// Reads all `Cache-Control` fields; without any, `Pragma: no-cache` counts as `no-cache` (RFC 9111 §5.4).
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

/// `delta-seconds`: digits only; numbers that are too large mean "as long as there is".
func deltaSeconds(_ text: String) -> Int? {
    let digits = trimmedBlanks(text)
    guard !digits.isEmpty, digits.utf8.allSatisfy(isDigit) else { return nil }
    return min(Int(digits) ?? deltaSecondsLimit, deltaSecondsLimit)
}
