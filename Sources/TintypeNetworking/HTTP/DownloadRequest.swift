import TintypeBase

/// A request for one URL, with its options.
public struct DownloadRequest: Sendable {
    /// An http or https URL in any spelling; ``WebURL`` encodes it once.
    public var url: String {
        didSet { parsedURL = nil }
    }
    /// `url`, parsed and without user and password, if the caller had a ``WebURL``: a URL is parsed once.
    private var parsedURL: WebURL?
    /// The HTTP method.
    public var method = "GET"
    /// Header fields; they replace the downloader's default fields of the same names.
    public var headers: HeaderFields = [:]
    /// The body that is sent.
    public var body: Data?
    /// The priority in the queue; ``HTTPTransfer/priority`` changes it later.
    public var priority: TransferPriority = .normal

    /// The credential for the origin of `url`. A user name and password in the URL count as a credential, too.
    public var credential: HTTPCredential?
    /// The cookies of the session; nil: no cookies are sent and none are stored.
    public var cookies: CookieJar?
    /// Whether any certificate is accepted. For tests only: an attacker on the path can read and change everything.
    public var allowsInvalidCertificates = false
    /// A PEM file with the certificate authorities that are trusted in place of the system's.
    public var certificateAuthorityFile: String?
    /// The certificate that the client presents.
    public var clientCertificate: ClientCertificate?
    /// The proxy; by default that of the environment.
    public var proxy: ProxySetting = .environment

    /// The deadlines.
    public var timeouts = Timeouts()
    /// The most redirects that are followed: 10.
    public var maximumRedirects = 10
    /// The names of header fields that are sent after a redirect to another origin, or from https to http.
    ///
    /// `Accept`, `Accept-Encoding`, `Accept-Language`, `Range` and `User-Agent` always are; `Authorization`,
    /// `Proxy-Authorization`, `Cookie` and `Host` never are.
    public var redirectSafeHeaders: Set<String> = []
    /// The validators of a stored response. They are sent to the URL of that response only, also if a redirect leads
    /// there. A 304 of another URL is an error.
    package var validators: CacheValidators?
    /// The most bytes of the decoded body: 200 MiB.
    public var maximumBodyByteCount = 200 << 20
    /// Whether loopback, private, link-local and other special addresses are refused, on every hop and after the name
    /// look-up. For servers that fetch URLs of their users. A pipeline then also refuses texts that name a file.
    public var blocksPrivateAddresses = false
    /// The policy for failed attempts.
    public var retry = RetryPolicy()
    /// The statuses that are a success; others fail with ``NetworkingError/badStatus(_:headers:)``.
    public var acceptedStatusCodes: Range<Int> = 200..<300
    /// The accepted content types in lower case, such as `image/png` or `image/*`; nil accepts all. Servers mislabel
    /// images, so nil is best.
    public var acceptedContentTypes: Set<String>?
    /// Whether a successful response may have no body; a response to HEAD always may.
    public var allowsEmptyBody = false
    /// Whether ``HTTPTransfer/result()`` has the body. If false, only ``HTTPTransfer/chunks`` do, and memory stays small.
    public var keepsBody = true
    /// Whether the received part of an interrupted body is kept and only the rest is requested. Needs a strong validator.
    public var allowsResuming = true
    /// Whether ``ImageDownloader/shutdown(grace:)`` leaves this transfer the grace period.
    public var continuesInBackground = false
    /// The smallest step of a progress report as a share of the total, 0 to 1. The last report is always delivered.
    public var minimumProgressInterval = 0.0
    /// The hooks; each one replaces the downloader's.
    public var hooks = TransferHooks()
    /// Addresses by host name in lower-case ASCII; they replace the look-up.
    public var addressOverrides: [String: String] = [:]

    /// Creates a request; the URL is checked when it is sent.
    public init(url: String) {
        self.url = url
    }

    /// Creates a request for a parsed URL. Its user name and password become the credential.
    public init(_ url: WebURL) {
        self.init(url: "")
        setURL(url)
    }

    /// Replaces the URL, and the credential if the URL has one.
    package mutating func setURL(_ url: WebURL) {
        self.url = url.absoluteString
        parsedURL = WebURL(scheme: url.scheme, host: url.host, port: url.port, path: url.path, query: url.query)
        if let user = url.user { credential = HTTPCredential(user: user, password: url.password ?? "") }
    }

    /// Returns the URL that is sent.
    ///
    /// - Throws: ``NetworkingError/invalidURL(url:reason:)`` or ``NetworkingError/unsupportedScheme(scheme:url:)``.
    func webURL() throws(NetworkingError) -> WebURL {
        if let parsedURL { return parsedURL }
        return try WebURL(url)
    }

    /// Returns an error if the content type of a response is not accepted.
    package func contentTypeProblem(_ headers: HeaderFields) -> NetworkingError? {
        guard let accepted = acceptedContentTypes else { return nil }
        let sent = headers.first("Content-Type") ?? ""
        let type = asciiLowercased(trimmedBlanks(sent.split(separator: ";").first ?? ""))
        let group = type.split(separator: "/").first.map { $0 + "/*" } ?? ""
        return accepted.contains(type) || accepted.contains(group) ? nil : .unacceptableContentType(sent)
    }
}

/// The header fields that make a request for one URL conditional (RFC 9110 §13.1).
package struct CacheValidators: Hashable, Sendable {
    /// The URL of the response that carried the validators, after its redirects.
    package var url: String
    /// `If-None-Match`, `If-Modified-Since`.
    package var headers: HeaderFields

    package init(url: String, headers: HeaderFields) {
        self.url = url
        self.headers = headers
    }
}

/// The urgency of a transfer among those that wait.
public enum TransferPriority: Int, Comparable, Hashable, Sendable, CaseIterable {
    case veryLow, low, normal, high, veryHigh

    public static func < (left: TransferPriority, right: TransferPriority) -> Bool { left.rawValue < right.rawValue }
}

/// The deadlines of one transfer.
public struct Timeouts: Hashable, Sendable {
    /// The time for name look-up, TCP and TLS, for every hop and attempt: 10 s.
    public var connect: Duration = .seconds(10)
    /// The time without a byte from the server: 15 s. A pause because of a slow reader does not count.
    public var idle: Duration = .seconds(15)
    /// The time from the start of the first attempt to the end, with all hops and waits: 120 s; nil: no limit.
    public var total: Duration? = .seconds(120)

    public init() {}

    public init(connect: Duration, idle: Duration, total: Duration?) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}

/// A certificate of the client, for servers that request one.
public struct ClientCertificate: Hashable, Sendable {
    public enum Format: String, Sendable {
        case pem = "PEM"
        case pkcs12 = "P12"
    }

    public var certificateFile: String
    /// The file with the key; nil if the certificate file holds it.
    public var keyFile: String?
    public var password: String?
    public var format: Format

    public init(certificateFile: String, keyFile: String? = nil, password: String? = nil, format: Format = .pem) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.password = password
        self.format = format
    }
}

/// The proxy of a request.
public enum ProxySetting: Hashable, Sendable {
    /// `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as libcurl reads them.
    case environment
    case none
    /// A proxy such as `http://proxy.example:3128` or `socks5h://127.0.0.1:1080`.
    case url(String, credential: HTTPCredential? = nil)
}
