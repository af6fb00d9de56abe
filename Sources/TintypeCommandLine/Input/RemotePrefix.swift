import Tintype
import TintypeBase

/// Reads the header of an image on the web and hangs up.
enum RemotePrefix {
    /// - Returns: the facts, and the bytes of the whole file where the server says so.
    static func info(
        _ url: String, _ codecs: ImageCodecs, limits: DecodeLimits
    ) async throws -> (info: ImageInfo, byteCount: Int?) {
        // A worker may take long to reply.
        let pool = WorkerPool(name: "tt-info", width: 1)
        var request = DownloadRequest(url: url)
        request.keepsBody = false
        let downloader = ImageDownloader()
        let transfer = downloader.transfer(for: request)
        defer { transfer.cancel() }
        var data = Data()
        // Every byte takes time here, so asking more often is worth it.
        var wanted = 8 << 10
        for try await chunk in transfer.chunks {
            // A transfer that is tried again may start over.
            data = data.prefix(chunk.offset) + chunk.data
            guard data.count >= wanted else { continue }
            do {
                let info = try await pool.run { [data] in
                    try codecs.info(data, isComplete: false, limits: limits)
                }
                if info.isFrameListComplete { return (info, await total(of: transfer)) }
                wanted = InfoCommand.next(after: data.count, hint: nil)
            } catch ImagingError.needsMoreData(_, let hint) {
                wanted = InfoCommand.next(after: data.count, hint: hint)
            }
        }
        _ = try await transfer.result()
        return (try await pool.run { [data] in try codecs.info(data, limits: limits) }, data.count)
    }

    /// What the server said; each stream of reports begins with the latest one.
    private static func total(of transfer: HTTPTransfer) async -> Int? {
        for await progress in transfer.progress { return progress.total }
        return nil
    }

    /// The whole body.
    static func data(_ url: String, limit: Int) async throws -> Data {
        var request = DownloadRequest(url: url)
        request.maximumBodyByteCount = limit
        return try await ImageDownloader().data(for: request).0
    }
}
