import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import Tintype

@Suite struct SourceTests {
    @Test(
        "S31: the content type is no condition",
        arguments: [
            "application/octet-stream", "binary/octet-stream", "image/jpg", "text/plain", "image/png; charset=utf-8",
            "", nil,
        ])
    func contentTypes(type: String?) async throws {
        let rig = try Rig()
        rig.origin.on("/png", .ok(try Image.png(1, 2, 3), type: type))
        rig.origin.on("/jpeg", .ok(try Image.jpeg(250, 2, 3), type: type))
        #expect(try await rig.pipeline.response(for: rig.request("/png")).format == .png)
        #expect(try await rig.pipeline.response(for: rig.request("/jpeg")).format == .jpeg)
    }

    @Test("S45: data URLs load without network, under a short key, and are never written to disk")
    func dataURLs() async throws {
        let rig = try Rig()
        let png = try Image.png(4, 5, 6, width: 300, height: 200)
        let base64 = png.base64EncodedString()
        let urlSafe = base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        let escaped = base64.replacingOccurrences(of: "+", with: "%2B").replacingOccurrences(of: "=", with: "%3D")
        var spaced = base64
        spaced.insert(" ", at: spaced.index(spaced.startIndex, offsetBy: 10))
        for url in [
            "data:image/png;base64,\(base64)", "data:image/png;base64,\(urlSafe)", "data:image/png;base64,\(escaped)",
            "data:image/png;charset=utf-8;base64,\(base64)", "data:;base64,\(base64)", "data:image;base64,\(base64)",
            "DATA:image/png;base64,\(spaced)",
        ] {
            let response = try await rig.pipeline.response(for: ImageRequest(string: url))
            #expect(response.source == .data)
            #expect(Image.color(of: response.image) == [4, 5, 6, 255])
            #expect(rig.pipeline.cache.imageKey(for: ImageRequest(string: url)).string.utf8.count < 100)
            #expect(ImageRequest(string: url).source.name.utf8.count < 100)
            #expect(rig.pipeline.cachedImage(for: ImageRequest(string: url)) != nil)
        }
        await rig.pipeline.waitUntilIdle()
        #expect(rig.pipeline.cache.disk?.count == 0)
        #expect(rig.origin.requestCount == 0)
    }

    @Test("local files: paths and file URLs; not copied into the disk cache; a changed file is read again")
    func files() async throws {
        let rig = try Rig()
        try FileManager.default.createDirectory(at: rig.folder, withIntermediateDirectories: true)
        let file = rig.folder.appending(path: "a b.png")
        try Image.png(1, 2, 3).write(to: file)
        for source in [file.path, file.absoluteString, "file://localhost" + file.path(percentEncoded: true)] {
            #expect(Image.color(of: try await rig.pipeline.image(for: ImageRequest(string: source))) == [1, 2, 3, 255])
        }
        #expect(try await rig.pipeline.response(for: ImageRequest(url: file)).source == .memory)
        #expect(rig.pipeline.cache.memory?.statistics.count == 1)
        try Image.png(7, 8, 9, width: 9).write(to: file)
        let changed = try await rig.pipeline.response(for: ImageRequest(string: file.path))
        #expect(changed.source == .file)
        #expect(Image.color(of: changed.image) == [7, 8, 9, 255])
        await rig.pipeline.waitUntilIdle()
        #expect(rig.pipeline.cache.disk?.count == 0)
        #expect(try await rig.pipeline.cache.fileURL(for: ImageRequest(string: file.path))?.path == file.path)
    }

    @Test("untrusted text that names a file is refused where private addresses are; a file of the caller is not")
    func blockedFiles() async throws {
        let rig = try Rig()
        let file = rig.folder.appendingPathComponent("image.png")
        try Image.png(1, 2, 3).write(to: file)
        let allowed = ImageRequest(string: file.path)
        _ = try await rig.pipeline.image(for: allowed)
        for stranger in [
            ImageRequest(string: file.path), ImageRequest(string: "file://" + file.path), ImageRequest(url: file),
        ] {
            var request = stranger
            request.network.blocksPrivateAddresses = true
            // Also while the image is in memory, because another caller may have it.
            #expect(await code { _ = try await rig.pipeline.image(for: request) } == "blockedAddress")
            #expect(await code { _ = try await rig.pipeline.data(for: request) } == "blockedAddress")
        }
        var own = ImageRequest(source: .file(path: file.path))
        own.network.blocksPrivateAddresses = true
        #expect(try await Image.color(of: rig.pipeline.image(for: own)) == [1, 2, 3, 255])
    }

