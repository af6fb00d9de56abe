import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import Tintype

@Suite struct LoadingTests {
    @Test("network, then memory, then disk after a restart")
    func tiers() async throws {
        let rig = try Rig()
        rig.origin.on("/red.png", .ok(try Image.png(255, 0, 0), type: "image/png"))
        let first = try await rig.pipeline.response(for: rig.request("/red.png"))
        #expect(first.source == .network)
        #expect(first.status == 200)
        #expect(first.format == .png)
        #expect(first.attempts == 1)
        #expect(Image.color(of: first.image) == [255, 0, 0, 255])
        let second = try await rig.pipeline.response(for: rig.request("/red.png"))
        #expect(second.source == .memory)
        #expect(rig.pipeline.cachedImage(for: rig.request("/red.png")) != nil)
        let restarted = try await rig.restarted()
        #expect(restarted.cachedImage(for: rig.request("/red.png")) == nil)
        let third = try await restarted.response(for: rig.request("/red.png"))
        #expect(third.source == .disk)
        #expect(Image.color(of: third.image) == [255, 0, 0, 255])
        #expect(rig.origin.requestCount == 1)
    }

    @Test("a load in the completion of another hits memory; without memory it finds the staged bytes")
    func storedBeforeDelivery() async throws {
        let rig = try Rig()
        rig.origin.on("/a.png", .ok(try Image.png(1, 2, 3)))
        let source = await withCheckedContinuation { continuation in
            rig.pipeline.loadImage(with: rig.request("/a.png")) { _ in
                let again = rig.pipeline.cachedImage(for: rig.request("/a.png"))
                continuation.resume(returning: again != nil)
            }
        }
        #expect(source)
        rig.pipeline.cache.memory?.removeAll()
        #expect(try await rig.pipeline.response(for: rig.request("/a.png")).source == .disk)
        #expect(rig.origin.requestCount == 1)
    }

    @Test("100 loads of one URL at once are one request and one decode")
    func coalescing() async throws {
        let rig = try Rig()
        let gate = OriginGate()
        rig.origin.on("/slow.png", .ok(try Image.png(9, 9, 9)).gated(gate))
        let tasks = (0..<100).map { _ in rig.pipeline.imageTask(with: rig.request("/slow.png")) }
        #expect(await rig.origin.wait { $0.requestCount == 1 })
        gate.open()
        for task in tasks { #expect(try await task.response.source == .network) }
        #expect(rig.origin.requestCount == 1)
        #expect(rig.events.filter { if case .decoded = $0.kind { true } else { false } }.count == 1)
        await rig.pipeline.waitUntilIdle()
        #expect(!rig.pipeline.isRunning)
    }

    @Test("S53: of three waiters the first and the second cancel; the third gets the image over one connection")
    func cancelOfOneWaiter() async throws {
        let rig = try Rig()
        let gate = OriginGate()
        rig.origin.on("/slow.png", .ok(try Image.png(9, 9, 9)).gated(gate))
        let tasks = (0..<3).map { _ in rig.pipeline.imageTask(with: rig.request("/slow.png")) }
        #expect(await rig.origin.wait { $0.requestCount == 1 })
        for task in tasks.prefix(2) {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.response }
        }
        gate.open()
        #expect(try await tasks[2].response.source == .network)
        #expect(rig.origin.connectionCount == 1)
    }

    @Test("S53: when all waiters cancel, the transfer is aborted, and a new load starts cleanly")
    func cancelOfAllWaiters() async throws {
        let rig = try Rig()
        let gate = OriginGate()
        rig.origin.on("/slow.png", .ok(try Image.png(9, 9, 9)).gated(gate), .ok(try Image.png(7, 7, 7)))
        let tasks = (0..<3).map { _ in rig.pipeline.imageTask(with: rig.request("/slow.png")) }
        #expect(await rig.origin.wait { $0.requestCount == 1 })
        for task in tasks { task.cancel() }
        #expect(Image.color(of: try await rig.pipeline.image(for: rig.request("/slow.png"))) == [7, 7, 7, 255])
        #expect(await rig.origin.wait { $0.closings.count == 1 })
        #expect(rig.origin.requestCount == 2)
        #expect(await eventually { !rig.pipeline.isRunning })
    }

    @Test("S55: with another processor the download is shared, also when one is already being decoded")
    func processorsShareTheDownload() async throws {
        let rig = try Rig()
        let gate = OriginGate()
        rig.origin.on("/a.png", .ok(try Image.png(200, 10, 20)).gated(gate))
        let plain = rig.pipeline.imageTask(with: rig.request("/a.png"))
        var swapped = rig.request("/a.png")
        swapped.processors = [SwapProcessor()]
        let other = rig.pipeline.imageTask(with: swapped)
        var small = rig.request("/a.png")
        small.target = ResizeTarget(width: 4, height: nil)
        let third = rig.pipeline.imageTask(with: small)
        #expect(await rig.origin.wait { $0.requestCount == 1 })
        gate.open()
        #expect(Image.color(of: try await plain.image) == [200, 10, 20, 255])
        #expect(Image.color(of: try await other.image) == [20, 10, 200, 255])
        #expect(try await third.image.bitmap.size == PixelSize(width: 4, height: 3))
        #expect(rig.origin.requestCount == 1)
    }

    @Test("cancelling the Swift task that waits cancels the load at once")
    func structuredCancellation() async throws {
        let rig = try Rig()
        rig.origin.on("/never", OriginResponse(steps: [.stall]))
        let load = Task { try await rig.pipeline.image(for: rig.request("/never")) }
        #expect(await rig.origin.wait { $0.requestCount == 1 })
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(await eventually { !rig.pipeline.isRunning })
    }
}
