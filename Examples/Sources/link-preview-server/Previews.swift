import Foundation
import Tintype

/// Creates previews of pages with untrusted URLs.
struct Previews: Sendable {
    let pipeline: ImagePipeline
    let downloader: ImageDownloader
    let allowsPrivate: Bool

    /// - Parameter allowsPrivate: for trying it on this machine; a public service must not.
    init(allowsPrivate: Bool) throws {
        self.allowsPrivate = allowsPrivate
        downloader = ImageDownloader()
        var configuration = ImagePipeline.Configuration(
            diskCache: try DiskCache(.init(namespace: "link-previews", maximumAge: .seconds(86_400))))
        configuration.downloader = downloader
        configuration.requestDefaults = Previews.limited(DownloadRequest(url: ""), allowsPrivate)
        // The small image is kept, not the large one.
        configuration.dataCachePolicy = .processed
        pipeline = ImagePipeline(configuration)
    }

    /// What holds for everything that is fetched.
    private static func limited(_ request: DownloadRequest, _ allowsPrivate: Bool) -> DownloadRequest {
        var request = request
        request.blocksPrivateAddresses = !allowsPrivate
        request.maximumBodyByteCount = 10 << 20
        request.maximumRedirects = 4
        request.timeouts = Timeouts(connect: .seconds(3), idle: .seconds(5), total: .seconds(15))
        return request
    }

    func page(_ url: WebURL) async throws -> Page {
        var request = Previews.limited(DownloadRequest(url), allowsPrivate)
        request.headers = ["Accept": "text/html"]
        request.maximumBodyByteCount = 1 << 20
        let (data, response) = try await downloader.data(for: request)
        return try Page(html: String(decoding: data, as: UTF8.self), base: WebURL(response.finalURL))
    }

    /// The image of a page, as it is shown: cut to the shape of a card where least happens.
    func image(_ url: WebURL) async throws -> Bitmap {
        var request = ImageRequest(url.absoluteString)
        request.target = ResizeTarget(width: 600, height: 315, fit: .cover, gravity: .attention)
        request.decodeOptions.limits.maximumPixelCount = 50_000_000
        request.options = .firstFrameOnly
        return try await pipeline.image(for: request).bitmap
    }
}
