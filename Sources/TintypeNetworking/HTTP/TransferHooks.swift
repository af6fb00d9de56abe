import TintypeBase

/// Functions of the caller that change or check a transfer.
///
/// Hooks run as tasks. An error of a hook ends the transfer: a `NetworkingError` as it is, any other as
/// ``NetworkingError/refused(by:reason:)``.
public struct TransferHooks: Sendable {
    /// Changes the request before it is enqueued. Nil refuses it.
    public var requestModifier: (@Sendable (DownloadRequest) async throws -> DownloadRequest?)?
    /// Changes the head of a response that is not a redirect, before status and type are checked. Nil refuses it.
    public var responseModifier: (@Sendable (ResponseHead) async throws -> ResponseHead?)?
    /// Changes a redirect before it is followed. Nil stops it, and the transfer fails with the status.
    public var redirectHandler: (@Sendable (Redirect) async throws -> Redirect?)?
    /// Returns a credential after a 401. Nil gives up, and the transfer fails with the status. Called at most three times
    /// in a transfer; the credential is sent to that origin only.
    public var challengeHandler: (@Sendable (AuthenticationChallenge) async throws -> HTTPCredential?)?
    /// Changes or checks the complete body before it is delivered, for instance decrypts it.
    public var dataTransformer: (@Sendable (Data, DownloadResponse) async throws -> Data)?

    /// Creates an empty set of hooks.
    public init() {}

    func falling(back other: TransferHooks) -> TransferHooks {
        var result = self
        result.requestModifier = requestModifier ?? other.requestModifier
        result.responseModifier = responseModifier ?? other.responseModifier
        result.redirectHandler = redirectHandler ?? other.redirectHandler
        result.challengeHandler = challengeHandler ?? other.challengeHandler
        result.dataTransformer = dataTransformer ?? other.dataTransformer
        return result
    }
}

/// The status and header fields of a response.
public struct ResponseHead: Sendable, Hashable {
    public var status: Int
    public var headers: HeaderFields

    public init(status: Int, headers: HeaderFields) {
        self.status = status
        self.headers = headers
    }
}

/// A redirect.
public struct Redirect: Sendable, Hashable {
    /// The status of the redirect.
    public let status: Int
    /// The URL that redirects.
    public let from: String
    /// The number of redirects before this one.
    public let count: Int
    /// The next URL; a handler may change it. It is checked like any other.
    public var to: String
    /// The header fields of the next request, without those that must not go to another origin.
    public var headers: HeaderFields
    /// The method of the next request.
    public var method: String
}
