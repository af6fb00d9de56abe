import Tintype
import TintypeResponses

/// The code samples of the documentation, so that they compile. The text between `SAMPLE` and `END` is equal to the sample
/// except for the indentation.
enum Samples {
    static func loadImage() async throws {
        // SAMPLE README.md 1
        var request: ImageRequest = "https://example.com/cat.jpg"
        request.target = ResizeTarget(width: 256, height: 256, fit: .cover)
        request.processors = [.roundedCorners(radius: 24)]

        let response = try await ImagePipeline.shared.response(for: request)
        print(response.source, response.image.bitmap.size)  // network 256x256, later memory or disk

        let png = try ImageCodecs.standard.encode(response.image.bitmap, as: .png)
        // END
        print(png.count)
    }

    static func cacheResponse() async throws {
        // SAMPLE README.md 2
        let cache = try ResponseCache(ResponseCache.Configuration(version: "2.1"))
        let posts = ResponseRequest("https://api.example.com/posts", parameters: ["page": 1])

        try await cache.save(json: ["title": "Hello", "tags": ["a", "b"]], for: posts)
        let title = try await cache.json(for: posts)?["title"]?.stringValue

        for try await response in cache.responses(for: posts, policy: .cacheThenNetwork) {
            print(response.source, try response.json())  // the stored response at once, then the new one if it differs
        }
        // END
        print(title ?? "")
    }

    static func responseCache() async throws {
        // SAMPLE Sources/TintypeResponses/ResponseCache.swift 1
        let cache = try ResponseCache(ResponseCache.Configuration(version: "2.1"))
        try await cache.save(json: ["name": "Ada"], for: "https://api.example.com/me")
        let name = try await cache.json(for: "https://api.example.com/me")?["name"]
        // END
        print(name ?? nil)
    }

    static func responseRequest() {
        // SAMPLE Sources/TintypeResponses/ResponseRequest.swift 1
        let page: ResponseRequest = "https://api.example.com/posts"
        let second = ResponseRequest("https://api.example.com/posts", parameters: ["page": 2, "tags": ["a", "b"]])
        // END
        print(page, second)
    }

    static func pipeline() async throws {
        // SAMPLE Sources/Tintype/Pipeline/ImagePipeline.swift 1
        let image = try await ImagePipeline.shared.image(for: "https://example.com/cat.jpg")
        // END
        print(image.info)
    }

    static func request(pipeline: ImagePipeline) async throws {
        // SAMPLE Sources/Tintype/Request/ImageRequest.swift 1
        var request: ImageRequest = "https://example.com/cat.jpg"
        request.target = ResizeTarget(width: 128, height: 128, fit: .cover)
        let image = try await pipeline.image(for: request)
        // END
        print(image.info)
    }
}
