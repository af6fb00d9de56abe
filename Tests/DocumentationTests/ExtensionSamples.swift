import Foundation
import Tintype

// The samples of "Your own loader", "Tuning the caches", "Coming from SDWebImage, Kingfisher or Nuke" and "Security".

// SAMPLE Sources/Tintype/Tintype.docc/CustomLoaders.md 2
/// Adds a token, which is fetched on demand.
final class Authorization: ImagePipelineDelegate {
    let token: @Sendable () async throws -> String

    init(token: @escaping @Sendable () async throws -> String) { self.token = token }

    func pipeline(_ pipeline: ImagePipeline, willSend request: DownloadRequest, for image: ImageRequest) async throws
        -> DownloadRequest
    {
        guard request.url.hasPrefix("https://media.example.com/") else { return request }
        var request = request
        request.headers["Authorization"] = "Bearer " + (try await token())
        return request
    }
}
// END

// SAMPLE Sources/Tintype/Tintype.docc/CustomLoaders.md 3
/// Serves one host from a folder, and all others from the network.
struct MirrorLoader: ImageLoader {
    let folder: URL
    let downloader: ImageDownloader

    var identifier: String { "mirror" }

    func load(_ request: DownloadRequest, context: LoadContext) async throws -> (Data, DownloadResponse) {
        let url = try WebURL(request.url)
        guard url.host == "mirror.example.com" else { return try await downloader.data(for: request) }
        // The path is encoded and has no dot segments: it cannot lead out of the folder.
        let file = folder.appendingPathComponent(String(url.path.dropFirst()))
        let data = try await read(file)
        context.didMakeProgress(TransferProgress(received: data.count, total: data.count))
        return (data, DownloadResponse(status: 200, headers: [:], finalURL: url.absoluteString))
    }

    /// Reads on a dispatch queue: the cooperative pool has few threads, and they must not wait for a disk.
    private func read(_ file: URL) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try Data(contentsOf: file) }) }
        }
    }
}
// END

// SAMPLE Sources/Tintype/Tintype.docc/CustomLoaders.md 4
/// Loads from a mirror when the first server fails.
struct Fallback: ImageInterceptor {
    func intercept(_ chain: InterceptorChain) async throws -> ImageResponse {
        do {
            return try await chain.proceed(chain.request)
        } catch let error as PipelineError where error.code == "connectionFailed" {
            let mirror = chain.request.source.name.replacing("//www.", with: "//mirror.")
            return try await chain.proceed(ImageRequest(mirror))
        }
    }
}
// END

enum ExtensionSamples {
    static func closures(archive: @escaping @Sendable (String) async throws -> Data) {
        // SAMPLE Sources/Tintype/Tintype.docc/CustomLoaders.md 1
        let page = ImageRequest(id: "book-7/page-12") {
            try await archive("book-7/page-12.jpg")
        }
        // END
        print(page.source.name)
    }

    static func sizes() throws -> ImagePipeline {
        // SAMPLE Sources/Tintype/Tintype.docc/TuningCaches.md 1
        var configuration = ImagePipeline.Configuration(
            diskCache: try DiskCache(
                .init(namespace: "shop", maximumAge: .seconds(30 * 86_400), maximumByteCount: 20 << 30)))
        configuration.memoryCache = ImageMemoryCache(.init(countLimit: 2_000, costLimit: 512 << 20))
        configuration.dataCachePolicy = .automatic
        // END
        return ImagePipeline(configuration)
    }

    static func keys(configuration: inout ImagePipeline.Configuration) {
        // SAMPLE Sources/Tintype/Tintype.docc/TuningCaches.md 2
        // A signature that changes every hour does not change the image.
        configuration.keyFilter = ClosureCacheKeyFilter { url in
            String(url.prefix { $0 != "?" })
        }
        var request: ImageRequest = "https://media.example.com/photo.jpg?signature=9f2c"
        request.cacheKey = "photo-7"  // or for one request alone
        request.expiry = .after(.seconds(3_600))
        // END
        print(request.cacheKey ?? "")
    }

    static func care(pipeline: ImagePipeline) async throws {
        // SAMPLE Sources/Tintype/Tintype.docc/TuningCaches.md 3
        if let memory = pipeline.cache.memory {
            print(memory.statistics.hitRatio ?? 0, memory.totalCost)
        }
        if let disk = pipeline.cache.disk {
            print(disk.count, disk.byteCount)
            _ = try await disk.removeExpired()
        }
        await pipeline.cache.remove("https://example.com/cat.jpg")
        // END
    }

    static func observing(configuration: inout ImagePipeline.Configuration) {
        // SAMPLE Sources/Tintype/Tintype.docc/TuningCaches.md 4
        configuration.observer = { event in
            print(event.name, event.kind)  // on the thread where it happens: be quick
        }
        // END
    }

    static func untrusted(text: String, pipeline: ImagePipeline) async throws {
        // SAMPLE Sources/Tintype/Tintype.docc/Security.md 1
        let url = try WebURL(text)  // throws for file:, data:, paths, and everything else but http and https
        var request = ImageRequest(url.absoluteString)
        request.network.blocksPrivateAddresses = true
        request.network.maximumBodyByteCount = 10 << 20
        request.decodeOptions.limits.maximumPixelCount = 40_000_000
        let image = try await pipeline.image(for: request)
        // END
        print(image.info)
    }

    static func isolated() {
        // SAMPLE Sources/Tintype/Tintype.docc/Security.md 2
        var configuration = ImagePipeline.Configuration()
        configuration.isolation = .all
        // END
        print(configuration.isolation)
    }

    static func isolatedCodecs() {
        // SAMPLE Sources/TintypeImaging/Isolation/DecodeIsolation.swift 1
        var codecs = ImageCodecs.standard
        codecs.isolation = .all
        // END
        print(codecs.isolation)
    }

    static func worker() {
        // SAMPLE Sources/TintypeImaging/Isolation/DecodeWorker.swift 1
        DecodeWorker.runIfRequested(codecs: .standard)
        // END
    }

    static func knownNames(url: URL, placeholder: DecodedImage) async throws {
        // SAMPLE Sources/Tintype/Tintype.docc/Migrating.md 1
        var request = ImageRequest(url: url)
        request.processors = [.resize(width: 200, height: 200, fit: .cover), .circle()]
        request.options = [.highPriority, .retryFailed]
        ImagePipeline.shared.loadImage(with: request, deliverOn: .mainActor) { result in
            switch result {
            case .success(let response): print(response.image.bitmap.size)
            case .failure: print(placeholder.bitmap.size)
            }
        }
        // END
    }

    static func sharedFolder() throws {
        // SAMPLE Sources/Tintype/Tintype.docc/Migrating.md 2
        let folder = URL(fileURLWithPath: "/srv/app/com.hackemist.SDImageCache")
        let cache = try DiskCache(.init(root: folder, namespace: "default", naming: .sdWebImage))
        ImagePipeline.shared = ImagePipeline(.init(diskCache: cache))
        // END
    }
}
