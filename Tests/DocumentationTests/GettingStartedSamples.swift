import Foundation
import Tintype
import TintypeResponses

/// The samples of "Getting started" and "The pipeline".
enum GettingStartedSamples {
    static func first() async throws {
        // SAMPLE Sources/Tintype/Tintype.docc/GettingStarted.md 1
        let image = try await ImagePipeline.shared.image(for: "https://example.com/cat.jpg")
        print(image.bitmap.size, image.info.format)
        // END
    }

    static func request() async throws {
        // SAMPLE Sources/Tintype/Tintype.docc/GettingStarted.md 2
        var request: ImageRequest = "https://example.com/cat.jpg"
        request.target = ResizeTarget(width: 256, height: 256, fit: .cover)
        request.processors = [.roundedCorners(radius: 24)]

        let response = try await ImagePipeline.shared.response(for: request)
        print(response.source)  // network; memory or disk the next time
        // END
    }

    static func errors() async {
        // SAMPLE Sources/Tintype/Tintype.docc/GettingStarted.md 3
        do {
            let image = try await ImagePipeline.shared.image(for: "https://example.com/missing.jpg")
            print(image.bitmap.size)
        } catch is CancellationError {
            // The calling task was cancelled: the image is not needed any more.
        } catch let error as PipelineError {
            print(error.code)  // badStatus: stable, for programs
            print(error)  // one sentence, for people
        } catch {
            print(error)
        }
        // END
    }

    static func save(request: ImageRequest) async throws {
        // SAMPLE Sources/Tintype/Tintype.docc/GettingStarted.md 4
        let pipeline = ImagePipeline.shared
        let image = try await pipeline.image(for: request)
        let webp = try ImageCodecs.standard.encode(image.bitmap, as: .webp)  // what the pixels are now
        let original = try await pipeline.data(for: request).data  // what the server sent
        // END
        print(webp.count, original.count)
    }

    static func progress(request: ImageRequest) async throws {
        // SAMPLE Sources/Tintype/Tintype.docc/GettingStarted.md 5
        let task = ImagePipeline.shared.imageTask(with: request)
        for await progress in task.progress {
            print(progress.received, progress.total ?? 0)
        }
        let response = try await task.response
        // END
        print(response.byteCount)
    }

    static func prefetch(urls: [String]) async {
        // SAMPLE Sources/Tintype/Tintype.docc/GettingStarted.md 6
        let prefetcher = ImagePrefetcher()
        let summary = await prefetcher.prefetch(urls.map { ImageRequest(string: $0) })
        print(summary.loaded, summary.skipped, summary.failed)
        // END
    }

    static func configuration() throws -> ImagePipeline {
        // SAMPLE Sources/Tintype/Tintype.docc/ThePipeline.md 1
        let disk = try DiskCache(.init(namespace: "thumbnails", maximumByteCount: 4 << 30))
        var configuration = ImagePipeline.Configuration(diskCache: disk)
        configuration.memoryCache = ImageMemoryCache(.init(costLimit: 256 << 20))
        configuration.httpCaching = .respectHeaders
        configuration.requestDefaults.timeouts.total = .seconds(30)
        let pipeline = ImagePipeline(configuration)
        // END
        return pipeline
    }

    static func refreshing(pipeline: ImagePipeline) async throws {
        // SAMPLE Sources/Tintype/Tintype.docc/ThePipeline.md 2
        var request: ImageRequest = "https://example.com/avatar.jpg"
        request.options = .refreshCached
        for try await response in pipeline.imageTask(with: request).responses {
            print(response.source, response.isFinal)  // what is cached, and then what is new, if anything is
        }
        // END
    }

    static func previews(pipeline: ImagePipeline) async throws {
        // SAMPLE Sources/Tintype/Tintype.docc/ThePipeline.md 3
        var request: ImageRequest = "https://example.com/panorama.jpg"
        request.options = .progressive
        let task = pipeline.imageTask(with: request)
        for await preview in task.previews {
            print("sharper:", preview.bitmap.size)
        }
        let image = try await task.image
        // END
        print(image.info)
    }

    static func callbacks(pipeline: ImagePipeline, request: ImageRequest) {
        // SAMPLE Sources/Tintype/Tintype.docc/ThePipeline.md 4
        let task = pipeline.loadImage(with: request, deliverOn: .mainActor) { result in
            switch result {
            case .success(let response): print(response.image.bitmap.size)
            case .failure(let error): print(PipelineError.code(of: error))
            }
        }
        task.priority = .high
        task.cancel()  // completion still comes, with CancellationError
        // END
    }

    static func shutdown(pipeline: ImagePipeline) async {
        // SAMPLE Sources/Tintype/Tintype.docc/ThePipeline.md 5
        await pipeline.shutdown(grace: .seconds(5))
        // END
    }

    struct Post: Codable, Sendable {
        var title: String
    }

    static func responses() async throws {
        // SAMPLE Sources/TintypeResponses/TintypeResponses.docc/TintypeResponses.md 1
        let cache = try ResponseCache(ResponseCache.Configuration(version: "2.1"))
        var posts = ResponseRequest("https://api.example.com/posts", parameters: ["page": 1])
        posts.partition = "user-7"
        posts.headers = ["Authorization": "Bearer …"]

        for try await response in cache.responses(for: posts, policy: .cacheThenNetwork) {
            let list = try response.decoded(as: [Post].self)
            print(response.source, list.count)  // the stored response at once, then the new one if it differs
        }
        // END
    }

    static func savedResponses(cache: ResponseCache) async throws {
        // SAMPLE Sources/TintypeResponses/TintypeResponses.docc/TintypeResponses.md 2
        try await cache.save([Post(title: "Hello")], for: "https://api.example.com/drafts")
        let drafts = try await cache.value([Post].self, for: "https://api.example.com/drafts")
        let title = try await cache.json(for: "https://api.example.com/drafts")?[0]?["title"]?.stringValue
        // END
        print(drafts?.count ?? 0, title ?? "")
    }

    static func removedResponses(cache: ResponseCache) async throws {
        // SAMPLE Sources/TintypeResponses/TintypeResponses.docc/TintypeResponses.md 3
        print(cache.formattedSize)  // 812.5kb
        _ = try await cache.removePartition("user-7")  // after the user has signed out
        _ = try await cache.removeOtherVersions()  // after an update of the app
        // END
    }
}
