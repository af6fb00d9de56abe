import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import Tintype

private enum Caller {
    @TaskLocal static var name = ""
}

/// Adds a header field, and remembers what it saw.
private struct TokenInterceptor: ImageInterceptor {
    let seen = Locked<[(name: String, isDataOnly: Bool)]>([])

    func intercept(_ chain: InterceptorChain) async throws -> ImageResponse {
        seen.withLock { $0.append((Caller.name, chain.isDataOnly)) }
        var request = chain.request
        request.headers["X-Token"] = "secret"
        return try await chain.proceed(request)
    }
}

@Suite struct PipelineContractTests {
    @Test("bytes and prefetches to disk pass the interceptors")
    func dataPassesInterceptors() async throws {
        let interceptor = TokenInterceptor()
        let rig = try Rig { $0.interceptors = [interceptor] }
        let png = try Image.png(1, 2, 3)
        rig.origin.onEverythingElse { _ in .ok(png) }
        #expect(try await rig.pipeline.data(for: rig.request("/a")).data == png)
        var configuration = ImagePrefetcher.Configuration()
        configuration.destination = .disk
        let prefetcher = ImagePrefetcher(pipeline: rig.pipeline, configuration: configuration)
        #expect(await prefetcher.prefetch([rig.request("/b")]).loaded == 1)
        #expect(rig.origin.log.map { $0.header("X-Token") } == ["secret", "secret"])
        #expect(interceptor.seen.withLock { $0.map(\.isDataOnly) } == [true, true])
    }

