import TintypeBase

/// An http or https URL that is encoded exactly once, in whatever form it was written.
///
/// Spaces, Unicode and characters that RFC 3986 does not allow are percent-encoded as UTF-8; escapes that are already
/// there stay as they are; a percent sign that starts no escape becomes `%25`; international host names become their
/// ASCII form; scheme and host are lower case; the default port, dot segments and the fragment are dropped.
public struct WebURL: Hashable, Sendable {
    /// The scheme of a URL.
    public enum Scheme: String, Sendable {
        case http, https

        var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    /// The scheme.
    public let scheme: Scheme
    /// The host in lower-case ASCII; an IPv6 address has brackets.
    public let host: String
    /// The port; nil for the default port of the scheme.
    public let port: UInt16?
    /// The encoded path; starts with a slash.
    public let path: String
    /// The encoded query without the question mark; nil if there is none.
    public let query: String?
    /// The decoded user name; not a part of ``absoluteString``, like the password.
    package let user: String?
    package let password: String?

    init(
        scheme: Scheme, host: String, port: UInt16?, path: String, query: String?, user: String? = nil,
        password: String? = nil
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port == scheme.defaultPort ? nil : port
        self.path = path
        self.query = query
        self.user = user
        self.password = password
    }

    /// The URL that is sent and may be logged: without user name, password and fragment.
    public var absoluteString: String {
        origin + requestTarget
    }

    /// The scheme, host and port (RFC 6454). Credentials of one origin never go to another.
    package var origin: String {
        scheme.rawValue + "://" + authority
    }

    /// The host, and the port if it is not the default one.
    package var authority: String {
        port.map { "\(host):\($0)" } ?? host
    }

    /// The path and query of the request line.
    package var requestTarget: String {
        query.map { path + "?" + $0 } ?? path
    }

    /// The host without the brackets of an IPv6 address.
    package var bareHost: String {
        host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }

    /// The address, if the host is one.
    package var address: InternetAddress? {
        guard let first = host.utf8.first, first == 91 || isDigit(first) else { return nil }
        return InternetAddress(bareHost)
    }

    /// One text for all spellings of a URL, for use as a cache key. It has the user name, since the response may depend on
    /// it, but not the password.
    package var cacheKey: String {
        var key = ""
        key.reserveCapacity(24 + host.utf8.count + path.utf8.count + (query?.utf8.count ?? -1) + 1)
        key += scheme.rawValue
        key += "://"
        if let user {
            key += PercentCoding.encodingOnce(user, where: PercentCoding.isUnreserved)
            key += "@"
        }
        key += host
        if let port {
            key += ":"
            key += String(port)
        }
        key += PercentCoding.canonical(path)
        if let query {
            key += "?"
            key += PercentCoding.canonical(query)
        }
        return key
    }
}

extension WebURL: CustomStringConvertible {
    public var description: String { absoluteString }
}
