import CCurl
import TintypeBase

/// The working state of one ``HTTPTransfer``. Confined to the transfer thread.
final class TransferRun {
    enum Stage {
        /// It waits in the queue.
        case queued
        /// It has a slot and a handle.
        case running
        /// A hook decides about a redirect or a challenge.
        case deciding
        /// It waits between two attempts.
        case backingOff
    }

    /// The result of a hop.
    enum Outcome {
        case delivered
        case redirect(location: String)
        case failed(NetworkingError)
        /// The kept bytes do not match the file on the server: start again.
        case startOver
    }

    let transfer: HTTPTransfer
    let request: DownloadRequest
    let requestedURL: WebURL
    var credential: HTTPCredential?
    /// The only origin that gets the credential.
    var credentialOrigin: String
    var challengeCount = 0
    var stage = Stage.queued

    // The next, or current, hop.
    var url: WebURL
    var method: String
    var headers: HeaderFields
    var sendsBody: Bool
    var hop = Hop()
    var handle: CurlHandle?

    /// Set if a reused connection delivered bytes that are not the response.
    var needsFreshConnection = false
    var redirectCount = 0
    /// The redirects so far, oldest first.
    var redirects: [ResponseHead] = []
    var attempts = 0
    var retries = 0
    /// Monotonic nanoseconds; 0 before the first start.
    var startedAt: UInt64 = 0
    var totalDeadline: UInt64 = .max
    var metrics = TransferMetrics()

    // The body so far.
    let body = ByteBuffer()
    /// The bytes that were delivered and not kept.
    var droppedCount = 0
    /// The bytes that the reader has.
    var pushedCount = 0
    var hasReader: Bool
    var resumePoint: ResumePoint?
    var mayResume: Bool

    init(transfer: HTTPTransfer, request: DownloadRequest, url: WebURL, credential: HTTPCredential?) {
        self.transfer = transfer
        self.request = request
        self.requestedURL = url
        self.credential = credential
        credentialOrigin = url.origin
        self.url = url
        method = request.method
        headers = request.headers
        sendsBody = request.body != nil
        hasReader = !request.keepsBody
        mayResume =
            request.allowsResuming && request.method == "GET"
            && !(["Range"] + Self.validatorFields).contains { request.headers.contains($0) }
    }

    var receivedCount: Int { droppedCount + body.count }

    /// Whether the request may be repeated (RFC 9110 §9.2.2).
    var isIdempotent: Bool { ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"].contains(request.method) }

    /// Returns to the first URL for another attempt.
    func rewind() {
        url = requestedURL
        method = request.method
        headers = request.headers
        sendsBody = request.body != nil
        redirectCount = 0
        redirects = []
    }

    /// Discards the received bytes.
    func dropBody() {
        body.removeAll()
        droppedCount = 0
        pushedCount = 0
        resumePoint = nil
    }

    /// Gives new bytes to the reader.
    func pushToReader() {
        guard hasReader, receivedCount > pushedCount else { return }
        let start = pushedCount - droppedCount
        transfer.push(TransferChunk(offset: pushedCount, data: body.copy(start..<body.count)))
        pushedCount = receivedCount
        if !request.keepsBody {
            droppedCount += body.count
            body.removeAll()
        }
    }
}

/// One request and its response within a transfer.
struct Hop {
    enum Disposition {
        case undecided
        /// The response modifier is running.
        case held
        case deliver
        /// The body is not needed: a redirect or an error page.
        case discard
    }

    var status = 0
    var headers = HeaderFields()
    /// Whether the empty line after the fields was received.
    var isHeadComplete = false
    var disposition = Disposition.undecided
    var isModified = false
    var decoder: ContentDecoder?
    /// The `Content-Length` of the response.
    var declaredLength: Int?
    /// The size of the whole body, also if this hop continues an interrupted one.
    var expectedTotal: Int?
    /// The requested start of the body.
    var rangeStart = 0
    /// Whether the request had validators, so that a 304 is a valid response.
    var isConditional = false
    /// The body bytes as received.
    var wireCount = 0
    /// The bytes of the request body that were sent.
    var sentCount = 0
    /// The result with which a callback stopped this hop.
    var abort: TransferRun.Outcome?
    var blockedAddress: String?
    var hasBody = false

    // Monotonic nanoseconds.
    var startedAt: UInt64 = 0
    var lastActivity: UInt64 = 0
    var isStalled = false
    var isPaused = false
    /// libcurl's result, if it came before the decision of the response modifier.
    var heldCode: CURLcode?

    init() {}

    var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }
}