    @Test("an interceptor that returns an image of its own gives bytes of it")
    func interceptorWithoutBytes() async throws {
        struct Own: ImageInterceptor {
            func intercept(_ chain: InterceptorChain) async throws -> ImageResponse {
                var response = try await chain.proceed(chain.request)
                response.image = DecodedImage(
                    bitmap: try Image.bitmap(9, 8, 7),
                    info: ImageInfo(format: .png, storedSize: PixelSize(width: 8, height: 6), hasAlpha: false))
                response.data = nil
                return response
            }
        }
        let rig = try Rig { $0.interceptors = [Own()] }
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)))
        let data = try await rig.pipeline.data(for: rig.request("/a")).data
        #expect(Image.color(of: try ImageCodecs.standard.decode(data)) == [9, 8, 7, 255])
    }

    @Test("bytes with refreshCached: the server confirms or replaces them, and the cached ones stand in for a failure")
    func dataRefreshes() async throws {
        let rig = try Rig()
        let (old, new) = (try Image.png(1, 2, 3), try Image.png(4, 5, 6))
        rig.origin.on(
            "/a", .ok(old, headers: [("ETag", "\"1\"")]), .status(304), .ok(new), .status(503))
        var request = rig.request("/a")
        #expect(try await rig.pipeline.data(for: request).data == old)
        await rig.pipeline.flush()
        request.options = .refreshCached
        let confirmed = try await rig.pipeline.data(for: request)
        #expect(confirmed.data == old && confirmed.details.isRevalidated)
        #expect(try await rig.pipeline.data(for: request).data == new)
        await rig.pipeline.flush()
        let stale = try await rig.pipeline.data(for: request)
        #expect(stale.data == new && stale.details.isStale)
        #expect(rig.origin.requestCount == 4)
    }

    @Test("bytes in low-data mode come from the small URL, unless the own ones are cached")
    func dataInLowDataMode() async throws {
        let rig = try Rig()
        let (large, small) = (try Image.png(1, 2, 3), try Image.png(4, 5, 6))
        rig.origin.on("/large", .ok(large))
        rig.origin.on("/small", .ok(small))
        var request = rig.request("/large")
        request.lowDataURL = rig.url("/small")
        rig.pipeline.isLowDataMode = true
        #expect(try await rig.pipeline.data(for: request).data == small)
        rig.pipeline.isLowDataMode = false
        #expect(try await rig.pipeline.data(for: request).data == large)
        await rig.pipeline.flush()
        rig.pipeline.isLowDataMode = true
        #expect(try await rig.pipeline.data(for: request).data == large)
    }

    @Test("includesData: image and bytes come from one load, from network and disk, past an image in memory")
    func includesData() async throws {
        let rig = try Rig { $0.httpCaching = .respectHeaders }
        let png = try Image.png(1, 2, 3)
        rig.origin.onEverythingElse { _ in .ok(png, headers: [("Cache-Control", "no-store")]) }
        var request = rig.request("/a")
        request.options = .includesData
        request.processors = [SwapProcessor()]
        let response = try await rig.pipeline.response(for: request)
        #expect(response.data == png)
        #expect(Image.color(of: response.image) == [3, 2, 1, 255])
        #expect(rig.origin.requestCount == 1)
        let cached = try Rig()
        cached.origin.on("/a", .ok(png))
        _ = try await cached.pipeline.image(for: cached.request("/a"))
        var again = cached.request("/a")
        again.options = .includesData
        let second = try await cached.pipeline.response(for: again)
        #expect(second.data == png && second.source == .disk)
        #expect(cached.origin.requestCount == 1)
    }

    @Test("task-local values reach interceptors and loaders, those of a prefetch too")
    func taskLocals() async throws {
        struct Loader: ImageLoader {
            let names = Locked<[String]>([])
            let data: Data
            var identifier: String { "names" }
            func load(_ request: DownloadRequest, context: LoadContext) async throws -> (Data, DownloadResponse) {
                names.withLock { $0.append(Caller.name) }
                return (data, DownloadResponse(status: 200, headers: [:], finalURL: request.url))
            }
        }
        let (interceptor, loader) = (TokenInterceptor(), Loader(data: try Image.png(1, 2, 3)))
        for isIntercepted in [true, false] {
            let rig = try Rig {
                $0.loader = loader
                if isIntercepted { $0.interceptors = [interceptor] }
            }
            try await Caller.$name.withValue("caller") {
                _ = try await rig.pipeline.image(for: rig.request("/a"))
                _ = try await rig.pipeline.data(for: rig.request("/b"))
                let requests = (0..<4).map { rig.request("/prefetched\($0)") }
                let summary = await ImagePrefetcher(pipeline: rig.pipeline).prefetch(requests)
                #expect(summary.loaded == 4)
            }
        }
        #expect(interceptor.seen.withLock { $0.map(\.name) } == Array(repeating: "caller", count: 6))
        #expect(loader.names.withLock { $0 } == Array(repeating: "caller", count: 12))
    }

    @Test("a clean-up that the disk cache starts by itself is reported as an event")
    func cleaning() async throws {
        let rig = try Rig()
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)))
        _ = try await rig.pipeline.image(for: rig.request("/a"))
        await rig.pipeline.flush()
        rig.pipeline.cache.disk?.maximumByteCount = 1
        #expect(
            await eventually {
                rig.events.contains { if case .cleaned(let result) = $0.kind { result.evicted == 1 } else { false } }
            })
    }

    @Test("every event of a load carries its task and the userInfo of its request")
    func events() async throws {
        let rig = try Rig { $0.dataCachePolicy = .both }
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)))
        var request = rig.request("/a")
        request.processors = [SwapProcessor()]
        request.userInfo = ["row": 7]
        let task = rig.pipeline.imageTask(with: request)
        _ = try await task.image
        await rig.pipeline.waitUntilIdle()
        #expect(rig.events.count >= 7)
        for event in rig.events {
            #expect(event.taskID == task.id, "\(event.kind)")
            #expect(event.userInfo["row"] as? Int == 7, "\(event.kind)")
        }
    }

    @Test("memory pressure holds back prefetches and queued downloads of low priority until it is over")
    func pressure() async throws {
        let rig = try Rig {
            $0.reactsToMemoryPressure = true
            $0.memoryPressureQuietTime = .milliseconds(300)
        }
        let png = try Image.png(1, 2, 3)
        rig.origin.onEverythingElse { _ in .ok(png) }
        _ = try await rig.pipeline.image(for: rig.request("/0"))
        rig.pipeline.pressureMonitor?.report(.full)
        #expect(rig.pipeline.cachedImage(for: rig.request("/0")) == nil)
        #expect(rig.pipeline.pressure.isActive)
        let prefetcher = ImagePrefetcher(pipeline: rig.pipeline)
        async let prefetched = prefetcher.prefetch([rig.request("/prefetch")])
        var low = rig.request("/low")
        low.priority = .low
        let task = rig.pipeline.imageTask(with: low)
        _ = try await rig.pipeline.image(for: rig.request("/normal"))
        if rig.pipeline.pressure.isActive {
            #expect(rig.origin.log.map(\.path) == ["/0", "/normal"])
        }
        _ = try await task.image
        #expect(await prefetched.loaded == 1)
        #expect(!rig.pipeline.pressure.isActive)
    }

    @Test("the cost in memory follows the decoded frames of an animation")
    func animationCost() async throws {
        let rig = try Rig()
        rig.origin.on("/a", .ok(Image.gif))
        let image = try await rig.pipeline.image(for: rig.request("/a"))
        let memory = try #require(rig.pipeline.cache.memory)
        let animation = try #require(image.animation)
        let before = memory.totalCost
        let viewer = animation.addViewer([0, 1, 2])
        #expect(await eventually { memory.totalCost > before })
        animation.removeViewer(viewer)
        #expect(await eventually { memory.totalCost == before })
    }

    @Test("failedRecently carries the first failure; the failure memory follows the configuration's clock")
    func firstFailure() async throws {
        let now = Locked(Date())
        let rig = try Rig { $0.now = { now.withLock { $0 } } }
        rig.origin.on("/a", .status(404))
        for _ in 0..<2 {
            await #expect { try await rig.pipeline.image(for: rig.request("/a")) } throws: { error in
                (error as? PipelineError)?.status == 404
            }
        }
        await #expect { try await rig.pipeline.image(for: rig.request("/a")) } throws: { error in
            guard case PipelineError.failedRecently(_, let failure, _) = error else { return false }
            return PipelineError.code(of: failure) == "badStatus" && error.localizedDescription == "\(error)"
        }
        #expect(rig.origin.requestCount == 1)
        now.withLock { $0 += 61 }
        _ = try? await rig.pipeline.image(for: rig.request("/a"))
        #expect(rig.origin.requestCount == 2)
    }

    @Test("codes tell what happened, and code(of:) agrees with the error's own code")
    func codes() {
        let errors: [(any Error, String)] = [
            (PipelineError.shutDown, "shutDown"), (ImagingError.noSuchFrame(3, count: 1), "noSuchFrame"),
            (ImagingError.notEncodable(""), "notEncodable"),
            (NetworkingError.unacceptableContentType("text/html"), "unacceptableContentType"),
            (PipelineError.imaging(.noSuchFrame(3, count: 1)), "noSuchFrame"),
            (PipelineError.sourceFailed("", CachingError.diskFull(path: "/")), "diskFull"),
            (CancellationError(), "cancelled"),
        ]
        for (error, code) in errors { #expect(PipelineError.code(of: error) == code) }
    }

    @Test("partial images enter no cache")
    func partialImages() async throws {
        let rig = try Rig()
        let bitmap = try Image.bitmap(1, 2, 3)
        let partial = DecodedImage(
            bitmap: bitmap, info: ImageInfo(format: .png, storedSize: bitmap.size, hasAlpha: false), isPartial: true)
        let request = rig.request("/a")
        rig.pipeline.cache.storeInMemory(partial, for: request)
        await #expect(throws: ImagingError.self) { try await rig.pipeline.cache.store(partial, for: request) }
        #expect(await !rig.pipeline.cache.contains(request))
    }

    @Test(
        "animations are stored as their original, and say which processor was not run",
        arguments: DataCachePolicy.allCases)
    func animations(policy: DataCachePolicy) async throws {
        let rig = try Rig { $0.dataCachePolicy = policy }
        rig.origin.on("/a", .ok(Image.gif))
        var request = rig.request("/a")
        request.processors = [SwapProcessor()]
        let image = try await rig.pipeline.image(for: request)
        #expect(image.warnings.contains { $0.contains("swap") })
        await rig.pipeline.flush()
        rig.pipeline.cache.memory?.removeAll()
        let again = try await rig.pipeline.response(for: request)
        #expect(again.source == .disk)
        #expect(again.image.animation?.frameCount == 3)
        #expect(rig.origin.requestCount == 1)
    }
}
