import Foundation
import TestOrigin
import Testing
import TintypeBase
import TintypeResponses

@Suite("Policies of the response cache")
struct ResponsePolicyTests {
    let folder: TemporaryFolder
    let origin: TestOrigin
    let cache: ResponseCache
    let request: ResponseRequest
    /// Moves only when a test says so: however slow the machine is, nothing expires before its time.
    let clock = Locked(Date(timeIntervalSince1970: 1_800_000_000))

    init() throws {
        folder = try TemporaryFolder()
        origin = try TestOrigin()
        var configuration = ResponseCache.Configuration(root: folder.url)
        configuration.requestDefaults.retry = .none
        let clock = clock
        configuration.now = { clock.withLock { $0 } }
        cache = try ResponseCache(configuration)
        request = ResponseRequest(origin.url("/posts"))
    }

    private func json(_ text: String) -> OriginResponse { .text(text, type: "application/json") }

    private func all(_ policy: ResponsePolicy) async throws -> [CachedResponse] {
        var responses: [CachedResponse] = []
        for try await response in cache.responses(for: request, policy: policy) { responses.append(response) }
        return responses
    }

    @Test("cacheOnly sends no request")
    func cacheOnly() async throws {
        await #expect(throws: ResponseCacheError.self) { try await cache.response(for: request, policy: .cacheOnly) }
        try await cache.save(json: 1, for: request)
        #expect(try await cache.response(for: request, policy: .cacheOnly).json() == 1)
        #expect(origin.requestCount == 0)
    }

    @Test("cacheFirst sends one request, and another after the response has expired")
    func cacheFirst() async throws {
        origin.on("/posts", json("1"), json("2"))
        var request = request
        request.maximumAge = .seconds(60)
        #expect(try await cache.response(for: request).source == .network)
        #expect(try await cache.response(for: request).source == .cache)
        #expect(origin.requestCount == 1)
        clock.withLock { $0 += 61 }
        let again = try await cache.response(for: request)
        #expect(again.source == .network)
        #expect(try again.json() == 2)
    }

    @Test("networkFirst falls back to the cache if the network fails, but not for a 404")
    func networkFirst() async throws {
        origin.on("/posts", json("1"), .status(503), .status(404), .resetAtOnce)
        #expect(try await cache.response(for: request, policy: .networkFirst).source == .network)
        #expect(try await cache.response(for: request, policy: .networkFirst).source == .cache)
        await #expect(throws: NetworkingError.self) { try await cache.response(for: request, policy: .networkFirst) }
        #expect(try await cache.response(for: request, policy: .networkFirst).json() == 1)
    }

