/// A user name and password for HTTP authentication.
public struct HTTPCredential: Hashable, Sendable {
    /// The scheme of the authentication.
    public enum Scheme: Hashable, Sendable {
        /// Sent with the first request; readable on an unencrypted connection.
        case basic
        /// RFC 7616, MD5 and SHA-256.
        case digest
        /// NTLMv2; makes the transfer use HTTP/1.1. The user may be `DOMAIN\user`.
        case ntlm
        /// The strongest scheme that the server offers; costs one more round trip.
        case any
    }

    public var user: String
    public var password: String
    public var scheme: Scheme

    public init(user: String, password: String, scheme: Scheme = .any) {
        self.user = user
        self.password = password
        self.scheme = scheme
    }
}

extension HTTPCredential: CustomStringConvertible {
    /// Without the password.
    public var description: String { "\(user) (\(scheme))" }
}

extension HTTPCredential: CustomDebugStringConvertible {
    public var debugDescription: String { description }
}

extension HTTPCredential: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["user": user, "scheme": scheme]) }
}

/// Credentials by origin and folder.
public struct CredentialStore: Sendable {
    private struct Space: Sendable {
        let origin: String
        let folder: String
        let credential: HTTPCredential
    }

    private var spaces: [Space] = []

    public init() {}

    /// Sets, or with nil removes, the credential for the folder of `url` and everything below it (RFC 7617 §2.2).
    ///
    /// - Throws: ``NetworkingError/invalidURL(url:reason:)``.
    public mutating func set(_ credential: HTTPCredential?, for url: String) throws(NetworkingError) {
        let parsed = try WebURL(url)
        let folder = Self.folder(parsed)
        spaces.removeAll { $0.origin == parsed.origin && $0.folder == folder }
        guard let credential else { return }
        spaces.append(Space(origin: parsed.origin, folder: folder, credential: credential))
    }

    /// Returns the credential of the deepest folder that holds the URL.
    public func credential(for url: WebURL) -> HTTPCredential? {
        let origin = url.origin
        return
            spaces
            .filter { $0.origin == origin && url.path.hasPrefix($0.folder) }
            .max { $0.folder.utf8.count < $1.folder.utf8.count }?
            .credential
    }

    private static func folder(_ url: WebURL) -> String {
        String(url.path[...(url.path.lastIndex(of: "/") ?? url.path.startIndex)])
    }
}
