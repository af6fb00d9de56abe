import TintypeBase

/// The cookies of one session.
///
/// Requests that share a jar share its cookies; a request without a jar sends and stores none.
///
/// libcurl's own cookie engine is not used: it survives in pooled handles.
public final class CookieJar: Sendable {
    private let cookies: Locked<[Cookie]>
    /// The most cookies in all, and of one domain (RFC 6265 §6.1). The oldest are removed first.
    private static let countLimit = 3000
    private static let domainLimit = 180

    /// Creates an empty jar.
    public convenience init() { self.init([]) }

    package init(_ cookies: [Cookie]) { self.cookies = Locked(cookies) }

    /// All cookies that have not expired, oldest first.
    package var all: [Cookie] {
        let now = secondsSince1970()
        return cookies.withLock { $0.filter { !$0.isExpired(now: now) } }
    }

    /// Stores or replaces a cookie; an expired one is removed.
    package func set(_ cookie: Cookie) {
        let now = secondsSince1970()
        cookies.withLock { list in
            let isSame = { (other: Cookie) in
                other.name == cookie.name && other.domain == cookie.domain && other.path == cookie.path
                    && other.isHostOnly == cookie.isHostOnly
            }
            if let index = list.firstIndex(where: isSame) {
                if cookie.isExpired(now: now) { list.remove(at: index) } else { list[index] = cookie }
                return
            }
            guard !cookie.isExpired(now: now) else { return }
            list.append(cookie)
            if list.count(where: { $0.domain == cookie.domain }) > Self.domainLimit,
                let oldest = list.firstIndex(where: { $0.domain == cookie.domain })
            {
                list.remove(at: oldest)
            }
            if list.count > Self.countLimit { list.removeFirst() }
        }
    }

    func store(setCookie text: String, from url: WebURL) {
        guard let cookie = Cookie(setCookie: text, from: url) else { return }
        if url.scheme != .https, hidesSecureCookie(cookie) { return }
        set(cookie)
    }

    /// Returns whether a cookie from an unencrypted connection would replace or hide a Secure one of the same name
    /// (RFC 6265bis §5.7, step 16).
    private func hidesSecureCookie(_ cookie: Cookie) -> Bool {
        let now = secondsSince1970()
        return cookies.withLock { list in
            list.contains { other in
                other.isSecure && !other.isExpired(now: now) && other.name == cookie.name
                    && (Self.domain(other.domain, covers: cookie.domain)
                        || Self.domain(cookie.domain, covers: other.domain))
                    && Self.path(other.path, covers: cookie.path)
            }
        }
    }

    private static func domain(_ domain: String, covers other: String) -> Bool {
        other == domain || other.hasSuffix("." + domain)
    }

    private static func path(_ path: String, covers other: String) -> Bool {
        other == path || other.hasPrefix(path.hasSuffix("/") ? path : path + "/")
    }

    /// Returns the `Cookie` field for a request; nil if no cookie matches. Longer paths come first (RFC 6265 §5.4).
    package func header(for url: WebURL) -> String? {
        let now = secondsSince1970()
        let matching = cookies.withLock { list in list.filter { $0.matches(url) && !$0.isExpired(now: now) } }
        guard !matching.isEmpty else { return nil }
        let sorted = matching.enumerated().sorted { left, right in
            let (a, b) = (left.element.path.utf8.count, right.element.path.utf8.count)
            return a == b ? left.offset < right.offset : a > b
        }
        return sorted.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
    }

    /// Removes all cookies.
    public func removeAll() {
        cookies.withLock { $0 = [] }
    }

    /// Returns the cookies as JSON, for a file. Its reader can act as the user: keep the file private.
    ///
    /// - Parameter includingSession: Whether session cookies are included.
    public func encoded(includingSession: Bool = false) throws -> Data {
        try JSONEncoder().encode(all.filter { includingSession || $0.expires != nil })
    }

    /// Creates a jar from the result of ``encoded(includingSession:)``.
    public convenience init(decoding data: Data) throws {
        self.init(try JSONDecoder().decode([Cookie].self, from: data))
    }
}
