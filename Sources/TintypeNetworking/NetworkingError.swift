import TintypeBase

/// An error of a transfer.
public enum NetworkingError: Error, Hashable, Sendable {
    /// The text is not a URL that can be requested. `url` is shortened when it is long.
    case invalidURL(url: String, reason: String)
    /// A header, method or option of the request cannot be sent.
    case invalidRequest(String)
    /// The scheme is neither http nor https (for the downloader), or none that a source can have. Redirects are checked.
    case unsupportedScheme(scheme: String, url: String)
    /// The host is, or resolves to, an address that the request's policy forbids.
    case blockedAddress(host: String, address: String)
    /// Name look-up, connecting, sending or reading failed before there was a response.
    case connectionFailed(ConnectionFailure, host: String, detail: String)
    /// A deadline of ``Timeouts`` passed; `limit` is in seconds.
    case timedOut(TimeoutPhase, limit: Double)
    /// The TLS handshake or the check of the certificate failed.
    case tlsFailed(host: String, detail: String)
    /// There were more redirects than ``DownloadRequest/maximumRedirects``.
    case tooManyRedirects(limit: Int, lastURL: String)
    /// The request does not accept the status, or a redirect has no usable `Location`.
    case badStatus(Int, headers: HeaderFields)
    /// The request restricts the content types, and this is not one of them.
    case unacceptableContentType(String)
    /// The body has more decoded bytes than ``DownloadRequest/maximumBodyByteCount``.
    case bodyTooLarge(limit: Int)
    /// The body ended early. Counts are bytes as received; `expected` is nil if the server did not declare a length.
    case truncated(received: Int, expected: Int?)
    /// The status was a success, but the body has no bytes.
    case emptyBody
    /// The bytes break the rules of their encoding: the base64 of a `data:` URL, the gzip of a body.
    case corrupt(String)
    /// A hook of the caller (request modifier, response modifier, redirect handler, data transformer) refused.
    case refused(by: String, reason: String)
    /// The transfer was cancelled, or its downloader was shut down.
    case cancelled
    /// A file could not be read; `errno` is the system's number.
    case ioFailed(path: String, errno: Int32)
}

/// The step at which a connection failed.
public enum ConnectionFailure: String, Hashable, Sendable {
    /// The name of the host or of the proxy was not found.
    case resolve
    /// No server accepted the connection.
    case connect
    /// The connection broke before a response came.
    case broken
    /// The response was not HTTP.
    case protocolViolation
}

/// The deadline that passed.
public enum TimeoutPhase: String, Hashable, Sendable {
    case connect, idle, total
}

extension NetworkingError {
    /// A word that is stable across versions.
    public var code: String {
        switch self {
        case .invalidURL: "invalidURL"
        case .invalidRequest: "invalidRequest"
        case .unsupportedScheme: "unsupportedScheme"
        case .blockedAddress: "blockedAddress"
        case .connectionFailed: "connectionFailed"
        case .timedOut: "timedOut"
        case .tlsFailed: "tlsFailed"
        case .tooManyRedirects: "tooManyRedirects"
        case .badStatus: "badStatus"
        case .unacceptableContentType: "unacceptableContentType"
        case .bodyTooLarge: "bodyTooLarge"
        case .truncated: "truncated"
        case .emptyBody: "emptyBody"
        case .corrupt: "corrupt"
        case .refused: "blocked"
        case .cancelled: "cancelled"
        case .ioFailed: "ioFailed"
        }
    }

    /// Whether the same request may succeed a moment later. Only such failures are retried.
    public var isTransient: Bool {
        switch self {
        case .connectionFailed(let failure, _, _): failure != .protocolViolation
        case .timedOut(let phase, _): phase != .total
        case .truncated: true
        case .badStatus(let status, _): Self.transientStatusCodes.contains(status)
        default: false
        }
    }

    /// Request Timeout, Too Early, Too Many Requests, and the temporary server errors.
    static let transientStatusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

    /// The HTTP status of ``badStatus(_:headers:)``, else nil.
    public var status: Int? {
        if case .badStatus(let status, _) = self { status } else { nil }
    }
}

extension NetworkingError: CodedError, LocalizedError {
    public var errorDescription: String? { description }
}

extension NetworkingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidURL(let url, let reason): "\"\(url)\" is not a usable URL: \(reason)"
        case .invalidRequest(let reason): "the request cannot be sent: \(reason)"
        case .unsupportedScheme(let scheme, let url): "the scheme \"\(scheme)\" of \"\(url)\" is not supported"
        case .blockedAddress(let host, let address):
            "\(host) resolves to \(address), and requests to private or special addresses are blocked"
        case .connectionFailed(.resolve, let host, let detail): "the host \(host) was not found (\(detail))"
        case .connectionFailed(.connect, let host, let detail): "no connection to \(host) (\(detail))"
        case .connectionFailed(.broken, let host, let detail):
            "the connection to \(host) broke before a response came (\(detail))"
        case .connectionFailed(.protocolViolation, let host, let detail): "\(host) did not respond in HTTP (\(detail))"
        case .timedOut(.connect, let limit): "no connection within \(Self.seconds(limit))"
        case .timedOut(.idle, let limit): "the server sent nothing for \(Self.seconds(limit))"
        case .timedOut(.total, let limit): "the transfer was not done within \(Self.seconds(limit))"
        case .tlsFailed(let host, let detail): "no secure connection to \(host): \(detail)"
        case .tooManyRedirects(let limit, let url): "more than \(limit) redirects, the last one to \(url)"
        case .badStatus(let status, _): "the server responded with status \(status)"
        case .unacceptableContentType(let type): "the content type \"\(type)\" is not accepted"
        case .bodyTooLarge(let limit): "the body is larger than the limit of \(limit) bytes"
        case .truncated(let received, let expected?): "the body ended after \(received) of \(expected) bytes"
        case .truncated(let received, nil): "the body ended early, after \(received) bytes"
        case .emptyBody: "the server responded without a body"
        case .corrupt(let detail): "the data is corrupt: \(detail)"
        case .refused(let hook, let reason): "the \(hook) refused: \(reason)"
        case .cancelled: "cancelled"
        // Set by `LocalFile`: opening a file fails with other numbers.
        case .ioFailed(let path, EINVAL): "\(path) cannot be read: it is not a regular file"
        case .ioFailed(let path, let code): "\(path) cannot be read: \(systemErrorText(code))"
        }
    }

    private static func seconds(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value)) s" : "\(value) s"
    }
}
