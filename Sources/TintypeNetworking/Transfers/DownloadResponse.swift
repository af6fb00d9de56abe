/// The response of a transfer.
public struct DownloadResponse: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The header fields.
    public let headers: HeaderFields
    /// The URL after redirects, without user name and password.
    public let finalURL: String
    /// The number of redirects.
    public let redirectCount: Int
    /// The redirects to ``finalURL``, oldest first. Empty if a loader does not report them.
    public let redirects: [ResponseHead]
    /// The times and sizes.
    public let metrics: TransferMetrics
    /// The number of attempts: 1 if the first one succeeded. Redirects do not count.
    public let attempts: Int

    /// The `Content-Type` as sent. A hint only: servers mislabel images.
    public var contentType: String? { headers.first("Content-Type") }

    /// Creates a response, for loaders of your own.
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

/// The times and sizes of a transfer.
///
/// Times are those of the last hop, measured from its start, except `queued` and `total`.
public struct TransferMetrics: Sendable, Hashable {
    /// The time in the queue.
    public var queued: Duration = .zero
    /// The time of the name look-up.
    public var nameLookup: Duration = .zero
    /// The time of the TCP connection; zero for a reused connection.
    public var connect: Duration = .zero
    /// The time of the TLS handshake; zero without TLS.
    public var tls: Duration = .zero
    /// The time until the first byte of the response.
    public var firstByte: Duration = .zero
    /// The time from the first start to the end, with all hops and attempts.
    public var total: Duration = .zero
    /// The protocol, such as `http/1.1` or `h2`.
    public var protocolName = ""
    /// Whether the connection was reused.
    public var reusedConnection = false
    /// The body bytes as received, before decoding, of all hops and attempts.
    public var bodyByteCountOnWire = 0
    /// The header bytes of the last hop.
    public var headerByteCount = 0
    /// The address of the server.
    public var remoteAddress = ""
    /// The port of the server.
    public var remotePort = 0
    /// The bytes of an interrupted attempt that were not transferred again.
    public var resumedByteCount = 0

    /// Creates empty metrics.
    public init() {}
}

/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
    /// The decoded bytes so far; never decreases.
    public let received: Int
    /// The bytes of the whole body; nil if the server did not declare it or the body is compressed.
    public let total: Int?

    /// Creates a report, for loaders of your own.
    public init(received: Int, total: Int?) {
        self.received = received
        self.total = total
    }

    /// The share, 0 to 1; nil if the total is not known.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, Double(received) / Double($0)) : 1 }
    }
}
