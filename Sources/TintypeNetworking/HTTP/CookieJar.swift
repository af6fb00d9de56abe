import TintypeBase

/// The cookies of one session. Requests that share a jar share its cookies; without a jar a request has none.
///
/// libcurl's own cookie engine is not used: it survives in pooled handles.
public final class CookieJar: Sendable {
    private let cookies: Locked<[Cookie]>
    /// The most cookies kept, and kept for one domain (RFC 6265 §6.1). The oldest go first.
    private static let countLimit = 3000
    private static let domainLimit = 180

    /// Creates an empty jar.
    public convenience init() { self.init([]) }

    package init(_ cookies: [Cookie]) { self.cookies = Locked(cookies) }

    /// All cookies, oldest first, expired ones left out.
    package var all: [Cookie] {
        let now = secondsSince1970()
        return cookies.withLock { $0.filter { !$0.isExpired(now: now) } }
    }

    /// Stores, replaces or (when it has expired) removes a cookie.
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

    /// Whether a cookie from a connection that anybody can read or change would replace or hide a Secure one of the same
    /// name (RFC 6265bis §5.7, step 16).
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

    /// The `Cookie` field for a request; nil when there is none to send. Longer paths come first (RFC 6265 §5.4).
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

    public func removeAll() {
        cookies.withLock { $0 = [] }
    }

    /// The cookies as JSON, for a file of the caller's. They let their reader act as the user: keep it private.
    ///
    /// - Parameter includingSession: also those that end with the session.
    public func encoded(includingSession: Bool = false) throws -> Data {
        try JSONEncoder().encode(all.filter { includingSession || $0.expires != nil })
    }

    /// A jar from what ``encoded(includingSession:)`` gave.
    public convenience init(decoding data: Data) throws {
        self.init(try JSONDecoder().decode([Cookie].self, from: data))
    }
}