    @Test("closures: bytes by id go to disk, images by id only to memory; each runs once for all waiters")
    func closures() async throws {
        let rig = try Rig()
        let runs = Locked(0)
        let bytes = ImageRequest(
            id: "bytes",
            data: {
                runs.withLock { $0 += 1 }
                try await Task.sleep(for: .milliseconds(20))
                return try Image.png(1, 2, 3)
            })
        let tasks = (0..<10).map { _ in rig.pipeline.imageTask(with: bytes) }
        for task in tasks { #expect(try await task.response.source == .closure) }
        #expect(runs.withLock { $0 } == 1)
        rig.pipeline.cache.memory?.removeAll()
        #expect(try await rig.pipeline.response(for: bytes).source == .disk)

        let made = ImageRequest(
            id: "made",
            image: {
                let bitmap = try Image.bitmap(9, 9, 9)
                return DecodedImage(
                    bitmap: bitmap, info: ImageInfo(format: .png, storedSize: bitmap.size, hasAlpha: false))
            })
        #expect(try await rig.pipeline.response(for: made).source == .closure)
        #expect(try await rig.pipeline.response(for: made).source == .memory)
        await rig.pipeline.waitUntilIdle()
        #expect(rig.pipeline.cache.disk?.count == 1)

        struct Failure: Error {}
        let broken = ImageRequest(id: "broken", data: { throw Failure() })
        do {
            _ = try await rig.pipeline.image(for: broken)
            Issue.record("a closure that throws gave an image")
        } catch PipelineError.sourceFailed(let name, let error) {
            #expect(name == "broken")
            #expect(error is Failure)
        }
    }

    @Test("data(for:) gives the bytes as they came, shares the transfer and the disk, and stores no junk")
    func originalBytes() async throws {
        let rig = try Rig()
        let gate = OriginGate()
        let jpeg = try Image.jpeg(200, 1, 1)
        rig.origin.on("/a.jpg", .ok(jpeg, headers: [("ETag", "\"1\"")]).gated(gate))
        rig.origin.on("/junk", .ok(Data("{\"a\":1}".utf8)))
        async let data = rig.pipeline.data(for: rig.request("/a.jpg"))
        let task = rig.pipeline.imageTask(with: rig.request("/a.jpg"))
        #expect(await rig.origin.wait { $0.requestCount == 1 })
        gate.open()
        #expect(try await data.data == jpeg)
        #expect(try await task.response.byteCount == jpeg.count)
        #expect(rig.origin.requestCount == 1)
        let again = try await rig.pipeline.data(for: rig.request("/a.jpg"))
        #expect(again.source == .disk)
        #expect(again.data == jpeg)
        #expect(try await rig.pipeline.data(for: rig.request("/junk")).data == Data("{\"a\":1}".utf8))
        await rig.pipeline.waitUntilIdle()
        #expect(rig.pipeline.cache.disk?.count == 1)
    }

    @Test("alternatives are asked in order, each under its own key; the last error tells all")
    func alternatives() async throws {
        let rig = try Rig()
        rig.origin.on("/b", .ok(try Image.png(0, 9, 0)))
        var request = rig.request("/a")
        request.alternatives = [rig.url("/missing"), rig.url("/b"), rig.url("/never")]
        #expect(Image.color(of: try await rig.pipeline.image(for: request)) == [0, 9, 0, 255])
        #expect(rig.origin.log.map(\.path) == ["/a", "/missing", "/b"])
        #expect(rig.pipeline.cachedImage(for: rig.request("/b")) != nil)
        #expect(rig.pipeline.cachedImage(for: rig.request("/a")) == nil)
        request.alternatives = [rig.url("/x"), rig.url("/y")]
        do {
            _ = try await rig.pipeline.image(for: request)
            Issue.record("an image from nowhere")
        } catch PipelineError.allSourcesFailed(let errors) {
            #expect(errors.map(PipelineError.code(of:)) == ["failedRecently", "badStatus", "badStatus"])
        }
        #expect(!rig.origin.log.map(\.path).contains("/never"))
    }

    @Test("a cancelled load asks no alternative")
    func cancelledAlternatives() async throws {
        let rig = try Rig()
        rig.origin.on("/a", OriginResponse(steps: [.stall]))
        rig.origin.on("/b", .ok(try Image.png(0, 9, 0)))
        var request = rig.request("/a")
        request.alternatives = [rig.url("/b")]
        let task = rig.pipeline.imageTask(with: request)
        #expect(await rig.origin.wait { $0.requestCount == 1 })
        task.cancel()
        #expect(await code { _ = try await task.image } == "cancelled")
        #expect(await eventually { !rig.pipeline.isRunning })
        #expect(rig.origin.count(of: "/b") == 0)
    }

    @Test("low-data mode loads the small image, unless the own one is cached")
    func lowData() async throws {
        let rig = try Rig()
        rig.origin.on("/big", .ok(try Image.png(0, 0, 200)))
        rig.origin.on("/small", .ok(try Image.png(0, 200, 0)))
        var request = rig.request("/big")
        request.lowDataURL = rig.url("/small")
        rig.pipeline.isLowDataMode = true
        #expect(Image.color(of: try await rig.pipeline.image(for: request)) == [0, 200, 0, 255])
        rig.pipeline.isLowDataMode = false
        #expect(Image.color(of: try await rig.pipeline.image(for: request)) == [0, 0, 200, 255])
        rig.pipeline.isLowDataMode = true
        #expect(Image.color(of: try await rig.pipeline.image(for: request)) == [0, 0, 200, 255])
    }

    @Test("blocksPrivateAddresses refuses the loopback address")
    func blockedAddress() async throws {
        let rig = try Rig { $0.requestDefaults.blocksPrivateAddresses = true }
        #expect(await code { _ = try await rig.pipeline.image(for: rig.request("/a")) } == "blockedAddress")
        #expect(rig.origin.connectionCount == 0)
    }
}
