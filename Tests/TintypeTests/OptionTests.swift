import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import Tintype

@Suite struct OptionTests {
    private func request(_ rig: Rig, _ options: ImageOptions) -> ImageRequest {
        var request = rig.request("/a")
        request.options = options
        return request
    }

    private func prepared(_ change: (inout ImagePipeline.Configuration) throws -> Void = { _ in }) throws -> Rig {
        let rig = try Rig(change)
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)))
        return rig
    }

    @Test("cacheMemoryOnly writes nothing to disk, but reads it")
    func cacheMemoryOnly() async throws {
        let rig = try prepared()
        _ = try await rig.pipeline.image(for: request(rig, .cacheMemoryOnly))
        await rig.pipeline.waitUntilIdle()
        #expect(rig.pipeline.cache.disk?.count == 0)
        #expect(rig.pipeline.cachedImage(for: rig.request("/a")) != nil)
        rig.pipeline.cache.memory?.removeAll()
        _ = try await rig.pipeline.image(for: rig.request("/a"))
        rig.pipeline.cache.memory?.removeAll()
        #expect(try await rig.pipeline.response(for: request(rig, .cacheMemoryOnly)).source == .disk)
    }

    @Test("fromCacheOnly never sends a request; fromLoaderOnly always does, and stores")
    func cacheOrLoaderOnly() async throws {
        let rig = try prepared()
        #expect(await code { _ = try await rig.pipeline.image(for: request(rig, .fromCacheOnly)) } == "notInCache")
        #expect(rig.origin.requestCount == 0)
        #expect(try await rig.pipeline.response(for: request(rig, .fromLoaderOnly)).source == .network)
        #expect(try await rig.pipeline.response(for: request(rig, .fromLoaderOnly)).source == .network)
        #expect(rig.origin.requestCount == 2)
        #expect(rig.origin.log.allSatisfy { $0.header("If-None-Match") == nil })
        #expect(try await rig.pipeline.response(for: request(rig, .fromCacheOnly)).source == .memory)
        rig.pipeline.cache.memory?.removeAll()
        #expect(try await rig.pipeline.response(for: request(rig, .fromCacheOnly)).source == .disk)
    }

    @Test("fromCacheOnly does not wait for a transfer that is under way")
    func cacheOnlyBesideATransfer() async throws {
        let rig = try Rig()
        let gate = OriginGate()
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)).gated(gate))
        let task = rig.pipeline.imageTask(with: rig.request("/a"))
        #expect(await rig.origin.wait { $0.requestCount == 1 })
        #expect(await code { _ = try await rig.pipeline.image(for: request(rig, .fromCacheOnly)) } == "notInCache")
        gate.open()
        _ = try await task.image
    }

    @Test("the four switches of the tiers are independent")
    func tierSwitches() async throws {
        let rig = try prepared()
        _ = try await rig.pipeline.image(for: request(rig, .skipMemoryWrites))
        #expect(rig.pipeline.cachedImage(for: rig.request("/a")) == nil)
        #expect(try await rig.pipeline.response(for: request(rig, [.skipMemoryWrites])).source == .disk)
        #expect(
            try await rig.pipeline.response(for: request(rig, [.skipDiskReads, .skipMemoryWrites])).source == .network)
        _ = try await rig.pipeline.image(for: rig.request("/a"))
        #expect(try await rig.pipeline.response(for: request(rig, .skipMemoryReads)).source == .disk)
        #expect(try await rig.pipeline.response(for: request(rig, [.skipMemory, .skipDiskReads])).source == .network)
        await rig.pipeline.waitUntilIdle()
        try await rig.pipeline.cache.removeAll()
        _ = try await rig.pipeline.image(for: request(rig, .skipDiskWrites))
        await rig.pipeline.waitUntilIdle()
        #expect(rig.pipeline.cache.disk?.count == 0)
    }

    @Test("a request's own expiry: none stored at zero, gone after its time, kept by never")
    func expiry() async throws {
        let clock = TestClock()
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        let rig = try prepared { configuration in
            configuration.now = { clock.now }
            configuration.diskCache = try DiskCache(DiskCache.Configuration(root: folder, now: { clock.now }))
        }
        var request = rig.request("/a")
        request.expiry = .after(.zero)
        _ = try await rig.pipeline.image(for: request)
        await rig.pipeline.waitUntilIdle()
        #expect(rig.pipeline.cachedImage(for: request) == nil)
        #expect(rig.pipeline.cache.disk?.count == 0)
        request.expiry = .after(.seconds(100))
        _ = try await rig.pipeline.image(for: request)
        await rig.pipeline.waitUntilIdle()
        rig.pipeline.cache.memory?.removeAll()
        clock.advance(99)
        request.options = .skipMemoryWrites
        #expect(try await rig.pipeline.response(for: request).source == .disk)
        clock.advance(1)
        request.expiry = .never
        #expect(try await rig.pipeline.response(for: request).source == .network)
        await rig.pipeline.waitUntilIdle()
        clock.advance(1e9)
        #expect(try await rig.pipeline.response(for: request).source == .disk)
    }

    @Test("a caller's own key: two URLs, one image; the key filter is applied everywhere")
    func keysOfTheCaller() async throws {
        let rig = try prepared { configuration in
            configuration.keyFilter = { String($0.prefix { $0 != "?" }) }
        }
        _ = try await rig.pipeline.image(for: rig.request("/a?token=1"))
        #expect(rig.pipeline.cachedImage(for: rig.request("/a?token=2")) != nil)
        #expect(await rig.pipeline.cache.contains(rig.request("/a?token=3")))
        let summary = await ImagePrefetcher(pipeline: rig.pipeline).prefetch([rig.request("/a?token=4")])
        #expect(summary.skipped == 1)
        await rig.pipeline.cache.remove(rig.request("/a?token=5"))
        #expect(await !rig.pipeline.cache.contains(rig.request("/a?token=1")))
        #expect(rig.origin.requestCount == 1)
        let gate = OriginGate()
        rig.origin.on("/b", .ok(try Image.png(1, 2, 3)).gated(gate))
        let tasks = (0..<3).map { rig.pipeline.imageTask(with: rig.request("/b?token=\($0)")) }
        #expect(await rig.origin.wait { $0.count(of: "/b") == 1 })
        gate.open()
        for task in tasks { _ = try await task.image }
        #expect(rig.origin.count(of: "/b") == 1)
        var own = rig.request("/a?x=1")
        own.cacheKey = "own?key"
        _ = try await rig.pipeline.image(for: own)
        #expect(rig.pipeline.cache.dataKey(for: own) == "own?key")
    }

    @Test("priority: low and high options; shared work runs at the highest, and falls back when that one leaves")
    func priorities() async throws {
        let rig = try Rig()
        let gate = OriginGate()
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)).gated(gate))
        #expect(request(rig, .lowPriority).priority == .low)
        #expect(request(rig, .highPriority).priority == .high)
        var own = request(rig, .highPriority)
        own.priority = .veryLow
        #expect(own.priority == .veryLow)
        let counter = Locked<[ImagePriority]>([])
        struct Watcher: ImageLoader {
            let identifier = "watcher"
            let seen: Locked<[ImagePriority]>
            func load(_ request: DownloadRequest, context: LoadContext) async throws -> (Data, DownloadResponse) {
                let id = context.observe { priority, _, _ in seen.withLock { $0.append(priority) } }
                defer { context.stopObserving(id) }
                // If it never comes, the expectations below say so; nothing may hang.
                _ = try await eventually(seconds: 120) {
                    try Task.checkCancellation()
                    return seen.withLock { $0.last == .veryHigh && $0.count >= 6 }
                }
                return (try Image.png(1, 2, 3), DownloadResponse(status: 200, headers: [:], finalURL: request.url))
            }
        }
        func load(_ options: ImageOptions) -> ImageTask {
            var request = request(rig, options)
            request.loader = Watcher(seen: counter)
            return rig.pipeline.imageTask(with: request)
        }
        let low = load(.lowPriority)
        #expect(await eventually { counter.withLock { $0 } == [.low] })
        let high = load(.highPriority)
        #expect(await eventually { counter.withLock { $0 } == [.low, .high] })
        high.cancel()
        #expect(await eventually { counter.withLock { $0 } == [.low, .high, .low] })
        let normal = load([])
        #expect(await eventually { counter.withLock { $0 } == [.low, .high, .low, .normal] })
        low.priority = .veryLow
        low.priority = .veryHigh
        #expect(await eventually { counter.withLock { $0.last } == .veryHigh })
        low.priority = .normal
        low.priority = .veryHigh
        _ = try await normal.image
        _ = try await low.image
        gate.open()
    }

    @Test("a loader forbids a download; an added processor is a part of the key; hooks sign requests and decrypt bytes")
    func hooks() async throws {
        struct Gatekeeper: ImageLoader {
            let base = ImageDownloader()
            let seen = Locked<[String]>([])
            var identifier: String { "gatekeeper" }
            func load(_ request: DownloadRequest, context: LoadContext) async throws -> (Data, DownloadResponse) {
                seen.withLock { $0.append(request.url) }
                guard !request.url.hasSuffix("/forbidden") else { throw PipelineError.blocked("forbidden") }
                return try await base.load(request, context: context)
            }
        }
        let loader = Gatekeeper()
        let rig = try Rig {
            $0.loader = loader
            $0.addedProcessor = { $0.userInfo["swap"] == nil ? nil : SwapProcessor() }
            $0.requestDefaults.hooks.requestModifier = { request in
                var request = request
                request.headers["X-Token"] = "secret"
                return request
            }
            $0.requestDefaults.hooks.dataTransformer = { data, _ in Data(data.map { $0 ^ 0xFF }) }
        }
        rig.origin.on("/a", .ok(Data(try Image.png(1, 2, 3).map { $0 ^ 0xFF })))
        #expect(await code { _ = try await rig.pipeline.image(for: rig.request("/forbidden")) } == "blocked")
        #expect(rig.origin.requestCount == 0)
        var swapped = rig.request("/a")
        swapped.userInfo["swap"] = true
        #expect(Image.color(of: try await rig.pipeline.image(for: swapped)) == [3, 2, 1, 255])
        #expect(Image.color(of: try await rig.pipeline.image(for: rig.request("/a"))) == [1, 2, 3, 255])
        #expect(rig.pipeline.cachedImage(for: swapped).map(Image.color) == [3, 2, 1, 255])
        #expect(rig.origin.log.last?.header("X-Token") == "secret")
        #expect(loader.seen.withLock { $0 } == [rig.url("/forbidden"), rig.url("/a")])
    }

    @Test("interceptors see memory hits, may change the request and return a response of their own")
    func interceptors() async throws {
        struct Rewriter: ImageInterceptor {
            let count: Locked<Int>
            func intercept(_ chain: InterceptorChain) async throws -> ImageResponse {
                count.withLock { $0 += 1 }
                guard chain.request.source.name.hasSuffix("/other") else {
                    return try await chain.proceed(chain.request)
                }
                var request = chain.request
                request.source = .url(String(chain.request.source.name.dropLast(5) + "a"))
                var response = try await chain.proceed(request)
                response.scale = 7
                return response
            }
        }
        let count = Locked(0)
        let rig = try prepared { $0.interceptors = [Rewriter(count: count), Rewriter(count: count)] }
        let response = try await rig.pipeline.response(for: rig.request("/other"))
        #expect(response.scale == 7)
        #expect(rig.origin.log.map(\.path) == ["/a"])
        #expect(try await rig.pipeline.response(for: rig.request("/a")).source == .memory)
        #expect(count.withLock { $0 } == 4)
    }

    @Test("Accept offers what the codecs decode; cookies only with handleCookies")
    func headers() async throws {
        let rig = try prepared()
        rig.origin.on("/cookie", .ok(try Image.png(1, 2, 3), headers: [("Set-Cookie", "a=1")]))
        _ = try await rig.pipeline.image(for: rig.request("/cookie"))
        _ = try await rig.pipeline.image(for: request(rig, .fromLoaderOnly))
        #expect(rig.origin.log.last?.header("Cookie") == nil)
        let accept = try #require(rig.origin.log.last?.header("Accept"))
        for decoder in ImageCodecs.standard.decoders { #expect(accept.contains(decoder.format.mimeType)) }
        var cookie = rig.request("/cookie")
        cookie.options = [.handleCookies, .fromLoaderOnly]
        _ = try await rig.pipeline.image(for: cookie)
        _ = try await rig.pipeline.image(for: request(rig, [.handleCookies, .fromLoaderOnly]))
        #expect(rig.origin.log.last?.header("Cookie") == "a=1")
    }

    @Test("requests with different headers never share a transfer")
    func differentHeaders() async throws {
        let rig = try Rig()
        let gate = OriginGate()
        let red = try Image.png(255, 0, 0)
        let blue = try Image.png(0, 0, 255)
        rig.origin.on("/me") { request in
            OriginResponse.ok(request.header("Authorization") == "ann" ? red : blue).gated(gate)
        }
        func task(_ user: String) -> ImageTask {
            var request = rig.request("/me")
            request.headers["Authorization"] = user
            request.options = [.skipMemory, .skipDisk]
            return rig.pipeline.imageTask(with: request)
        }
        let (ann, bob) = (task("ann"), task("bob"))
        #expect(await rig.origin.wait { $0.requestCount == 2 })
        gate.open()
        #expect(Image.color(of: try await ann.image) == [255, 0, 0, 255])
        #expect(Image.color(of: try await bob.image) == [0, 0, 255, 255])
    }
}
