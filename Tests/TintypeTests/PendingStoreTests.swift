import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import Tintype

/// A serializer that waits until it is allowed to go on.
private struct GatedSerializer: CacheSerializer {
    let isOpen = Locked(false)
    let count = Locked(0)

    func data(for image: DecodedImage, original: ImageInfo, codecs: ImageCodecs) throws -> Data? {
        count.withLock { $0 += 1 }
        while !isOpen.withLock({ $0 }) { usleep(1000) }
        return try codecs.encode(image.bitmap, as: .png)
    }
}

@Suite struct PendingStoreTests {
    /// Results of 100 x 100 pixels, of which the limit takes four.
    private static let resultByteCount = 100 * 100 * 4

    private func rig(_ serializer: GatedSerializer) throws -> Rig {
        let rig = try Rig {
            $0.dataCachePolicy = .processed
            $0.memoryCache = nil
            $0.serializer = serializer
            $0.pendingStoreByteLimit = 4 * Self.resultByteCount
            $0.decodeThreads = 2
        }
        let jpeg = try Image.jpeg(200, 10, 20, width: 200, height: 200)
        rig.origin.onEverythingElse { _ in .ok(jpeg) }
        return rig
    }

    private func small(_ rig: Rig, _ index: Int) -> ImageRequest {
        var request = rig.request("/\(index)")
        request.target = ResizeTarget(width: 100, height: 100)
        return request
    }

    @Test("loads wait while the results that wait to be written are at the limit, and go on after it")
    func bounded() async throws {
        let serializer = GatedSerializer()
        let rig = try rig(serializer)
        let requests = (0..<60).map { small(rig, $0) }
        let tasks = requests.map { rig.pipeline.imageTask(with: $0) }
        #expect(await eventually { rig.origin.requestCount == 60 })
        #expect(await eventually { rig.pipeline.pendingStoreByteCount >= 4 * Self.resultByteCount })
        try await Task.sleep(for: .milliseconds(200))
        // Four at the limit, and what was admitted before it was reached.
        #expect(rig.pipeline.pendingStoreByteCount <= (4 + 4) * Self.resultByteCount)
        #expect(tasks.count { $0.isFinished } <= 8)
        // A load that stores nothing does not wait for those that do.
        var other = small(rig, 100)
        other.options = .skipDiskWrites
        _ = try await rig.pipeline.image(for: other)
        serializer.isOpen.withLock { $0 = true }
        for task in tasks { _ = try await task.image }
        await rig.pipeline.flush()
        #expect(rig.pipeline.pendingStoreByteCount == 0)
        #expect(rig.pipeline.cache.disk?.count == 60)
    }

    @Test("a load that waits for room can be cancelled, and the others go on")
    func cancelled() async throws {
        let serializer = GatedSerializer()
        let rig = try rig(serializer)
        let tasks = (0..<30).map { rig.pipeline.imageTask(with: small(rig, $0)) }
        #expect(await eventually { rig.pipeline.pendingStoreByteCount >= 4 * Self.resultByteCount })
        let waiting = tasks.filter { !$0.isFinished }
        for task in waiting.dropLast() { task.cancel() }
        serializer.isOpen.withLock { $0 = true }
        _ = try await waiting.last?.image
        await rig.pipeline.waitUntilIdle()
        #expect(rig.pipeline.pendingStoreByteCount == 0)
        #expect(!rig.pipeline.isRunning)
    }

    @Test("a result that waits to be stored is a hit")
    func pendingIsHit() async throws {
        let serializer = GatedSerializer()
        let rig = try rig(serializer)
        let request = small(rig, 1)
        let first = try await rig.pipeline.response(for: request)
        #expect(await rig.pipeline.cache.containsOnDisk(request))
        let again = try await rig.pipeline.response(for: request)
        #expect(again.source == .disk)
        #expect(again.image.bitmap.size == first.image.bitmap.size)
        #expect(again.byteCount == first.byteCount && again.status == 200)
        #expect(rig.origin.requestCount == 1)
        serializer.isOpen.withLock { $0 = true }
        await rig.pipeline.waitUntilIdle()
    }

    @Test("shutdown returns within its grace while a result is still being encoded")
    func shutdownWithinGrace() async throws {
        let serializer = GatedSerializer()
        let rig = try rig(serializer)
        _ = try await rig.pipeline.image(for: small(rig, 1))
        await rig.pipeline.shutdown(grace: .milliseconds(50))
        #expect(rig.pipeline.pendingStoreByteCount > 0)
        serializer.isOpen.withLock { $0 = true }
        await rig.pipeline.flush()
        #expect(rig.pipeline.cache.disk?.count == 1)
    }

    @Test("the same facts come with a response from the network, from memory and from disk")
    func sameFacts() async throws {
        let rig = try Rig { $0.dataCachePolicy = .processed }
        let jpeg = try Image.jpeg(200, 10, 20, width: 200, height: 150)
        rig.origin.on("/a", .ok(jpeg))
        var request = rig.request("/a")
        request.target = ResizeTarget(width: 20, height: nil)
        let network = try await rig.pipeline.response(for: request)
        let memory = try await rig.pipeline.response(for: request)
        await rig.pipeline.flush()
        rig.pipeline.cache.memory?.removeAll()
        let disk = try await rig.pipeline.response(for: request)
        #expect([network.source, memory.source, disk.source] == [.network, .memory, .disk])
        for response in [network, memory, disk] {
            #expect(response.byteCount == jpeg.count)
            #expect(response.status == 200)
            #expect(response.format == .jpeg)
            #expect(response.image.info.storedSize == PixelSize(width: 200, height: 150))
        }
        #expect(network.metrics != nil && network.attempts == 1)
        for response in [memory, disk] { #expect(response.metrics == nil && response.attempts == 0) }
    }
}
