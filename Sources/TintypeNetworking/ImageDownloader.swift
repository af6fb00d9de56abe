import TintypeBase

/// Downloads over HTTP: one thread of libcurl, a queue with limits and priorities, retries, resuming, and a pool of
/// connections that all transfers of this downloader share.
///
/// Make one and keep it. All members may be used from any thread. Equal requests are not merged here: that is the
/// pipeline's work.
public final class ImageDownloader: Sendable {
    public struct Configuration: Sendable {
        /// Transfers that run at the same time. 6; can be changed later through ``ImageDownloader/maximumConcurrentTransfers``.
        public var maximumConcurrentTransfers = 6
        /// Of these, how many to one host and port. 6.
        public var maximumPerHost = 6
        public var order = TransferOrder.fifo
        /// Limits how many transfers start in a second; nil: no limit.
        public var rateLimit: RateLimit?
        /// A running transfer from which nothing has come for this long gives its place to one for another host, until
        /// bytes come again: a host that hangs never blocks the others. At most three times the concurrent transfers
        /// run then.
        public var stallTolerance: Duration = .milliseconds(500)
        public var userAgent = "Tintype/\(tintypeNetworkingVersion)"
        /// What is asked for; the pipeline puts in the formats that its decoders read.
        public var accept = "image/*,*/*;q=0.8"
        /// Sent with every request; a request's own fields are stronger.
        public var defaultHeaders: HeaderFields = [:]
        /// Credentials by place, for requests that bring none.
        public var credentials = CredentialStore()
        /// For requests that bring none of their own.
        public var hooks = TransferHooks()
        /// The certificate authorities for requests that name none. `SSL_CERT_FILE` of the environment, else the system's.
        public var certificateAuthorityFile: String? = environmentValue("SSL_CERT_FILE")
        /// Offers HTTP/2 to https servers, and puts many transfers on one connection then.
        public var allowsHTTP2 = true
        /// Room for what was received of interrupted transfers, so that a later one can ask for the rest. 0: none.
        public var resumeByteLimit = 32 << 20
        /// The clock of the waits between tries.
        package var retryClock = RetryClock.system
        /// The address of a host name for one hop, in the place of a look-up; `nil` looks it up. Tests move names with it.
        package var resolve: @Sendable (String) -> String? = { _ in nil }
        /// What ``DownloadRequest/blocksPrivateAddresses`` forbids. Tests have only loopback addresses to tell apart.
        package var forbids: @Sendable (InternetAddress) -> Bool = { $0.isSpecialPurpose }

        public init() {}
    }

    let engine: CurlEngine
    private let settings: Locked<Settings>

    private struct Settings {
        var defaultHeaders: HeaderFields
        var isSuspended = false
        var minimumPriority = TransferPriority.veryLow
        var maximumConcurrentTransfers: Int
        var maximumPerHost: Int
        var nextID: UInt64 = 0
    }

    public init(_ configuration: Configuration = .init()) {
        engine = CurlEngine(configuration)
        settings = Locked(
            Settings(
                defaultHeaders: configuration.defaultHeaders,
                maximumConcurrentTransfers: configuration.maximumConcurrentTransfers,
                maximumPerHost: configuration.maximumPerHost))
    }

    deinit {
        engine.post(.ownerGone)
    }

    /// Orders a transfer; it is in the queue when this returns.
    ///
    /// Nothing is thrown here: a URL that cannot be used, like everything else, ends the transfer with its error.
    public func transfer(for request: DownloadRequest) -> HTTPTransfer {
        let (id, headers) = settings.withLock { state in
            state.nextID += 1
            return (state.nextID, state.defaultHeaders)
        }
        var request = request
        request.headers = headers.replacing(with: request.headers)
        request.hooks = request.hooks.falling(back: engine.configuration.hooks)
        let transfer = HTTPTransfer(id: id, request: request, engine: engine)
        if let modifier = request.hooks.requestModifier {
            transfer.modify(with: modifier)
        } else {
            engine.post(.submit(transfer, request))
        }
        return transfer
    }

    /// Fetches the whole body. A 304 to a conditional request is a response with no data, not an error. Cancelling the
    /// task cancels the transfer.
    ///
    /// - Throws: ``NetworkingError``; `CancellationError` when the task was cancelled.
    public func data(for request: DownloadRequest) async throws -> (Data, DownloadResponse) {
        try Task.checkCancellation()
        let transfer = transfer(for: request)
        return try await withTaskCancellationHandler {
            do {
                return try await transfer.result()
            } catch NetworkingError.cancelled where Task.isCancelled {
                throw CancellationError()
            }
        } onCancel: {
            transfer.cancel()
        }
    }

    /// While true nothing new starts; what runs goes on. For the time without a network, or when the caller wants quiet.
    public var isSuspended: Bool {
        get { settings.withLock { $0.isSuspended } }
        set {
            settings.withLock { $0.isSuspended = newValue }
            engine.post(.suspend(newValue))
        }
    }

    /// Transfers of a lower priority wait in the queue until it is lowered again; those that run go on.
    package var minimumPriority: TransferPriority {
        get { settings.withLock { $0.minimumPriority } }
        set {
            settings.withLock { $0.minimumPriority = newValue }
            engine.post(.minimumPriority(newValue))
        }
    }

    public var maximumConcurrentTransfers: Int {
        get { settings.withLock { $0.maximumConcurrentTransfers } }
        set { setLimits { $0.maximumConcurrentTransfers = newValue } }
    }

    public var maximumPerHost: Int {
        get { settings.withLock { $0.maximumPerHost } }
        set { setLimits { $0.maximumPerHost = newValue } }
    }

    private func setLimits(_ change: (inout Settings) -> Void) {
        let limits = settings.withLock { state in
            change(&state)
            return (state.maximumConcurrentTransfers, state.maximumPerHost)
        }
        engine.post(.limits(running: limits.0, perHost: limits.1))
    }

    /// Sets, or with nil removes, a header field of all requests that are ordered from now on.
    public func setDefaultHeader(_ name: String, _ value: String?) {
        settings.withLock { $0.defaultHeaders[name] = value }
    }

    public func defaultHeader(_ name: String) -> String? {
        settings.withLock { $0.defaultHeaders[name] }
    }

    /// Cancels every transfer that was ordered so far.
    public func cancelAll() {
        engine.post(.cancelAll)
    }

    /// Ends the downloader: transfers marked ``DownloadRequest/continuesInBackground`` get `grace` to end by themselves, all
    /// others are cancelled at once. Returns when nothing runs any more; later orders end as cancelled.
    public func shutdown(grace: Duration = .zero) async {
        await withCheckedContinuation { continuation in
            engine.post(.shutdown(grace: grace, { continuation.resume() }))
        }
    }
}

/// The version that `User-Agent` names.
package let tintypeNetworkingVersion = "0.2.0"

/// Returns a variable of the environment; nil if it is missing or empty.
private func environmentValue(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}
