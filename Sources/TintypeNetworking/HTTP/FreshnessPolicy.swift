import TintypeBase

/// The rules of RFC 9111 for one response in a private cache.
///
/// A value that is read from the head of the response; it uses no clock. All times are seconds since 1970.
package struct FreshnessPolicy: Hashable, Sendable {
    /// How a response may be used at some moment.
    package enum State: String, Hashable, Sendable {
        /// Without a request to the server.
        case fresh
        /// Without waiting, while a newer one is requested (RFC 5861 §3).
        case staleWhileRevalidate
        /// Only after the server has confirmed it with a 304.
        case stale
    }

    package let status: Int
    package let control: CacheControl
    /// The age until which the response is fresh.
    package let lifetime: Double
    /// Whether `lifetime` is guessed from `Last-Modified`, because the server named none (RFC 9111 §4.2.2).
    package let isHeuristic: Bool
    /// The age of the response when it was received (RFC 9111 §4.2.3).
    package let initialAge: Double
    package let responseTime: Double
    package let etag: String?
    package let lastModified: String?
    /// The names of `Vary` in lower case; `["*"]` matches no other request.
    package let vary: [String]
    let hasExplicitLifetime: Bool
    /// The seconds from `responseTime` for which the redirects to the response are valid; `nil` without a limit.
    package let redirectLifetime: Double?

    /// The longest guessed lifetime.
    package static let heuristicLimit = 7.0 * 86400

    /// - Parameters:
    ///   - status: The status of the response.
    ///   - headers: The header fields of the response.
    ///   - requestTime: The time when the request was sent.
    ///   - responseTime: The time when the head was received.
    ///   - redirectLifetime: The result of ``redirectLifetime(of:requestTime:responseTime:)`` for the redirects before it.
    package init(
        status: Int = 200, headers: HeaderFields, requestTime: Double, responseTime: Double,
        redirectLifetime: Double? = nil
    ) {
        self.redirectLifetime = redirectLifetime
        self.status = status
        self.responseTime = responseTime
        control = CacheControl(headers)
        etag = headers.first("ETag").flatMap { $0.isEmpty ? nil : $0 }
        let modified = headers.first("Last-Modified").flatMap { text in
            HTTPDate.parse(text, now: responseTime).map { (text: text, time: Double($0)) }
        }
        lastModified = modified?.text
        vary = Self.varyNames(headers)
        let date = headers.first("Date").flatMap { HTTPDate.parse($0, now: responseTime) }.map(Double.init)
        let age = headers.first("Age").map { Double(deltaSeconds(String($0.prefix { $0 != "," })) ?? 0) } ?? 0
        initialAge = max(
            max(0, responseTime - (date ?? responseTime)), age + max(0, responseTime - requestTime))
        if let maximum = control.maximumAge {
            lifetime = Double(maximum)
            (isHeuristic, hasExplicitLifetime) = (false, true)
        } else if let expires = headers.first("Expires") {
            // A value that is not a date ("0", "-1") means that the response has expired already.
            let end = HTTPDate.parse(expires, now: responseTime).map(Double.init)
            lifetime = end.map { max(0, $0 - (date ?? responseTime)) } ?? 0
            (isHeuristic, hasExplicitLifetime) = (false, true)
        } else if let modified, Self.heuristicStatusCodes.contains(status) || control.isPublic {
            let unchanged = max(0, (date ?? responseTime) - modified.time)
            lifetime = min(unchanged / 10, Self.heuristicLimit)
            (isHeuristic, hasExplicitLifetime) = (true, false)
        } else {
            lifetime = 0
            (isHeuristic, hasExplicitLifetime) = (false, false)
        }
    }

    /// Returns the time for which a chain of redirects is valid, in seconds from `responseTime`; `nil` without a limit.
    ///
    /// The shortest hop counts. 301 and 308 are permanent unless they say otherwise; the others are valid only as long as
    /// they say (RFC 9110 §15.4).
    package static func redirectLifetime(
        of redirects: [ResponseHead], requestTime: Double, responseTime: Double
    ) -> Double? {
        redirects.compactMap { redirect -> Double? in
            let policy = FreshnessPolicy(
                status: redirect.status, headers: redirect.headers, requestTime: requestTime, responseTime: responseTime
            )
            if policy.control.noStore || policy.control.noCache || policy.vary == ["*"] { return 0 }
            if policy.hasExplicitLifetime { return max(0, policy.lifetime - policy.initialAge) }
            return redirect.status == 301 || redirect.status == 308 ? nil : 0
        }.min()
    }

    private var redirectExpirationTime: Double { redirectLifetime.map { responseTime + $0 } ?? .infinity }

    /// RFC 9110 §15.1.
    private static let heuristicStatusCodes: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    private static func varyNames(_ headers: HeaderFields) -> [String] {
        let names = (headers["Vary"] ?? "").split(separator: ",").map { asciiLowercased(trimmedBlanks($0)) }
            .filter { !$0.isEmpty }
        return names.contains("*") ? ["*"] : Array(Set(names)).sorted()
    }

    /// Whether the response may be stored (RFC 9111 §3). `no-store` forbids it; a response that is never fresh and has
    /// no validator is of no use.
    package var isStorable: Bool {
        if control.noStore || vary == ["*"] { return false }
        guard hasExplicitLifetime || control.isPublic || control.isPrivate || Self.heuristicStatusCodes.contains(status)
        else { return false }
        return status != 206 && (min(lifetime, redirectLifetime ?? .infinity) > 0 || hasValidator)
    }

    /// Whether the response can be revalidated.
    package var hasValidator: Bool { etag != nil || lastModified != nil }

    /// Returns the age of the response (RFC 9111 §4.2.3).
    package func age(now: Double) -> Double { initialAge + max(0, now - responseTime) }

    /// The time until which the response is fresh.
    package var expirationTime: Double { min(responseTime + max(0, lifetime - initialAge), redirectExpirationTime) }

    /// Returns how the response may be used now. Of the request's directives `no-cache`, `max-age`, `min-fresh` and
    /// `max-stale` count (RFC 9111 §5.2.1).
    package func state(now: Double, request: CacheControl = CacheControl()) -> State {
        if control.noCache || request.noCache || now >= redirectExpirationTime { return .stale }
        let age = age(now: now)
        if let limit = request.maximumAge, age > Double(limit) { return .stale }
        let freshFor = lifetime - age
        if freshFor > Double(request.minimumFreshness ?? 0) || (freshFor > 0 && request.minimumFreshness == nil) {
            return .fresh
        }
        guard !mustRevalidate, request.minimumFreshness == nil else { return .stale }
        if let allowed = request.maximumStaleness, -freshFor <= Double(allowed) { return .fresh }
        if let window = control.staleWhileRevalidate, -freshFor < Double(window) { return .staleWhileRevalidate }
        return .stale
    }

    /// Returns whether a stale response may be used because the request for a newer one failed with an error of the
    /// connection or a status of 500, 502, 503 or 504 (RFC 5861 §4). False without the directive.
    package func mayBeUsedOnError(now: Double) -> Bool {
        guard !mustRevalidate, !control.noCache, let window = control.staleIfError else { return false }
        return age(now: now) - lifetime < Double(window)
    }

    /// Whether a stale response must be revalidated before every use.
    package var mustRevalidate: Bool { control.mustRevalidate }
}
