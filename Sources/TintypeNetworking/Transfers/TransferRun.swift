import CCurl
import TintypeBase

/// The working state of one transfer. Confined to the transfer thread; ``HTTPTransfer`` is what others see of it.
final class TransferRun {
    enum Stage {
        /// Waits in the queue.
        case queued
        /// Has a slot and a handle.
        case running
        /// A redirect hook is being asked.
        case deciding
        /// Between two tries.
        case backingOff
    }

    /// The answer of a hop whose transfer is over.
    enum Outcome {
        case delivered
        case redirect(location: String)
        case failed(NetworkingError)
        /// What was kept does not fit what the server has now: from the start again.
        case startOver
    }

    let transfer: HTTPTransfer
    let request: DownloadRequest
    let requestedURL: WebURL
    var credential: HTTPCredential?
    /// The only one that is given the credential.
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

    /// Set when a connection of the pool turned out to hold something else than the answer.
    var needsFreshConnection = false
    var redirectCount = 0
    /// The responses that led here, oldest first.
    var redirects: [ResponseHead] = []
    var attempts = 0
    var retries = 0
    /// Monotonic nanoseconds; 0 before the first start.
    var startedAt: UInt64 = 0
    var totalDeadline: UInt64 = .max
    var metrics = TransferMetrics()

    // The body so far.
    let body = ByteBuffer()
    /// Bytes that were given away and not kept.
    var droppedCount = 0
    /// Bytes that the reader has been given.
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

    /// Repeating the request does no more than making it once (RFC 9110 §9.2.2).
    var isIdempotent: Bool { ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"].contains(request.method) }

    /// Back to the first URL, for another try.
    func rewind() {
        url = requestedURL
        method = request.method
        headers = request.headers
        sendsBody = request.body != nil
        redirectCount = 0
        redirects = []
    }

    /// Forgets what was received.
    func dropBody() {
        body.removeAll()
        droppedCount = 0
        pushedCount = 0
        resumePoint = nil
    }

    /// Gives the reader what it does not have yet.
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

/// One request and its answer within a transfer.
struct Hop {
    enum Disposition {
        case undecided
        /// The response modifier is being asked.
        case held
        case deliver
        /// The body is of no use: a redirect's, an error page.
        case discard
    }

    var status = 0
    var headers = HeaderFields()
    /// Whether the empty line after the fields has come.
    var isHeadComplete = false
    var disposition = Disposition.undecided
    var isModified = false
    var decoder: ContentDecoder?
    /// `Content-Length` of the answer.
    var declaredLength: Int?
    /// Of the whole image, when this hop continues an interrupted one.
    var expectedTotal: Int?
    /// Where the request asked the body to start.
    var rangeStart = 0
    /// Whether the request carried validators, so that a 304 may answer it.
    var isConditional = false
    /// Body bytes as they came.
    var wireCount = 0
    /// Body bytes of the request that the server has taken.
    var sentCount = 0
    /// Why the callbacks stopped this hop.
    var abort: TransferRun.Outcome?
    var blockedAddress: String?
    var hasBody = false

    // Monotonic nanoseconds.
    var startedAt: UInt64 = 0
    var lastActivity: UInt64 = 0
    var isStalled = false
    var isPaused = false
    /// libcurl's result, when it came before the response modifier's.
    var heldCode: CURLcode?

    init() {}

    var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }
}
