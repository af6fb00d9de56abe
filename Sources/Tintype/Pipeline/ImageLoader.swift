import TintypeBase

/// Loads the bytes of an image. An `ImageDownloader` is the pipeline's own loader; yours may take its place, for all
/// requests or for one, and may call a downloader itself.
public protocol ImageLoader: Sendable {
    /// A part of the key of every request that names this loader itself: equal identifiers must mean equal bytes.
    var identifier: String { get }

    /// Loads the bytes; without bytes and with status 304 if the request carried validators and nothing has changed.
    ///
    /// Called on no particular thread; must not block it. Cancelled by cancelling the calling task. The pipeline checks the
    /// status, content type and size of what is returned, ends the load at the total timeout, and retries transient
    /// `NetworkingError`s. It refuses private addresses that stand in the URL or the final URL; a loader that looks up
    /// names must honour `DownloadRequest.blocksPrivateAddresses` itself.
    /// - Parameter request: with the header fields, limits and timeouts that hold for it.
    /// - Parameter context: where progress is reported, and where the priority can be read.
    func load(_ request: DownloadRequest, context: LoadContext) async throws -> (Data, DownloadResponse)
}

/// How a loader reports to the pipeline while it works.
public struct LoadContext: Sendable {
    let control: WorkControl
    let send: @Sendable (LoadEvent) -> Void
    let body: PartialBody

    init(control: WorkControl, send: @escaping @Sendable (LoadEvent) -> Void, body: PartialBody) {
        self.control = control
        self.send = send
        self.body = body
    }

    /// Creates a context that nothing waits for, to call a loader outside a pipeline.
    public init(priority: ImagePriority = .normal) {
        self.init(
            control: WorkControl(Interest(priority: priority, demand: [])), send: { _ in }, body: PartialBody())
    }

    /// The highest priority of all waiters.
    public var priority: ImagePriority { control.interest.priority }

    /// Whether a waiter wants progress reports now.
    public var wantsProgress: Bool { !control.interest.demand.isDisjoint(with: [.progress, .previews]) }

    /// Whether a waiter wants previews now, for which `didReceive(_:)` must be called with every byte from the first on.
    public var wantsPartialData: Bool { control.interest.demand.contains(.previews) }

    /// Calls `body` with the priority and whether progress and partial data are wanted, now and at each change, on any
    /// thread, until `stopObserving`.
    func observe(_ body: @escaping @Sendable (ImagePriority, _ wantsProgress: Bool, _ wantsData: Bool) -> Void)
        -> UInt64
    {
        control.observe { interest, _ in
            body(
                interest.priority, !interest.demand.isDisjoint(with: [.progress, .previews]),
                interest.demand.contains(.previews))
        }
    }

    func stopObserving(_ id: UInt64) { control.stopObserving(id) }

    /// Reports how far the transfer is.
    public func didMakeProgress(_ progress: TransferProgress) { send(.progress(progress)) }

    /// Hands over the next bytes for previews, in order and without gaps.
    public func didReceive(_ chunk: Data) {
        body.append(chunk)
        send(.partialBody(body))
    }
}
