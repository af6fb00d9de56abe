import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import Tintype

@Suite struct StoreTests {
    @Test("the disk gets the original, the result, or both, as the policy says", arguments: DataCachePolicy.allCases)
    func policies(policy: DataCachePolicy) async throws {
        let rig = try Rig { $0.dataCachePolicy = policy }
        let jpeg = try Image.jpeg(200, 10, 20, width: 400, height: 300)
        rig.origin.on("/a", .ok(jpeg))
        rig.origin.on("/b", .ok(jpeg))
        var small = rig.request("/a")
        small.target = ResizeTarget(width: 40, height: nil)
        small.processors = [SwapProcessor()]
        #expect(try await rig.pipeline.image(for: small).bitmap.width == 40)
        _ = try await rig.pipeline.image(for: rig.request("/b"))
        await rig.pipeline.waitUntilIdle()
        let disk = try #require(rig.pipeline.cache.disk)
        let cache = rig.pipeline.cache
        #expect(try await disk.contains(cache.dataKey(for: small)) == [.original, .both].contains(policy))
        #expect(try await disk.contains(cache.imageKey(for: small).string) == (policy != .original))
        #expect(try await disk.entry(for: cache.dataKey(for: rig.request("/b")))?.data == jpeg)
        rig.pipeline.cache.memory?.removeAll()
        let again = try await rig.pipeline.response(for: small)
        #expect(again.source == .disk)
        #expect(again.image.bitmap.size == PixelSize(width: 40, height: 30))
        let color = Image.color(of: again.image)
        #expect(abs(Int(color[0]) - 20) < 8 && abs(Int(color[2]) - 200) < 8)
        #expect(rig.origin.requestCount == 2)
    }

