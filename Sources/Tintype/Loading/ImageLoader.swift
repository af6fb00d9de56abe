import TintypeBase

/// Brings the bytes of an image. The pipeline's own loader is the `ImageDownloader`; yours may take its place, for all
/// requests or for one.
public protocol ImageLoader: Sendable {
    /// A part of the key of every request that names this loader itself: equal identifiers must mean equal bytes.
    var identifier: String { get }

    /// The bytes, or an answer without bytes: status 304 if the request carried validators and nothing has changed.
    ///
    /// Called on no particular thread; must not block it. Cancelled by cancelling the calling task. The pipeline checks the
    /// status, content type and size of what is returned, ends the load at the total timeout, and retries transient
    /// `NetworkingError`s. It refuses private addresses that stand in the URL or the final URL; a loader that looks up
    /// names must honour `DownloadRequest.blocksPrivateAddresses` itself.
    /// - Parameter request: with the header fields, limits and timeouts that hold for it.
    /// - Parameter context: where progress is reported, and where the priority can be read.
    func load(_ request: DownloadRequest, context: LoadContext) async throws -> (Data, DownloadResponse)
}
