/// The answer that a transfer ended with.
public struct DownloadResponse: Sendable {
    public let status: Int
    public let headers: HeaderFields
    /// After redirects; without user name and password.
    public let finalURL: String
    public let redirectCount: Int
    /// The redirects that led to ``finalURL``, oldest first. Empty when a loader does not report them.
    public let redirects: [ResponseHead]
    public let metrics: TransferMetrics
    /// Requests made, redirects not counted: 1 when the first try succeeded.
    public let attempts: Int

    /// `Content-Type` as sent. It is a hint at most: servers mislabel images.
    public var contentType: String? { headers.first("Content-Type") }

    public init(
        status: Int, headers: HeaderFields, finalURL: String, redirectCount: Int = 0, redirects: [ResponseHead] = [],
        metrics: TransferMetrics = TransferMetrics(), attempts: Int = 1
    ) {
        self.status = status
        self.headers = headers
        self.finalURL = finalURL
        self.redirectCount = redirectCount
        self.redirects = redirects
        self.metrics = metrics
        self.attempts = attempts
    }
}

/// What a transfer cost. Times are of its last hop, measured from that hop's start, save `queued` and `total`.
public struct TransferMetrics: Sendable, Hashable {
    /// Between the order and the first start.
    public var queued: Duration = .zero
    public var nameLookup: Duration = .zero
    /// Until the TCP connection stood; zero for a connection from the pool.
    public var connect: Duration = .zero
    /// Until TLS was ready; zero without TLS.
    public var tls: Duration = .zero
    public var firstByte: Duration = .zero
    /// From the first start to the end, with all hops and tries.
    public var total: Duration = .zero
    /// `http/1.1`, `h2`, …
    public var protocolName = ""
    public var reusedConnection = false
    /// Body bytes as they came, before decoding, over all hops and tries.
    public var bodyByteCountOnWire = 0
    /// Header bytes received in the last hop.
    public var headerByteCount = 0
    public var remoteAddress = ""
    public var remotePort = 0
    /// Bytes kept from an interrupted try and not transferred again.
    public var resumedByteCount = 0

    public init() {}
}

/// How far a transfer is.
public struct TransferProgress: Sendable, Hashable {
    /// Decoded bytes so far; never shrinks.
    public let received: Int
    /// nil when the server did not say, or when the body is compressed: the declared length is then of something else.
    public let total: Int?

    public init(received: Int, total: Int?) {
        self.received = received
        self.total = total
    }

    /// 0 to 1; nil when the total is not known.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, Double(received) / Double($0)) : 1 }
    }
}