    @Test("a stored result that no decoder takes is removed and made again without the network")
    func undecodableResult() async throws {
        let rig = try Rig { $0.dataCachePolicy = .both }
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)))
        var request = rig.request("/a")
        request.processors = [SwapProcessor()]
        _ = try await rig.pipeline.image(for: request)
        await rig.pipeline.waitUntilIdle()
        let key = rig.pipeline.cache.imageKey(for: request).string
        try await rig.pipeline.cache.disk?.store(Data("junk".utf8), for: key)
        rig.pipeline.cache.memory?.removeAll()
        #expect(Image.color(of: try await rig.pipeline.image(for: request)) == [3, 2, 1, 255])
        #expect(rig.origin.requestCount == 1)
    }

    @Test("S75: waitForStore ends when the file is there; the path gives the bytes as they came, with their extension")
    func waitForStore() async throws {
        let rig = try Rig()
        let jpeg = try Image.jpeg(200, 10, 20)
        rig.origin.on("/a", .ok(jpeg, type: "image/png"))
        var request = rig.request("/a")
        request.options = .waitForStore
        _ = try await rig.pipeline.image(for: request)
        let other = try DiskCache(DiskCache.Configuration(root: rig.folder))
        #expect(try await other.entry(for: rig.pipeline.cache.dataKey(for: request))?.data == jpeg)
        let file = try #require(try await rig.pipeline.cache.fileURL(for: request))
        #expect(file.pathExtension == "jpg")
        #expect(try Data(contentsOf: file) == jpeg)
        #expect(await rig.pipeline.cache.data(for: request) == jpeg)
    }

    @Test("S75: without waiting, the path and the bytes are right in the completion all the same")
    func pathInTheCompletion() async throws {
        let rig = try Rig()
        let png = try Image.png(1, 2, 3)
        for index in 0..<20 {
            rig.origin.on("/\(index)", .ok(png))
            _ = try await rig.pipeline.image(for: rig.request("/\(index)"))
            #expect(await rig.pipeline.cache.data(for: rig.request("/\(index)")) == png)
            let file = try #require(try await rig.pipeline.cache.fileURL(for: rig.request("/\(index)")))
            #expect(try Data(contentsOf: file) == png)
        }
        #expect(try await rig.pipeline.cache.fileURL(for: rig.request("/unknown")) == nil)
    }

    @Test("S75: a load that is cancelled before its body is there leaves no entry and no file")
    func cancelBeforeBody() async throws {
        let rig = try Rig()
        rig.origin.on("/a", OriginResponse(200, headers: [("Content-Length", "1000")]), .ok(try Image.png(1, 2, 3)))
        let task = rig.pipeline.imageTask(with: rig.request("/a"))
        #expect(await rig.origin.wait { $0.requestCount == 1 })
        task.cancel()
        await rig.pipeline.waitUntilIdle()
        #expect(rig.pipeline.cache.disk?.count == 0)
        _ = try await rig.pipeline.image(for: rig.request("/a"))
    }

    @Test("a disk that cannot be written to never fails a load, waitForStore included")
    func brokenDisk() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        try Data("a file where a folder should be".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let events = Locked(0)
        let rig = try Rig { configuration in
            configuration.diskCache = try DiskCache(DiskCache.Configuration(root: file))
            configuration.observer = { event in
                if case .storeFailed = event.kind { events.withLock { $0 += 1 } }
            }
        }
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)))
        var request = rig.request("/a")
        request.options = .waitForStore
        #expect(try await rig.pipeline.response(for: request).source == .network)
        #expect(events.withLock { $0 } > 0)
        #expect(try await rig.pipeline.response(for: request).source == .memory)
    }

    @Test("the facade: store, read, contain and remove for each tier")
    func facade() async throws {
        let rig = try Rig()
        let cache = rig.pipeline.cache
        let request = rig.request("/saved")
        let bitmap = try Image.bitmap(5, 6, 7)
        let image = DecodedImage(
            bitmap: bitmap, info: ImageInfo(format: .png, storedSize: bitmap.size, hasAlpha: false))
        try await cache.store(image, for: request, in: .disk)
        #expect(await cache.containsOnDisk(request))
        #expect(!cache.containsInMemory(request))
        #expect(try await cache.image(for: request, in: .memory) == nil)
        #expect(try await cache.image(for: request, in: .disk).map(Image.color) == [5, 6, 7, 255])
        #expect(cache.containsInMemory(request))
        await cache.remove(request, from: .memory)
        #expect(!cache.containsInMemory(request))
        #expect(await cache.containsOnDisk(request))
        cache.storeInMemory(image, for: request)
        #expect(rig.pipeline.cachedImage(for: request).map(Image.color) == [5, 6, 7, 255])
        await cache.remove(request)
        #expect(await !cache.contains(request))
        #expect(await cache.data(for: request) == nil)
        #expect(try await cache.image(for: request, in: .all) == nil)
        let jpeg = try Image.jpeg(1, 2, 3)
        try await cache.store(image, data: jpeg, for: request)
        #expect(await cache.data(for: request) == jpeg)
        try await cache.removeAll()
        #expect(await !cache.contains(request))
        #expect(rig.origin.requestCount == 0)
    }

    @Test("removing while a write is on its way leaves nothing; the last of several writes wins")
    func stagedOrder() async throws {
        let rig = try Rig()
        let disk = try #require(rig.pipeline.cache.disk)
        let staged = try #require(rig.pipeline.disk.queue)
        for index in 0..<50 {
            let key = "k\(index)"
            for number in 0..<5 {
                staged.stage(
                    .store(Data("\(number)".utf8), CacheEntryMetadata()), for: key, origin: EventOrigin(name: key))
            }
            if index % 2 == 0 { staged.stage(.remove, for: key, origin: EventOrigin(name: key)) }
        }
        await staged.waitUntilIdle()
        for index in 0..<50 {
            let entry = try await disk.entry(for: "k\(index)")
            #expect(entry?.data == (index % 2 == 0 ? nil : Data("4".utf8)))
        }
    }

    @Test("shutdown: what may go on gets its grace, the rest is cancelled; nothing begins any more; stores are written")
    func shutdown() async throws {
        let rig = try Rig()
        let gate = OriginGate()
        let png = try Image.png(1, 2, 3)
        rig.origin.onEverythingElse { _ in OriginResponse.ok(png).gated(gate) }
        func task(_ path: String, _ options: ImageOptions) -> ImageTask {
            var request = rig.request(path)
            request.options = options
            return rig.pipeline.imageTask(with: request)
        }
        let (patient, impatient) = (task("/a", .continueInBackground), task("/b", []))
        #expect(await rig.origin.wait { $0.requestCount == 2 })
        async let end: Void = rig.pipeline.shutdown(grace: .seconds(20))
        #expect(await code { _ = try await impatient.image } == "cancelled")
        gate.open()
        #expect(try await patient.response.source == .network)
        await end
        #expect(!rig.pipeline.isRunning)
        await #expect(throws: PipelineError.self) { try await rig.pipeline.image(for: rig.request("/c")) }
        let other = try DiskCache(DiskCache.Configuration(root: rig.folder))
        #expect(try await other.entry(for: rig.pipeline.cache.dataKey(for: rig.request("/a"))) != nil)
    }

    @Test("shutdown: at the end of the grace everything is cancelled")
    func shutdownGraceOver() async throws {
        let rig = try Rig()
        rig.origin.on("/a", OriginResponse(steps: [.stall]))
        var request = rig.request("/a")
        request.options = .continueInBackground
        let task = rig.pipeline.imageTask(with: request)
        #expect(await rig.origin.wait { $0.requestCount == 1 })
        await rig.pipeline.shutdown(grace: .milliseconds(30))
        #expect(await code { _ = try await task.image } == "cancelled")
    }

    @Test("shared can be replaced; pipelines side by side do not see one another's memory")
    func sideBySide() async throws {
        let (first, second) = (try Rig(), try Rig())
        let old = ImagePipeline.shared
        ImagePipeline.shared = first.pipeline
        #expect(ImagePipeline.shared === first.pipeline)
        ImagePipeline.shared = old
        first.origin.on("/a", .ok(try Image.png(1, 2, 3)))
        _ = try await first.pipeline.image(for: first.request("/a"))
        #expect(second.pipeline.cachedImage(for: first.request("/a")) == nil)
        let sharing = ImagePipeline(second.pipeline.configuration)
        _ = try await sharing.image(for: first.request("/a"))
        #expect(second.pipeline.cachedImage(for: first.request("/a")) != nil)
    }
}

@Suite struct PressureTests {
    @Test("memory pressure: some trims the memory cache to half, full clears it; the disk is left alone")
    func pressure() async throws {
        let rig = try Rig { $0.reactsToMemoryPressure = true }
        for index in 0..<10 {
            rig.origin.on("/\(index)", .ok(try Image.png(1, 2, 3)))
            _ = try await rig.pipeline.image(for: rig.request("/\(index)"))
        }
        await rig.pipeline.waitUntilIdle()
        let memory = try #require(rig.pipeline.cache.memory)
        let monitor = try #require(rig.pipeline.pressureMonitor)
        let cost = memory.statistics.cost
        monitor.report(.some)
        #expect(await eventually { memory.statistics.cost <= cost / 2 && memory.statistics.count > 0 })
        monitor.report(.full)
        #expect(await eventually { memory.statistics.count == 0 })
        #expect(rig.pipeline.cache.disk?.count == 10)
    }
}
