import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import Tintype

/// What `body` throws, as the code that the command line prints; "" if it throws nothing.
func code(_ body: () async throws -> Void) async -> String {
    do {
        try await body()
        return ""
    } catch {
        return PipelineError.code(of: error)
    }
}

@Suite struct FailureTests {
    private func code(_ rig: Rig, _ path: String, _ options: ImageOptions = []) async -> String {
        var request = rig.request(path)
        request.options = options
        let final = request
        return await TintypeTests.code { _ = try await rig.pipeline.image(for: final) }
    }

    @Test("S49: 404 and 410 are remembered and skipped by retryFailed; 403, 429 and 500 never are")
    func failureMemory() async throws {
        let rig = try Rig()
        let png = try Image.png(1, 2, 3)
        for status in [404, 410, 403, 429, 500, 503] {
            rig.origin.on("/\(status)", .status(status, headers: [("Cache-Control", "max-age=3600")]), .ok(png))
        }
        for status in [404, 410] {
            #expect(await code(rig, "/\(status)") == "badStatus")
            #expect(await code(rig, "/\(status)") == "failedRecently")
            #expect(rig.origin.count(of: "/\(status)") == 1)
            #expect(await code(rig, "/\(status)", .retryFailed) == "")
            rig.pipeline.cache.memory?.removeAll()
            #expect(await code(rig, "/\(status)") == "")
            #expect(rig.origin.count(of: "/\(status)") == 2)
        }
        for status in [403, 429, 500, 503] {
            #expect(await code(rig, "/\(status)") == "badStatus")
            #expect(await code(rig, "/\(status)") == "")
        }
        await rig.pipeline.waitUntilIdle()
        #expect(rig.pipeline.cache.disk?.count == 6)
    }

    @Test("S49: a failure is forgotten after its time, after a success, and by a new pipeline")
    func forgetting() async throws {
        let clock = Locked(Date())
        let memory = FailureMemory(duration: .seconds(60), capacity: 3, now: { clock.withLock { $0 } })
        memory.record("a", error: ImagingError.emptyBody)
        #expect(memory.failure(of: "a")?.error as? ImagingError == .emptyBody)
        clock.withLock { $0 += 59 }
        #expect(memory.failure(of: "a") != nil)
        clock.withLock { $0 += 1 }
        #expect(memory.failure(of: "a") == nil)
        memory.record("a", error: ImagingError.emptyBody)
        memory.clear("a")
        #expect(memory.failure(of: "a") == nil)
        for key in 0..<1000 { memory.record("\(key)", error: ImagingError.emptyBody) }
        #expect(memory.count == 3)
        #expect(memory.failure(of: "999") != nil)
        #expect(memory.failure(of: "0") == nil)
        for _ in 0..<1000 { memory.record("999", error: ImagingError.emptyBody) }
        #expect(memory.count <= 3)
        let rig = try Rig { $0.failureMemory = .zero }
        rig.origin.on("/a", .status(404))
        #expect(await code(rig, "/a") == "badStatus")
        #expect(await code(rig, "/a") == "badStatus")
    }

