import TintypeBase

/// One thing to fetch over HTTP, with everything that decides how.
public struct DownloadRequest: Sendable {
    /// http or https, as the caller wrote it; ``WebURL`` encodes it once.
    public var url: String {
        didSet { parsedURL = nil }
    }
    /// `url`, parsed and without user and password, where the caller had a ``WebURL``: a URL is parsed once.
    private var parsedURL: WebURL?
    public var method = "GET"
    /// Added to, and stronger than, the downloader's default header fields.
    public var headers: HeaderFields = [:]
    public var body: Data?
    /// Decides the place in the queue; ``HTTPTransfer/priority`` changes it later.
    public var priority: TransferPriority = .normal

    /// Used for the origin of `url` only. A user name and password in the URL count as a credential too.
    public var credential: HTTPCredential?
    /// nil: no cookies are sent and none are kept.
    public var cookies: CookieJar?
    /// Takes any certificate. For tests only: whoever sits between can then read and change everything.
    public var allowsInvalidCertificates = false
    /// A PEM file with the certificate authorities to trust in the place of the system's.
    public var certificateAuthorityFile: String?
    public var clientCertificate: ClientCertificate?
    public var proxy: ProxySetting = .environment

    public var timeouts = Timeouts()
    public var maximumRedirects = 10
    /// Names of header fields that may follow a redirect to another origin, or from https to http.
    ///
    /// Without a mark only `Accept`, `Accept-Encoding`, `Accept-Language`, `Range` and `User-Agent` do. `Authorization`,
    /// `Proxy-Authorization`, `Cookie` and `Host` never do, marked or not.
    public var redirectSafeHeaders: Set<String> = []
    /// Validators of a stored response, which are sent to the URL of that response only, also when a redirect leads
    /// there. A 304 of another URL is an error.
    package var validators: CacheValidators?
    /// Decoded bytes.
    public var maximumBodyByteCount = 200 << 20
    /// Refuses loopback, private, link-local and other special addresses, on every hop and after the name look-up.
    /// For servers that fetch what their users name. A pipeline then also refuses texts that name a file.
    public var blocksPrivateAddresses = false
    public var retry = RetryPolicy()
    public var acceptedStatusCodes: Range<Int> = 200..<300
    /// Lower-case types such as `image/png`, or `image/*`; nil takes all. Servers mislabel images: leave it nil
    /// unless you must.
    public var acceptedContentTypes: Set<String>?
    /// Whether a successful answer may have no bytes; HEAD always may.
    public var allowsEmptyBody = false
    /// false: the body goes to ``HTTPTransfer/chunks`` only, ``HTTPTransfer/result()`` has no data, and memory stays small.
    public var keepsBody = true
    /// Keeps what was received of an interrupted body and asks for the rest, when the server gave a strong validator.
    public var allowsResuming = true
    /// Whether shutting the downloader down leaves this transfer its grace period.
    public var continuesInBackground = false
    /// The smallest step of a progress report as a share of the total, 0 to 1. The last report always comes.
    public var minimumProgressInterval = 0.0
    /// Stronger than the downloader's hooks, one by one.
    public var hooks = TransferHooks()
    /// Addresses for names, in the place of a look-up; keys are lower-case ASCII hosts.
    public var addressOverrides: [String: String] = [:]

    public init(url: String) {
        self.url = url
    }

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

    /// The URL that is sent.
    ///
    /// - Throws: ``NetworkingError/invalidURL(url:reason:)`` or ``NetworkingError/unsupportedScheme(scheme:url:)``.
    func webURL() throws(NetworkingError) -> WebURL {
        if let parsedURL { return parsedURL }
        return try WebURL(url)
    }

    /// The error for a response whose content type is not accepted.
    package func contentTypeProblem(_ headers: HeaderFields) -> NetworkingError? {
        guard let accepted = acceptedContentTypes else { return nil }
        let sent = headers.first("Content-Type") ?? ""
        let type = asciiLowercased(trimmedBlanks(sent.split(separator: ";").first ?? ""))
        let group = type.split(separator: "/").first.map { $0 + "/*" } ?? ""
        return accepted.contains(type) || accepted.contains(group) ? nil : .unacceptableContentType(sent)
    }
}

/// What makes a request for one URL conditional (RFC 9110 §13.1).
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

/// How urgent a transfer is among those that wait.
public enum TransferPriority: Int, Comparable, Hashable, Sendable, CaseIterable {
    case veryLow, low, normal, high, veryHigh

    public static func < (left: TransferPriority, right: TransferPriority) -> Bool { left.rawValue < right.rawValue }
}

/// Deadlines of one transfer.
public struct Timeouts: Hashable, Sendable {
    /// Until the connection stands: name look-up, TCP, TLS. 10 s; for every hop and attempt.
    public var connect: Duration = .seconds(10)
    /// Without a byte from the server. 15 s. A consumer that makes the transfer pause does not count.
    public var idle: Duration = .seconds(15)
    /// From the start (not from queueing) to the end, over all hops, attempts and the waits between. 120 s; nil: none.
    public var total: Duration? = .seconds(120)

    public init() {}

    public init(connect: Duration, idle: Duration, total: Duration?) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}

/// A certificate that the client shows, for servers that ask for one.
public struct ClientCertificate: Hashable, Sendable {
    public enum Format: String, Sendable {
        case pem = "PEM"
        case pkcs12 = "P12"
    }

    public var certificateFile: String
    /// Not needed when the certificate file holds the key.
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

/// Whether and which proxy a request takes.
public enum ProxySetting: Hashable, Sendable {
    /// `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as libcurl reads them.
    case environment
    case none
    /// Such as `http://proxy.example:3128` or `socks5h://127.0.0.1:1080`.
    case url(String, credential: HTTPCredential? = nil)
}
