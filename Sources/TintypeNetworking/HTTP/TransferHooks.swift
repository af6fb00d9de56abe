import TintypeBase

/// What a caller may change or check along the way. Hooks run as tasks, never on the transfer thread; an error that
/// one throws ends the transfer with ``NetworkingError/refused(by:reason:)`` (its own, when it is a `NetworkingError`).
public struct TransferHooks: Sendable {
    /// Before the request is queued. nil refuses it.
    public var requestModifier: (@Sendable (DownloadRequest) async throws -> DownloadRequest?)?
    /// When the head of an answer that is no redirect is there, before status and type are checked. nil refuses it.
    public var responseModifier: (@Sendable (ResponseHead) async throws -> ResponseHead?)?
    /// Before a redirect is followed. The request may be changed; nil stops, and the transfer fails with the status.
    public var redirectHandler: (@Sendable (Redirect) async throws -> Redirect?)?
    /// When a server asks for a credential (401) that is not there or was refused. nil gives up, and the transfer fails
    /// with the status. Asked at most three times in a transfer; what it returns is sent to that origin only.
    public var challengeHandler: (@Sendable (AuthenticationChallenge) async throws -> HTTPCredential?)?
    /// The last look at a complete body, before it is delivered: decrypt it, or throw when it is not what it should be.
    public var dataTransformer: (@Sendable (Data, DownloadResponse) async throws -> Data)?

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

/// Status and header fields of an answer whose body is still to come.
public struct ResponseHead: Sendable, Hashable {
    public var status: Int
    public var headers: HeaderFields

    public init(status: Int, headers: HeaderFields) {
        self.status = status
        self.headers = headers
    }
}

/// One hop of a redirect.
public struct Redirect: Sendable, Hashable {
    public let status: Int
    public let from: String
    /// How many hops came before this one.
    public let count: Int
    /// The next URL; a handler may change it. It is checked like any other.
    public var to: String
    /// Header fields of the next request, those bound to another origin already removed.
    public var headers: HeaderFields
    public var method: String
}