    @Test("cacheThenNetwork delivers both in order, the second only if it differs")
    func cacheThenNetwork() async throws {
        origin.on("/posts", json("1"), json("1"), json("2"), .status(500))
        #expect(try await all(.cacheThenNetwork).map(\.source) == [.network])
        #expect(try await all(.cacheThenNetwork).map(\.source) == [.cache])
        let changed = try await all(.cacheThenNetwork)
        #expect(changed.map(\.source) == [.cache, .network])
        #expect(try changed.map { try $0.json() } == [1, 2])
        // The stored response is delivered, then the reason why there is no newer one.
        var seen: [JSONValue] = []
        await #expect(throws: NetworkingError.self) {
            for try await response in cache.responses(for: request, policy: .cacheThenNetwork) {
                seen.append(try response.json())
            }
        }
        #expect(seen == [2])
    }

    @Test("staleWhileRevalidate delivers the stale response and fetches a new one")
    func staleWhileRevalidate() async throws {
        origin.on("/posts", json("1"), json("2"))
        var request = request
        request.maximumAge = .seconds(60)
        #expect(try await cache.response(for: request, policy: .staleWhileRevalidate).json() == 1)
        clock.withLock { $0 += 61 }
        let stale = try await cache.response(for: request, policy: .staleWhileRevalidate)
        #expect(stale.isStale)
        #expect(try stale.json() == 1)
        #expect(await origin.wait { $0.requestCount == 2 })
        var value = try await cache.json(for: request)
        for _ in 0..<200 where value != 2 {
            try await Task.sleep(for: .milliseconds(5))
            value = try await cache.response(for: request, policy: .cacheFirst).json()
        }
        #expect(value == 2)
    }

    @Test("a stored ETag is revalidated; a 304 keeps the bytes and makes them fresh")
    func revalidation() async throws {
        origin.on("/posts") { request in
            request.header("If-None-Match") == "\"7\""
                ? .status(304, body: Data())
                : .text("[7]", type: "application/json", headers: [("ETag", "\"7\"")])
        }
        var request = request
        request.maximumAge = .seconds(60)
        #expect(try await cache.response(for: request).isRevalidated == false)
        clock.withLock { $0 += 61 }
        request.maximumAge = .seconds(60)
        let second = try await cache.response(for: request)
        #expect(second.isRevalidated)
        #expect(second.status == 304)
        #expect(try second.json() == [7])
        #expect(try await cache.response(for: request).source == .cache)
        #expect(origin.requestCount == 2)
    }

    @Test("equal requests share one transfer; cancelling one does not stop the others")
    func joined() async throws {
        let gate = OriginGate()
        origin.on("/posts", json("1").gated(gate))
        let (cache, request) = (cache, request)
        let tasks = (0..<8).map { _ in Task { try await cache.response(for: request, policy: .networkFirst).json() } }
        #expect(await origin.wait { $0.requestCount == 1 })
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        gate.open()
        for task in tasks.dropFirst() { #expect(try await task.value == 1) }
        #expect(origin.requestCount == 1)
    }

    @Test("a response that is not JSON is an error and is not stored")
    func notJSON() async throws {
        origin.on("/posts", .text("<html>", type: "application/json"), .status(404))
        await #expect(throws: ResponseCacheError.self) { try await cache.response(for: request) }
        await #expect(throws: NetworkingError.self) { try await cache.response(for: request) }
        #expect(await !cache.contains(request))
        #expect(cache.count == 0)
    }

    @Test("parameters are sent in the query, or as a JSON or form body")
    func parameters() async throws {
        origin.on("/posts", json("1"))
        var request = ResponseRequest(
            origin.url("/posts?x=1#f"), parameters: ["b": [1, "ü"], "a": ["k": true], "c": nil, "d": 2.5])
        _ = try await cache.response(for: request, policy: .networkFirst)
        #expect(origin.log.last?.query == "x=1&a%5Bk%5D=true&b%5B%5D=1&b%5B%5D=%C3%BC&c=&d=2.5")
        request.method = "POST"
        _ = try await cache.response(for: request, policy: .networkFirst)
        #expect(
            origin.log.last.map { String(decoding: $0.body, as: UTF8.self) }
                == #"{"a":{"k":true},"b":[1,"ü"],"c":null,"d":2.5}"#)
        #expect(origin.log.last?.header("Content-Type") == "application/json")
        request.encoding = .form
        _ = try await cache.response(for: request, policy: .networkFirst)
        #expect(origin.log.last.map { String(decoding: $0.body, as: UTF8.self) }?.hasPrefix("a%5Bk%5D=true&b") == true)
    }

    @Test("with respectsHTTPHeaders, no-store is not stored and max-age is the limit")
    func headers() async throws {
        var configuration = cache.configuration
        configuration.respectsHTTPHeaders = true
        configuration.namespace = "strict"
        let strict = try ResponseCache(configuration)
        origin.on(
            "/posts", json("1").header("Cache-Control", "private, no-store"),
            json("2").header("Cache-Control", "max-age=60"))
        _ = try await strict.response(for: request)
        #expect(await !strict.contains(request))
        _ = try await strict.response(for: request)
        #expect(try await strict.response(for: request).source == .cache)
    }
}
