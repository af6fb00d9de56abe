import TintypeBase

/// An HTTP downloader with a queue, priorities, retries, resuming and a pool of connections.
///
/// Create one and keep it: its transfers share one libcurl thread and the connections. All members may be used from any
/// thread. Equal requests are not coalesced here; the pipeline does that.
public final class ImageDownloader: Sendable {
    /// The settings of an ``ImageDownloader``.
    public struct Configuration: Sendable {
        /// The most transfers that run at the same time: 6. ``ImageDownloader/maximumConcurrentTransfers`` changes it later.
        public var maximumConcurrentTransfers = 6
        /// The most running transfers to one host and port: 6.
        public var maximumPerHost = 6
        /// The order of transfers of equal priority.
        public var order = TransferOrder.fifo
        /// The most transfers that start in a second; nil: no limit.
        public var rateLimit: RateLimit?
        /// The time without a byte after which a running transfer no longer counts against the limit, until bytes come
        /// again: a host that hangs does not block the others. At most three times the concurrent transfers run then.
        public var stallTolerance: Duration = .milliseconds(500)
        /// The `User-Agent` of all requests.
        public var userAgent = "Tintype/\(tintypeNetworkingVersion)"
        /// The `Accept` of all requests; the pipeline sets the formats that its decoders read.
        public var accept = "image/*,*/*;q=0.8"
        /// Header fields of every request; the fields of the request replace them.
        public var defaultHeaders: HeaderFields = [:]
        /// The credentials of requests that have none, by URL.
        public var credentials = CredentialStore()
        /// The hooks of requests that have none.
        public var hooks = TransferHooks()
        /// The certificate authorities of requests that name none: `SSL_CERT_FILE` of the environment, else the system's.
        public var certificateAuthorityFile: String? = environmentValue("SSL_CERT_FILE")
        /// Whether to offer HTTP/2 to https servers, with many transfers on one connection.
        public var allowsHTTP2 = true
        /// The most bytes of interrupted bodies that are kept, so that a later transfer requests only the rest: 32 MiB.
        public var resumeByteLimit = 32 << 20
        /// The clock of the waits between attempts.
        package var retryClock = RetryClock.system
        /// Returns the address of a host name for one hop; `nil` looks it up. Tests change addresses with it.
        package var resolve: @Sendable (String) -> String? = { _ in nil }
        /// Whether ``DownloadRequest/blocksPrivateAddresses`` forbids an address. Tests have only loopback addresses.
        package var forbids: @Sendable (InternetAddress) -> Bool = { $0.isSpecialPurpose }

        /// Creates the default settings.
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

    /// Creates a downloader. Its thread starts with the first transfer.
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

    /// Enqueues a transfer. An error, also that of an invalid URL, is reported by the transfer.
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

    /// Returns the whole body. A 304 to a conditional request is a response without data, not an error. Cancelling the
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

    /// Whether enqueued transfers wait; running ones go on. For the time without a network.
    public var isSuspended: Bool {
        get { settings.withLock { $0.isSuspended } }
        set {
            settings.withLock { $0.isSuspended = newValue }
            engine.post(.suspend(newValue))
        }
    }

    /// The lowest priority that starts; transfers of a lower one wait in the queue. Running ones go on.
    package var minimumPriority: TransferPriority {
        get { settings.withLock { $0.minimumPriority } }
        set {
            settings.withLock { $0.minimumPriority = newValue }
            engine.post(.minimumPriority(newValue))
        }
    }

    /// The most transfers that run at the same time.
    public var maximumConcurrentTransfers: Int {
        get { settings.withLock { $0.maximumConcurrentTransfers } }
        set { setLimits { $0.maximumConcurrentTransfers = newValue } }
    }

    /// The most running transfers to one host and port.
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

    /// Sets, or with nil removes, a header field of all requests that are enqueued from now on.
    public func setDefaultHeader(_ name: String, _ value: String?) {
        settings.withLock { $0.defaultHeaders[name] = value }
    }

    /// Returns a header field of all requests.
    public func defaultHeader(_ name: String) -> String? {
        settings.withLock { $0.defaultHeaders[name] }
    }

    /// Cancels all transfers that were enqueued before.
    public func cancelAll() {
        engine.post(.cancelAll)
    }

    /// Ends the downloader. Transfers with ``DownloadRequest/continuesInBackground`` have `grace` to finish; all others
    /// are cancelled at once. Returns when no transfer runs; later transfers end as cancelled.
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
