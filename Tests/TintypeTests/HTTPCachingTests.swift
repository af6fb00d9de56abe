import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import Tintype

/// A clock that a test moves.
final class TestClock: Sendable {
    private let time = Locked(Date(timeIntervalSince1970: 1_800_000_000))
    var now: Date { time.withLock { $0 } }
    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
}

@Suite struct HTTPCachingTests {
    /// A pipeline that goes by a clock of the test's, and respects headers unless told otherwise.
    private func rig(_ clock: TestClock, _ caching: HTTPCaching = .respectHeaders) throws -> Rig {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        return try Rig { configuration in
            configuration.httpCaching = caching
            configuration.now = { clock.now }
            configuration.diskCache = try DiskCache(DiskCache.Configuration(root: folder, now: { clock.now }))
        }
    }

    private let red = Result { try Image.png(255, 0, 0) }
    private let blue = Result { try Image.png(0, 0, 255) }

    /// Loads, with or without what memory holds.
    private func load(_ rig: Rig, _ path: String = "/a", memory: Bool = true) async throws -> ImageResponse {
        if !memory { rig.pipeline.cache.memory?.removeAll() }
        return try await rig.pipeline.response(for: rig.request(path))
    }

    @Test("max-age: fresh without a request, then revalidated by 304, then fresh again", arguments: [true, false])
    func revalidation(memory: Bool) async throws {
        let clock = TestClock()
        let rig = try rig(clock)
        let headers = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]
        rig.origin.on("/a", .ok(try red.get(), headers: headers), .status(304, headers: headers))
        _ = try await load(rig)
        clock.advance(59)
        #expect(try await load(rig, memory: memory).source == (memory ? .memory : .disk))
        #expect(rig.origin.requestCount == 1)
        clock.advance(2)
        let revalidated = try await load(rig, memory: memory)
        #expect(revalidated.isRevalidated)
        #expect(revalidated.status == 304)
        #expect(Image.color(of: revalidated.image) == [255, 0, 0, 255])
        #expect(rig.origin.log.last?.header("If-None-Match") == "\"1\"")
        clock.advance(59)
        _ = try await load(rig, memory: memory)
        #expect(rig.origin.requestCount == 2)
        await rig.pipeline.waitUntilIdle()
        clock.advance(2)
        _ = try await load(rig, memory: memory)
        #expect(rig.origin.requestCount == 3)
    }

    @Test("A redirect is as fresh as its shortest hop", arguments: ["no-store", "no-cache", "max-age=10", nil])
    func redirects(_ control: String?) async throws {
        let clock = TestClock()
        let rig = try rig(clock)
        let headers = [("Cache-Control", "max-age=600"), ("ETag", "\"1\"")]
        rig.origin.on("/old", .ok(try red.get(), headers: headers))
        rig.origin.on("/new", .ok(try blue.get(), headers: headers))
        let field = control.map { [("Cache-Control", $0)] } ?? []
        rig.origin.on("/a", .redirect(to: "/old", headers: field))
        #expect(Image.color(of: try await load(rig).image) == [255, 0, 0, 255])
        rig.origin.on("/a", .redirect(to: "/new", headers: field))
        clock.advance(11)
        for memory in [true, false] {
            let response = try await load(rig, memory: memory)
            #expect(Image.color(of: response.image) == [0, 0, 255, 255])
            #expect(rig.origin.log.allSatisfy { $0.target == "/new" || $0.header("If-None-Match") == nil })
            await rig.pipeline.waitUntilIdle()
        }
    }

    @Test("Variants of one URL stay side by side on disk")
    func variants() async throws {
        let clock = TestClock()
        let rig = try rig(clock)
        let headers = [("Cache-Control", "max-age=600"), ("Vary", "X-Variant")]
        rig.origin.on("/a", .ok(try red.get(), headers: headers))
        for round in 0..<3 {
            for variant in 0..<8 {
                rig.pipeline.cache.memory?.removeAll()
                var request = rig.request("/a")
                request.network.headers["X-Variant"] = "\(variant)"
                _ = try await rig.pipeline.response(for: request)
                await rig.pipeline.waitUntilIdle()
            }
            #expect(rig.origin.requestCount == 8, "round \(round)")
        }
    }

    @Test("a stale image that has changed is replaced everywhere", arguments: [true, false])
    func replacement(memory: Bool) async throws {
        let clock = TestClock()
        let rig = try rig(clock)
        rig.origin.on(
            "/a", .ok(try red.get(), headers: [("Cache-Control", "max-age=10"), ("ETag", "\"1\"")]),
            .ok(try blue.get(), headers: [("Cache-Control", "max-age=10"), ("ETag", "\"2\"")]))
        _ = try await load(rig)
        clock.advance(11)
        #expect(Image.color(of: try await load(rig, memory: memory).image) == [0, 0, 255, 255])
        #expect(Image.color(of: try await load(rig, memory: false).image) == [0, 0, 255, 255])
        #expect(rig.origin.requestCount == 2)
    }

    @Test("no-store is kept nowhere; ignoreHeaders keeps it")
    func noStore() async throws {
        let clock = TestClock()
        let rig = try rig(clock)
        rig.origin.on("/a", .ok(try red.get(), headers: [("Cache-Control", "no-store, max-age=60")]))
        _ = try await load(rig)
        _ = try await load(rig)
        #expect(rig.origin.requestCount == 2)
        #expect(rig.pipeline.cache.disk?.count == 0)
        let careless = try self.rig(clock, .ignoreHeaders)
        careless.origin.on("/a", .ok(try red.get(), headers: [("Cache-Control", "no-store")]))
        _ = try await load(careless)
        clock.advance(86400)
        _ = try await load(careless, memory: false)
        #expect(careless.origin.requestCount == 1)
    }

    @Test("Age and Expires count; no-cache asks every time", arguments: [true, false])
    func ageAndExpires(memory: Bool) async throws {
        let clock = TestClock()
        let rig = try rig(clock)
        let date = HTTPDate.format(Int(clock.now.timeIntervalSince1970))
        let end = HTTPDate.format(Int(clock.now.timeIntervalSince1970) + 100)
        rig.origin.on(
            "/aged", .ok(try red.get(), headers: [("Cache-Control", "max-age=60"), ("Age", "50"), ("ETag", "\"1\"")]))
        rig.origin.on("/expires", .ok(try red.get(), headers: [("Date", date), ("Expires", end), ("ETag", "\"1\"")]))
        rig.origin.on("/ask", .ok(try red.get(), headers: [("Cache-Control", "no-cache"), ("ETag", "\"1\"")]))
        for path in ["/aged", "/expires", "/ask"] { _ = try await load(rig, path) }
        clock.advance(9)
        for path in ["/aged", "/expires", "/ask"] { _ = try await load(rig, path, memory: memory) }
        #expect(rig.origin.count(of: "/aged") == 1)
        #expect(rig.origin.count(of: "/expires") == 1)
        #expect(rig.origin.count(of: "/ask") == 2)
        clock.advance(2)
        _ = try await load(rig, "/aged", memory: memory)
        #expect(rig.origin.count(of: "/aged") == 2)
        clock.advance(88)
        _ = try await load(rig, "/expires", memory: memory)
        #expect(rig.origin.count(of: "/expires") == 1)
        clock.advance(2)
        _ = try await load(rig, "/expires", memory: memory)
        #expect(rig.origin.count(of: "/expires") == 2)
    }

    @Test("stale-while-revalidate: the old image at once, the new one next time", arguments: [true, false])
    func staleWhileRevalidate(memory: Bool) async throws {
        let clock = TestClock()
        let rig = try rig(clock)
        let headers = [("Cache-Control", "max-age=10, stale-while-revalidate=100"), ("ETag", "\"1\"")]
        rig.origin.on(
            "/a", .ok(try red.get(), headers: headers),
            .ok(try blue.get(), headers: [("Cache-Control", "max-age=1000"), ("ETag", "\"2\"")]))
        _ = try await load(rig)
        await rig.pipeline.waitUntilIdle()
        clock.advance(50)
        let stale = try await load(rig, memory: memory)
        #expect(stale.isStale)
        #expect(Image.color(of: stale.image) == [255, 0, 0, 255])
        #expect(await rig.origin.wait { $0.requestCount == 2 })
        await rig.pipeline.waitUntilIdle()
        let fresh = try await load(rig, memory: memory)
        #expect(!fresh.isStale)
        #expect(Image.color(of: fresh.image) == [0, 0, 255, 255])
        #expect(rig.origin.requestCount == 2)
    }

    @Test(
        "stale-if-error: the old image for a 503, not for a 404, not with must-revalidate", arguments: [true, false])
    func staleIfError(memory: Bool) async throws {
        let clock = TestClock()
        let rig = try rig(clock)
        let lenient = [("Cache-Control", "max-age=10, stale-if-error=100"), ("ETag", "\"1\"")]
        let strict = [("Cache-Control", "max-age=10, stale-if-error=100, must-revalidate"), ("ETag", "\"1\"")]
        let silent = [("Cache-Control", "max-age=10"), ("ETag", "\"1\"")]
        rig.origin.on("/lenient", .ok(try red.get(), headers: lenient), .status(503))
        rig.origin.on("/strict", .ok(try red.get(), headers: strict), .status(503))
        rig.origin.on("/silent", .ok(try red.get(), headers: silent), .status(503))
        rig.origin.on("/gone", .ok(try red.get(), headers: lenient), .status(404))
        for path in ["/lenient", "/strict", "/silent", "/gone"] { _ = try await load(rig, path) }
        clock.advance(11)
        let stale = try await load(rig, "/lenient", memory: memory)
        #expect(stale.isStale)
        for path in ["/strict", "/silent", "/gone"] {
            await #expect(throws: PipelineError.self) { try await load(rig, path, memory: memory) }
        }
        clock.advance(100)
        await #expect(throws: PipelineError.self) { try await load(rig, "/lenient", memory: memory) }
    }

    @Test("Vary: a response for one language is not used for another", arguments: [true, false])
    func vary(memory: Bool) async throws {
        let clock = TestClock()
        let rig = try rig(clock)
        let (red, blue) = (try red.get(), try blue.get())
        rig.origin.on("/a") { request in
            let body = request.header("Accept-Language") == "de" ? red : blue
            return .ok(body, headers: [("Cache-Control", "max-age=60"), ("Vary", "Accept-Language")])
        }
        func color(_ language: String) async throws -> [UInt8] {
            if !memory { rig.pipeline.cache.memory?.removeAll() }
            var request = rig.request("/a")
            request.headers["Accept-Language"] = language
            return Image.color(of: try await rig.pipeline.image(for: request))
        }
        #expect(try await color("de") == [255, 0, 0, 255])
        #expect(try await color("de") == [255, 0, 0, 255])
        #expect(rig.origin.requestCount == 1)
        #expect(try await color("fr") == [0, 0, 255, 255])
        #expect(rig.origin.requestCount == 2)
    }

    @Test("an expired entry of a pipeline that ignores headers is revalidated, not fetched again")
    func expiredEntry() async throws {
        let clock = TestClock()
        let rig = try rig(clock, .ignoreHeaders)
        rig.origin.on(
            "/a", .ok(try red.get(), headers: [("ETag", "\"1\"")]), .status(304, headers: [("ETag", "\"1\"")]))
        _ = try await load(rig)
        await rig.pipeline.waitUntilIdle()
        clock.advance(7 * 86400)
        let response = try await load(rig, memory: false)
        #expect(response.isRevalidated)
        await rig.pipeline.waitUntilIdle()
        clock.advance(6 * 86400)
        #expect(try await load(rig, memory: false).source == .disk)
        #expect(rig.origin.requestCount == 2)
    }

    // MARK: S47

    private func responses(_ rig: Rig, _ path: String) async throws -> [ImageResponse] {
        var request = rig.request(path)
        request.options = .refreshCached
        var result: [ImageResponse] = []
        for try await response in rig.pipeline.imageTask(with: request).responses { result.append(response) }
        return result
    }

    @Test("S47: refreshCached gives one result when fresh, one for a 304, two when changed, one and an error for a 500")
    func refreshCached() async throws {
        let clock = TestClock()
        for caching in [HTTPCaching.ignoreHeaders, .respectHeaders] {
            let rig = try rig(clock, caching)
            let headers = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]
            let red = try red.get()
            rig.origin.on(
                "/a", .ok(red, headers: headers), .status(304, headers: headers), .ok(try blue.get(), headers: headers),
                .status(500), .ok(try blue.get(), headers: [("Cache-Control", "max-age=60"), ("ETag", "\"7\"")]))
            #expect(try await responses(rig, "/a").map(\.source) == [.network])
            let fresh = try await responses(rig, "/a")
            #expect(fresh.map(\.isFinal) == [true])
            #expect(rig.origin.requestCount == 1)

            clock.advance(61)
            let unchanged = try await responses(rig, "/a")
            #expect(unchanged.map(\.isFinal) == [false])
            #expect(rig.origin.requestCount == 2)
            #expect(try await responses(rig, "/a").count == 1)
            #expect(rig.origin.requestCount == 2)

            clock.advance(61)
            let changed = try await responses(rig, "/a")
            #expect(changed.map(\.isFinal) == [false, true])
            #expect(changed.map { Image.color(of: $0.image) } == [[255, 0, 0, 255], [0, 0, 255, 255]])
            #expect(changed.last?.source == .network)

            clock.advance(61)
            var request = rig.request("/a")
            request.options = .refreshCached
            let task = rig.pipeline.imageTask(with: request)
            let final = try await task.response
            #expect(Image.color(of: final.image) == [0, 0, 255, 255])
            #expect(final.isStale)
            #expect(PipelineError.code(of: try #require(final.refreshError)) == "badStatus")

            // The same bytes under another tag are the same image.
            #expect(try await responses(rig, "/a").count == 1)
            #expect(rig.origin.requestCount == 5)
        }
    }

    @Test("S47: the callbacks of refreshCached: the cached image once, the completion once")
    func refreshCallbacks() async throws {
        let rig = try Rig()
        rig.origin.on(
            "/a", .ok(try red.get(), headers: [("ETag", "\"1\"")]), .ok(try blue.get(), headers: [("ETag", "\"2\"")]))
        _ = try await rig.pipeline.image(for: rig.request("/a"))
        var request = rig.request("/a")
        request.options = .refreshCached
        let news = Locked<[String]>([])
        await withCheckedContinuation { continuation in
            rig.pipeline.loadImage(
                with: request,
                cached: { response in news.withLock { $0.append("cached \(Image.color(of: response.image)[0])") } },
                completion: { result in
                    let color = (try? result.get()).map { Image.color(of: $0.image)[2] } ?? 0
                    news.withLock { $0.append("end \(color)") }
                    continuation.resume()
                })
        }
        #expect(news.withLock { $0 } == ["cached 255", "end 255"])
    }

    @Test("refreshCached without a disk cache asks with the validators of the image in memory")
    func refreshFromMemory() async throws {
        let rig = try Rig { $0.diskCache = nil }
        rig.origin.on(
            "/a", .ok(try red.get(), headers: [("ETag", "\"1\"")]), .status(304, headers: [("ETag", "\"1\"")]))
        _ = try await rig.pipeline.image(for: rig.request("/a"))
        let again = try await responses(rig, "/a")
        #expect(again.count == 1)
        #expect(rig.origin.log.last?.header("If-None-Match") == "\"1\"")
    }
}
