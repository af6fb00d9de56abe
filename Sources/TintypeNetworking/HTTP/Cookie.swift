import TintypeBase

/// A cookie as RFC 6265 stores it.
package struct Cookie: Hashable, Sendable, Codable {
    package var name: String
    package var value: String
    /// Lower case, without a leading dot.
    package var domain: String
    /// Whether it is sent to this host only, and not to its subdomains.
    package var isHostOnly: Bool
    package var path: String
    package var isSecure: Bool
    package var isHTTPOnly: Bool
    /// The end of its life in seconds since 1970; nil for a session cookie.
    package var expires: Int?

    /// Reads a `Set-Cookie` value of a response from `url` (RFC 6265 §5.2, §5.3). Nil if it must be ignored. `now` is in
    /// seconds since 1970.
    package init?(setCookie text: String, from url: WebURL, now: Double = secondsSince1970()) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2, text.utf8.count <= 8192, !text.utf8.contains(where: { $0 < 32 && $0 != 9 || $0 == 127 })
        else { return nil }
        name = trimmedBlanks(pair[0])
        value = trimmedBlanks(pair[1])
        guard !name.isEmpty else { return nil }
        let host = url.bareHost
        domain = host
        isHostOnly = true
        path = Self.defaultPath(url.path)
        isSecure = false
        isHTTPOnly = false
        var maximumAge: Int?
        for part in parts.dropFirst() {
            let attribute = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let argument = attribute.count == 2 ? trimmedBlanks(attribute[1]) : ""
            switch asciiLowercased(trimmedBlanks(attribute[0])) {
            case "secure": isSecure = true
            case "httponly": isHTTPOnly = true
            case "path": path = argument.hasPrefix("/") ? argument : Self.defaultPath(url.path)
            case "domain":
                guard let accepted = Self.domain(argument, host: host, isAddress: url.address != nil) else {
                    return nil
                }
                if !accepted.isEmpty {
                    domain = accepted
                    isHostOnly = false
                }
            case "max-age":
                let isNegative = argument.hasPrefix("-")
                guard let seconds = digitsValue(isNegative ? argument.dropFirst() : argument[...]) else { continue }
                maximumAge = isNegative ? 0 : seconds
            case "expires": expires = Self.date(argument, now: now) ?? expires
            default: break
            }
        }
        if let maximumAge {
            let (sum, overflow) = Int(now).addingReportingOverflow(maximumAge)
            expires = maximumAge == 0 ? 0 : overflow ? .max : sum
        }
        if isSecure && url.scheme != .https { return nil }
        guard Self.prefixHolds(name, isSecure: isSecure, isHostOnly: isHostOnly, path: path) else { return nil }
    }

    /// Returns whether its life has ended; `now` is in seconds since 1970.
    package func isExpired(now: Double) -> Bool { expires.map { Double($0) <= now } ?? false }

    /// Returns whether it is sent with a request for `url` (RFC 6265 §5.4).
    package func matches(_ url: WebURL) -> Bool {
        if isSecure && url.scheme != .https { return false }
        let host = url.bareHost
        guard host == domain || (!isHostOnly && host.hasSuffix("." + domain) && url.address == nil) else {
            return false
        }
        guard url.path.hasPrefix(path) else { return false }
        return url.path.utf8.count == path.utf8.count || path.hasSuffix("/")
            || url.path.utf8.dropFirst(path.utf8.count).first == 47
    }

    /// Reads a cookie date, whose form is looser than in HTTP: `Wed, 09-Jun-2021 10:18:14 GMT` is common.
    private static func date(_ text: String, now: Double) -> Int? {
        HTTPDate.parse(text, now: now) ?? HTTPDate.parse(text.split(separator: "-").joined(separator: " "), now: now)
    }

    private static func defaultPath(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Returns the domain to store: empty if the attribute says nothing, nil if the cookie must be refused.
    private static func domain(_ argument: String, host: String, isAddress: Bool) -> String? {
        let wanted = asciiLowercased(argument.hasPrefix(".") ? argument.dropFirst() : argument[...])
        if wanted.isEmpty { return "" }
        if wanted == host {
            // The subdomains of a host of one label (`localhost`, a top-level domain) are not its own.
            return isAddress || !isRegistrable(wanted) ? "" : wanted
        }
        // A cookie for a whole top-level domain would go to every site below. Longer package suffixes are not known here.
        guard !isAddress, host.hasSuffix("." + wanted), isRegistrable(wanted) else { return nil }
        return wanted
    }

    /// Returns whether a domain has at least two labels. Empty labels, as in `com.`, do not count.
    private static func isRegistrable(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && !labels.contains("")
    }

    /// Returns whether a cookie with the prefix `__Secure-` or `__Host-` has the attributes that the prefix requires.
    private static func prefixHolds(_ name: String, isSecure: Bool, isHostOnly: Bool, path: String) -> Bool {
        let lowered = asciiLowercased(name)
        if lowered.hasPrefix("__secure-") { return isSecure }
        if lowered.hasPrefix("__host-") { return isSecure && isHostOnly && path == "/" }
        return true
    }
}