    @Test("an image in a cache is given although its origin failed a moment ago")
    func cachedAfterFailure() async throws {
        let rig = try Rig()
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)), .status(404))
        #expect(await code(rig, "/a") == "")
        #expect(await code(rig, "/a", .fromLoaderOnly) == "badStatus")
        rig.pipeline.cache.memory?.removeAll()
        #expect(await code(rig, "/a") == "")
    }

    @Test("S69: an empty body, an image of no size and bytes that are none are typed errors and stored nowhere")
    func nothingEmptyIsStored() async throws {
        let rig = try Rig()
        let png = try Image.png(1, 2, 3)
        var flat = png
        flat.replaceSubrange(16..<20, with: [0, 0, 0, 0])
        rig.origin.on("/empty", .ok(Data()), .ok(png))
        rig.origin.on("/flat", .ok(flat), .ok(png))
        rig.origin.on("/gif", .ok(Data("GIF89a".utf8) + Data([0, 0, 0, 0, 0, 0, 0, 0x3B])), .ok(png))
        rig.origin.on("/html", .ok(Data("<html>not found</html>".utf8), type: "image/png"), .ok(png))
        rig.origin.on("/cut", .ok(png.prefix(45)), .ok(png))
        let codes = ["/empty": "emptyBody", "/flat": "corrupt", "/html": "unsupportedFormat", "/cut": "truncated"]
        for path in ["/empty", "/flat", "/gif", "/html", "/cut"] {
            let first = await code(rig, path)
            #expect(first != "")
            if let expected = codes[path] { #expect(first == expected, "\(path)") }
            await rig.pipeline.waitUntilIdle()
            #expect(rig.pipeline.cache.disk?.count == 0)
            #expect(rig.pipeline.cache.memory?.statistics.count == 0)
        }
        #expect(await code(rig, "/html") == "failedRecently")
        for path in ["/empty", "/flat", "/gif", "/html", "/cut"] { #expect(await code(rig, path, .retryFailed) == "") }
    }

    @Test("an entry that no decoder takes is removed and fetched again in the same call")
    func undecodableEntry() async throws {
        let rig = try Rig()
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)))
        let key = rig.pipeline.cache.dataKey(for: rig.request("/a"))
        let disk = try #require(rig.pipeline.cache.disk)
        for junk in [Data("junk".utf8), try Image.png(9, 9, 9).prefix(45)] {
            rig.pipeline.cache.memory?.removeAll()
            try await disk.store(junk, for: key)
            let requests = rig.origin.requestCount
            let response = try await rig.pipeline.response(for: rig.request("/a"))
            #expect(response.source == .network)
            #expect(Image.color(of: response.image) == [1, 2, 3, 255])
            #expect(rig.origin.requestCount == requests + 1)
            await rig.pipeline.waitUntilIdle()
            #expect(try await disk.entry(for: key)?.data == Image.png(1, 2, 3))
        }
        try await disk.store(Data("junk".utf8), for: key)
        rig.pipeline.cache.memory?.removeAll()
        #expect(await code(rig, "/a", .fromCacheOnly) == "notInCache")
        await rig.pipeline.waitUntilIdle()
        #expect(try await !disk.contains(key))
    }

    @Test("limits and missing codecs leave an entry where it is")
    func goodEntryStays() async throws {
        let rig = try Rig()
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)))
        #expect(await code(rig, "/a") == "")
        await rig.pipeline.waitUntilIdle()
        var request = rig.request("/a")
        request.decodeOptions.limits.maximumPixelCount = 4
        let tooLarge = request
        #expect(await TintypeTests.code { _ = try await rig.pipeline.image(for: tooLarge) } == "imageTooLarge")
        request = rig.request("/a")
        request.codecs = RequestCodecs(identifier: "none", codecs: ImageCodecs(decoders: [], encoders: []))
        let noCodec = request
        #expect(await TintypeTests.code { _ = try await rig.pipeline.image(for: noCodec) } == "unsupportedFormat")
        await rig.pipeline.waitUntilIdle()
        #expect(await rig.pipeline.cache.containsOnDisk(rig.request("/a")))
        #expect(rig.origin.requestCount == 1)
    }

    @Test("S35: a body that ends early is an error and kept nowhere; the next load is whole")
    func shortBody() async throws {
        let rig = try Rig()
        let jpeg = try Image.jpeg(10, 200, 30, width: 400, height: 300)
        let half = jpeg.prefix(jpeg.count / 2)
        rig.origin.on(
            "/short",
            OriginResponse(200, headers: [("Content-Length", String(jpeg.count))], body: half).closing(), .ok(jpeg))
        rig.origin.on(
            "/nolength", .raw(Data("HTTP/1.0 200 OK\r\nContent-Type: image/jpeg\r\n\r\n".utf8) + half), .ok(jpeg))
        for path in ["/short", "/nolength"] {
            #expect(await code(rig, path) == "truncated")
            await rig.pipeline.waitUntilIdle()
            #expect(rig.pipeline.cache.disk?.count == 0)
            #expect(await code(rig, path, .retryFailed) == "")
            // What this load stores may still be on its way.
            await rig.pipeline.waitUntilIdle()
            rig.pipeline.cache.memory?.removeAll()
            try await rig.pipeline.cache.disk?.removeAll()
        }
    }

    @Test("S19: what lenient decoding makes of a cut image is given, flagged, and kept in no cache")
    func partialImages() async throws {
        let rig = try Rig()
        let jpeg = try Image.jpeg(10, 200, 30, width: 400, height: 300)
        rig.origin.on("/cut", .ok(jpeg.prefix(jpeg.count / 2)))
        var request = rig.request("/cut")
        request.decodeOptions.isLenient = true
        let first = try await rig.pipeline.response(for: request)
        #expect(first.image.isPartial)
        await rig.pipeline.waitUntilIdle()
        #expect(rig.pipeline.cache.disk?.count == 0)
        #expect(rig.pipeline.cachedImage(for: request) == nil)
        #expect(try await rig.pipeline.response(for: request).source == .network)
    }

    @Test("S51: transient faults are tried again, hopeless ones are not; the attempts are told")
    func retries() async throws {
        let rig = try Rig { configuration in
            configuration.requestDefaults.retry = RetryPolicy(baseDelay: .milliseconds(1))
        }
        let png = try Image.png(1, 2, 3)
        rig.origin.on("/a", .status(500), .status(500), .ok(png))
        rig.origin.on("/gone", .status(404))
        let response = try await rig.pipeline.response(for: rig.request("/a"))
        #expect(response.attempts == 3)
        #expect(await code(rig, "/gone") == "badStatus")
        #expect(rig.origin.count(of: "/gone") == 1)
    }

    @Test("S51: two callers with different limits: each gets its own; a cancel ends the wait at once")
    func retryLimits() async throws {
        let rig = try Rig()
        rig.origin.on("/a", .status(500))
        var once = rig.request("/a")
        once.network.retry = RetryPolicy.none
        var thrice = rig.request("/a")
        thrice.network.retry = RetryPolicy(maximumRetries: 2, baseDelay: .milliseconds(1))
        let tasks = [once, thrice].map { rig.pipeline.imageTask(with: $0) }
        for task in tasks { #expect(await TintypeTests.code { _ = try await task.image } == "badStatus") }
        #expect(rig.origin.requestCount == 4)
        var patient = rig.request("/a")
        patient.network.retry = RetryPolicy(maximumRetries: 2, baseDelay: .seconds(600), jitter: 0)
        let waiting = rig.pipeline.imageTask(with: patient)
        #expect(await rig.origin.wait { $0.requestCount == 5 })
        waiting.cancel()
        #expect(await TintypeTests.code { _ = try await waiting.image } == "cancelled")
        #expect(await eventually { !rig.pipeline.isRunning })
    }

    @Test("invalid sources end with one typed error and never trap")
    func invalidSources() async throws {
        let rig = try Rig()
        for (source, expected) in [
            ("", "invalidURL"), ("http://", "invalidURL"), ("ftp://h/a.png", "unsupportedScheme"),
            ("/no/such/file.png", "ioFailed"), ("/tmp", "ioFailed"), ("data:image/png;base64,%%%", "corrupt"),
        ] {
            #expect(
                await TintypeTests.code { _ = try await rig.pipeline.image(for: ImageRequest(string: source)) }
                    == expected)
        }
    }
}
