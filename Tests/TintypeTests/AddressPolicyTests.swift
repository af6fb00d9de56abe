import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import Tintype

/// The origin of the tests has a private address: a request with the rule must never get anything of it.
@Suite struct AddressPolicyTests {
    private static func guarded(_ request: ImageRequest) -> ImageRequest {
        var request = request
        request.network.blocksPrivateAddresses = true
        return request
    }

    @Test(
        "a request with the rule gets nothing from the caches that a request without it filled",
        arguments: [false, true])
    func caches(isProcessed: Bool) async throws {
        let rig = try Rig { $0.dataCachePolicy = .both }
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)))
        var open = rig.request("/a")
        if isProcessed { open.processors = [SwapProcessor()] }
        let closed = Self.guarded(open)
        _ = try await rig.pipeline.image(for: open)
        let cache = rig.pipeline.cache
        for round in 0..<2 {
            #expect(rig.pipeline.cachedImage(for: closed) == nil)
            #expect(!cache.containsInMemory(closed))
            #expect(await !cache.containsOnDisk(closed))
            #expect(await !cache.contains(closed))
            #expect(await cache.data(for: closed) == nil)
            #expect(try await cache.fileURL(for: closed) == nil)
            #expect(try await cache.image(for: closed, in: .all) == nil)
            await #expect(throws: PipelineError.self) { try await rig.pipeline.image(for: closed) }
            await #expect(throws: PipelineError.self) { try await rig.pipeline.data(for: closed) }
            var refreshing = closed
            refreshing.options = .refreshCached
            await #expect(throws: PipelineError.self) { try await rig.pipeline.image(for: refreshing) }
            // What is there stays there for requests without the rule; the second round reads it from disk.
            #expect(await cache.containsOnDisk(open))
            await rig.pipeline.flush()
            if round == 0 { rig.pipeline.cache.memory?.removeAll() }
        }
        _ = try await rig.pipeline.image(for: open)
        #expect(rig.origin.requestCount == 1)
    }

    @Test("a load with the rule does not join a running load without it")
    func runningLoads() async throws {
        let rig = try Rig()
        let gate = OriginGate()
        rig.origin.on("/a", OriginResponse.ok(try Image.png(1, 2, 3)).gated(gate))
        let open = rig.pipeline.imageTask(with: rig.request("/a"))
        #expect(await rig.origin.wait { $0.requestCount == 1 })
        await #expect(throws: PipelineError.self) { try await rig.pipeline.image(for: Self.guarded(rig.request("/a"))) }
        await #expect(throws: PipelineError.self) { try await rig.pipeline.data(for: Self.guarded(rig.request("/a"))) }
        gate.open()
        _ = try await open.image
    }

    @Test("the rule of the configuration counts like that of the request, in a new process too")
    func configuration() async throws {
        let rig = try Rig()
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)))
        _ = try await rig.pipeline.image(for: rig.request("/a"))
        let strict = try await rig.restarted { $0.requestDefaults.blocksPrivateAddresses = true }
        await #expect(throws: PipelineError.self) { try await strict.image(for: rig.request("/a")) }
        await #expect(throws: PipelineError.self) { try await strict.data(for: rig.request("/a")) }
        var open = rig.request("/a")
        open.network.blocksPrivateAddresses = false
        #expect(try await strict.response(for: open).source == .disk)
    }

    @Test("what was loaded with the rule serves requests with and without it", arguments: DataCachePolicy.allCases)
    func guardedEntries(policy: DataCachePolicy) async throws {
        let png = try Image.png(1, 2, 3)
        let rig = try Rig {
            $0.dataCachePolicy = policy
            $0.loader = FixedLoader(data: png)
        }
        var closed = Self.guarded(ImageRequest(string: "http://images.example/a.png"))
        closed.processors = [SwapProcessor()]
        _ = try await rig.pipeline.image(for: closed)
        var open = closed
        open.network.blocksPrivateAddresses = false
        for request in [closed, open] {
            #expect(try await rig.pipeline.response(for: request).source == .memory)
        }
        await rig.pipeline.flush()
        rig.pipeline.cache.memory?.removeAll()
        #expect(try await rig.pipeline.response(for: closed).source == .disk)
        rig.pipeline.cache.memory?.removeAll()
        #expect(try await rig.pipeline.response(for: open).source == .disk)
    }

    @Test("a file URL is not given from memory where the rule holds")
    func files() async throws {
        let rig = try Rig()
        try FileManager.default.createDirectory(at: rig.folder, withIntermediateDirectories: true)
        let file = rig.folder.appending(path: "a.png")
        try Image.png(1, 2, 3).write(to: file)
        let open = ImageRequest(url: file)
        _ = try await rig.pipeline.image(for: open)
        #expect(rig.pipeline.cachedImage(for: open) != nil)
        let closed = Self.guarded(open)
        #expect(rig.pipeline.cachedImage(for: closed) == nil)
        await #expect(throws: PipelineError.self) { try await rig.pipeline.image(for: closed) }
        let own = Self.guarded(ImageRequest(source: .file(path: file.path)))
        _ = try await rig.pipeline.image(for: own)
    }
}

/// Brings the same bytes for every URL.
private struct FixedLoader: ImageLoader {
    let data: Data
    var identifier: String { "fixed" }

    func load(_ request: DownloadRequest, context: LoadContext) async throws -> (Data, DownloadResponse) {
        (data, DownloadResponse(status: 200, headers: [:], finalURL: request.url))
    }
}
