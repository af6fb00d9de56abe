import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import Tintype

@Suite struct PrefetchTests {
    private func prefetcher(_ rig: Rig, _ change: (inout ImagePrefetcher.Configuration) -> Void = { _ in })
        -> ImagePrefetcher
    {
        var configuration = ImagePrefetcher.Configuration()
        change(&configuration)
        return ImagePrefetcher(pipeline: rig.pipeline, configuration: configuration)
    }

    private func processed(_ rig: Rig, _ path: String) -> ImageRequest {
        var request = rig.request(path)
        request.processors = [SwapProcessor()]
        return request
    }

    @Test(
        "S61: [A, A, B] with a processor: two requests; again: none; a view then finds its image in memory",
        arguments: ImagePrefetcher.Destination.allCases)
    func duplicates(destination: ImagePrefetcher.Destination) async throws {
        let rig = try Rig()
        for path in ["/a", "/b"] { rig.origin.on(path, .ok(try Image.png(1, 2, 3))) }
        let list = [processed(rig, "/a"), processed(rig, "/a"), processed(rig, "/b")]
        let first = await prefetcher(rig) { $0.destination = destination }.prefetch(list)
        #expect((first.loaded, first.failed, first.skipped, first.cancelled) == (2, 0, 1, 0))
        #expect(rig.origin.requestCount == 2)
        let second = await prefetcher(rig) { $0.destination = destination }.prefetch(list)
        #expect((second.loaded, second.failed, second.skipped) == (0, 0, 3))
        #expect(rig.origin.requestCount == 2)
        await rig.pipeline.waitUntilIdle()
        #expect((rig.pipeline.cachedImage(for: list[0]) != nil) == (destination != .disk))
        #expect(rig.pipeline.cache.disk?.count == (destination == .memory ? 0 : 2))
        #expect(Image.color(of: try await rig.pipeline.image(for: list[0])) == [3, 2, 1, 255])
        #expect(rig.origin.requestCount == 2)
    }

    @Test("S61: an empty list ends at once, a 404 is counted, every batch ends exactly once")
    func ends() async throws {
        let rig = try Rig()
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)))
        let prefetcher = prefetcher(rig)
        let ends = Locked<[ImagePrefetcher.Summary]>([])
        prefetcher.start([]) { summary in ends.withLock { $0.append(summary) } }
        #expect(ends.withLock { $0.count } == 1)
        let summary = await prefetcher.prefetch([rig.request("/a"), rig.request("/missing"), rig.request("/missing")])
        #expect((summary.loaded, summary.failed, summary.skipped) == (1, 2, 0))
        #expect(summary.failures.map(\.source) == [rig.url("/missing")])
        #expect(rig.origin.requestCount == 2)
    }

    @Test("S61: a second batch does not disturb the first; stopping one ends it once, with its counts")
    func batches() async throws {
        let rig = try Rig()
        let gate = OriginGate()
        let png = try Image.png(1, 2, 3)
        rig.origin.onEverythingElse { request in
            request.path.hasPrefix("/slow") ? OriginResponse.ok(png).gated(gate) : .ok(png)
        }
        let prefetcher = prefetcher(rig) { $0.maximumConcurrentLoads = 4 }
        let ends = Locked<[String: [ImagePrefetcher.Summary]]>([:])
        let slow = prefetcher.start((0..<10).map { rig.request("/slow\($0)") }) { summary in
            ends.withLock { $0["slow", default: []].append(summary) }
        }
        #expect(await rig.origin.wait { $0.requestCount == 4 })
        prefetcher.start((0..<5).map { rig.request("/fast\($0)") }) { summary in
            ends.withLock { $0["fast", default: []].append(summary) }
        }
        #expect(slow.summary.finished == 0)
        slow.stop()
        slow.stop()
        #expect(ends.withLock { $0["slow"]?.map(\.cancelled) } == [10])
        #expect(await eventually { ends.withLock { $0["fast"] != nil } })
        #expect(ends.withLock { $0["fast"]?.map(\.loaded) } == [5])
        gate.open()
        await rig.pipeline.waitUntilIdle()
        #expect(ends.withLock { $0.values.map(\.count) } == [1, 1])
        #expect(rig.origin.requestCount == 9)
    }

    @Test("three at a time; pausing lets what runs end and starts nothing")
    func limitAndPause() async throws {
        let rig = try Rig()
        let gate = OriginGate()
        let png = try Image.png(1, 2, 3)
        let atOnce = Locked((now: 0, most: 0))
        rig.origin.onEverythingElse { _ in
            atOnce.withLock { count in
                count.now += 1
                count.most = max(count.most, count.now)
            }
            return OriginResponse(
                steps: [
                    .gate(gate), .wait(seconds: 0.002),
                    .then {
                        atOnce.withLock { $0.now -= 1 }
                        return .ok(png)
                    },
                ], keepsAlive: true)
        }
        let prefetcher = prefetcher(rig)
        let done = Locked<ImagePrefetcher.Summary?>(nil)
        let steps = Locked(0)
        prefetcher.start(
            (0..<12).map { rig.request("/\($0)") },
            progress: { _ in steps.withLock { $0 += 1 } }, completion: { summary in done.withLock { $0 = summary } })
        #expect(await rig.origin.wait { $0.requestCount == 3 })
        prefetcher.isPaused = true
        gate.open()
        #expect(await eventually { steps.withLock { $0 } == 3 })
        try await Task.sleep(for: .milliseconds(30))
        #expect(rig.origin.requestCount == 3)
        prefetcher.isPaused = false
        #expect(await eventually { done.withLock { $0 } != nil })
        #expect(done.withLock { $0?.loaded } == 12)
        #expect(atOnce.withLock { $0.most } == 3)
    }

    @Test("a visible load joins what is being prefetched and lifts its priority")
    func promotion() async throws {
        let rig = try Rig { configuration in
            var downloads = ImageDownloader.Configuration()
            downloads.maximumConcurrentTransfers = 1
            configuration.downloader = ImageDownloader(downloads)
        }
        let gate = OriginGate()
        let png = try Image.png(1, 2, 3)
        rig.origin.onEverythingElse { _ in OriginResponse.ok(png).gated(gate) }
        let blocker = rig.pipeline.imageTask(with: rig.request("/first"))
        #expect(await rig.origin.wait { $0.requestCount == 1 })
        let prefetcher = prefetcher(rig) { $0.maximumConcurrentLoads = 8 }
        async let summary = prefetcher.prefetch((0..<5).map { rig.request("/p\($0)") })
        #expect(await eventually { rig.pipeline.fetches.runningCount == 6 })
        let other = rig.pipeline.imageTask(with: rig.request("/normal"))
        let visible = rig.pipeline.imageTask(
            with: {
                var request = rig.request("/p4")
                request.priority = .high
                return request
            }())
        #expect(await eventually { rig.pipeline.fetches.runningCount == 7 })
        // The queue belongs to the engine's thread and cannot be asked; what was submitted reaches it well within this.
        try await Task.sleep(for: .milliseconds(600 * Int(dripPace)))
        gate.open()
        for task in [blocker, other, visible] { _ = try await task.image }
        #expect(await summary.loaded == 5)
        #expect(Array(rig.origin.log.map(\.path).prefix(3)) == ["/first", "/p4", "/normal"])
        #expect(rig.origin.requestCount == 7)
    }
}
