import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import Tintype

@Suite struct TaskTests {
    @Test(
        "S37: progress never goes back, has no total when there is none, and ends with the byte count",
        arguments: [
            true, false,
        ])
    func progress(isChunked: Bool) async throws {
        let rig = try Rig()
        let jpeg = try Image.jpeg(10, 200, 30, width: 1500, height: 1000)
        let size = jpeg.count / 10 + 1
        let starts = Array(stride(from: 0, to: jpeg.count, by: size))
        // Each piece waits until the one before it was reported.
        let gates = starts.map { _ in OriginGate() }
        var steps: [OriginResponse.Step] = []
        for (start, gate) in zip(starts, gates) {
            let piece = Data(jpeg[start..<min(start + size, jpeg.count)])
            let framed =
                isChunked ? Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8) : piece
            steps += [.send(framed), .gate(gate)]
        }
        let head = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(jpeg.count)"
        let all =
            [.send(Data("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n".utf8))] + steps
            + (isChunked ? [.send(Data("0\r\n\r\n".utf8))] : []) + [.close]
        rig.origin.on("/a", OriginResponse(steps: all))
        let task = rig.pipeline.imageTask(with: rig.request("/a"))
        var reports: [TransferProgress] = []
        for await report in task.progress {
            reports.append(report)
            for (start, gate) in zip(starts, gates) where report.received >= min(start + size, jpeg.count) {
                gate.open()
            }
        }
        #expect(zip(reports, reports.dropFirst()).allSatisfy { $0.received <= $1.received })
        #expect(reports.last?.received == jpeg.count)
        #expect(reports.count >= starts.count)
        if isChunked { #expect(reports.first?.total == nil) } else { #expect(reports.first?.total == jpeg.count) }
        _ = try await task.image
        var late: [TransferProgress] = []
        for await report in task.progress { late.append(report) }
        #expect(late.map(\.received) == [jpeg.count])
    }

    @Test("callbacks arrive in order on the chosen executor; the completion is the last, and comes once")
    func callbacks() async throws {
        let rig = try Rig()
        let jpeg = try Image.jpeg(10, 200, 30, width: 1500, height: 1000)
        rig.origin.on("/a", .ok(jpeg))
        let news = Locked<[String]>([])
        let deliveries = Locked(0)
        let executor = DeliveryExecutor { body in
            deliveries.withLock { $0 += 1 }
            body()
        }
        await withCheckedContinuation { continuation in
            rig.pipeline.loadImage(
                with: rig.request("/a"), deliverOn: executor,
                progress: { report in news.withLock { $0.append("progress \(report.received)") } },
                completion: { _ in
                    news.withLock { $0.append("end") }
                    continuation.resume()
                })
        }
        let all = news.withLock { $0 }
        #expect(all.last == "end")
        #expect(all.filter { $0 == "end" }.count == 1)
        #expect(all.contains("progress \(jpeg.count)"))
        #expect(deliveries.withLock { $0 } >= all.count)
        let hit = Locked(false)
        rig.pipeline.loadImage(with: rig.request("/a")) { result in
            hit.withLock { $0 = (try? result.get().source) == .memory }
        }
        #expect(hit.withLock { $0 })
        let end = await withCheckedContinuation { continuation in
            rig.origin.on("/stall", OriginResponse(steps: [.stall]))
            let task = rig.pipeline.loadImage(with: rig.request("/stall"), deliverOn: .mainActor) { result in
                continuation.resume(returning: result)
            }
            task.cancel()
        }
        #expect(throws: CancellationError.self) { try end.get() }
    }

    @Test("several wait for one task, late ones too, and all get the same")
    func severalWaiters() async throws {
        let rig = try Rig()
        rig.origin.on("/a", OriginResponse.ok(try Image.png(1, 2, 3)).delayed(0.02))
        let task = rig.pipeline.imageTask(with: rig.request("/a"))
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<20 { group.addTask { Image.color(of: try await task.image) } }
            for try await color in group { #expect(color == [1, 2, 3, 255]) }
        }
        #expect(task.isFinished)
        task.cancel()
        #expect(try await task.response.source == .network)
    }

    @Test("cancelAll ends every load once; isRunning tells when all work has stopped")
    func cancelAll() async throws {
        let rig = try Rig()
        rig.origin.onEverythingElse { _ in OriginResponse(steps: [.stall]) }
        let tasks = (0..<20).map { rig.pipeline.imageTask(with: rig.request("/\($0)")) }
        let data = Task { try await rig.pipeline.data(for: rig.request("/data")) }
        #expect(await rig.origin.wait { $0.requestCount == 6 })
        #expect(rig.pipeline.isRunning)
        #expect(await eventually { rig.pipeline.registry.otherLoadCount == 1 })
        rig.pipeline.cancelAll()
        for task in tasks { #expect(await code { _ = try await task.image } == "cancelled") }
        #expect(await code { _ = try await data.value } == "cancelled")
        #expect(await eventually { !rig.pipeline.isRunning })
        #expect(await rig.origin.wait { $0.openConnectionCount == 0 })
    }

    @Test("a processor's own error is told with its name; nothing is stored in memory")
    func processorError() async throws {
        struct Failure: Error {}
        struct Broken: ImageProcessor {
            var identifier = "broken"
            func process(_ bitmap: Bitmap) throws -> Bitmap { throw Failure() }
        }
        let rig = try Rig()
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)))
        var request = rig.request("/a")
        request.processors = [Broken()]
        do {
            _ = try await rig.pipeline.image(for: request)
            Issue.record("a broken processor gave an image")
        } catch PipelineError.processorFailed(let identifier, let error) {
            #expect(identifier == "broken" && error is Failure)
        }
        #expect(rig.pipeline.cachedImage(for: request) == nil)
        _ = try await rig.pipeline.image(for: rig.request("/a"))
        #expect(rig.origin.requestCount == 1)
    }

    @Test("processors share what they have in common: one run of the first for two lists that begin with it")
    func sharedPrefix() async throws {
        let rig = try Rig()
        let gate = OriginGate()
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)).gated(gate))
        let first = SwapProcessor(identifier: "first")
        let tasks = ["x", "y", "z"].map { name in
            var request = rig.request("/a")
            request.processors = [first, SwapProcessor(identifier: name)]
            return rig.pipeline.imageTask(with: request)
        }
        #expect(await rig.origin.wait { $0.requestCount == 1 })
        gate.open()
        for task in tasks { #expect(Image.color(of: try await task.image) == [1, 2, 3, 255]) }
        #expect(first.count.withLock { $0 } == 1)
    }

    @Test("the observer hears the whole story of a load")
    func events() async throws {
        let rig = try Rig()
        rig.origin.on("/a", .ok(try Image.png(1, 2, 3)))
        _ = try await rig.pipeline.image(for: rig.request("/a"))
        await rig.pipeline.waitUntilIdle()
        let names = rig.events.map { event in String("\(event.kind)".prefix { $0 != "(" }) }
        #expect(names.filter { $0 != "stored" } == ["started", "downloadStarted", "downloaded", "decoded", "finished"])
        #expect(names.contains("stored"))
    }

    @Test(
        "animations are carried with their frames; processors leave them alone unless asked; firstFrameOnly is a still")
    func animations() async throws {
        let rig = try Rig()
        rig.origin.on("/a", .ok(Image.gif))
        let plain = try await rig.pipeline.image(for: rig.request("/a"))
        #expect(plain.animation?.frameCount == 3)
        var request = rig.request("/a")
        request.processors = [SwapProcessor()]
        let untouched = try await rig.pipeline.image(for: request)
        #expect(Image.color(of: untouched)[0] > 200)
        #expect(untouched.animation?.frameCount == 3)
        request.options = .transformAnimatedImages
        let swapped = try await rig.pipeline.image(for: request)
        #expect(Image.color(of: swapped)[2] > 200)
        let last = try #require(try swapped.animation?.frame(at: 2))
        #expect(last[x: 0, y: 0].red > 200)
        request.options = .firstFrameOnly
        let still = try await rig.pipeline.image(for: request)
        #expect(still.animation == nil)
        #expect(Image.color(of: still)[2] > 200)
        request.processors = []
        request.options = .preloadAllFrames
        let preloaded = try await rig.pipeline.image(for: request)
        #expect(try preloaded.animation?.frame(at: 1)[x: 0, y: 0].green ?? 0 > 200)
        #expect(rig.origin.requestCount == 1)
    }
}

@Suite struct PreviewTests {
    /// Noise, so that the file is large enough to arrive in pieces.
    private func noise() throws -> Data {
        var state: UInt32 = 1
        let bitmap = try Bitmap(width: 200, height: 160, isOpaque: true) { bytes, bytesPerRow in
            for index in 0..<(bytesPerRow * 160) {
                state = state &* 1_664_525 &+ 1_013_904_223
                bytes[index] = index % 4 == 3 ? 255 : UInt8(state >> 24)
            }
        }
        return try ImageCodecs.standard.encode(bitmap, as: .png)
    }

    /// Half of the bytes in four pieces; then a little at a time, until the test has seen enough or nothing is left.
    private func drip(_ rig: Rig, _ data: Data, until hasSeenEnough: @escaping @Sendable () -> Bool) {
        var steps: [OriginResponse.Step] = [
            .send(Data("HTTP/1.1 200 OK\r\nContent-Length: \(data.count)\r\n\r\n".utf8))
        ]
        let size = data.count / 8
        for start in stride(from: 0, to: size * 4, by: size) {
            steps += [.send(Data(data[start..<start + size])), .wait(seconds: 0.05 * dripPace)]
        }
        let rest = Self.rest(of: data, from: size * 4, until: hasSeenEnough)
        rig.origin.on("/a", OriginResponse(steps: steps + [.then { rest }]))
    }

    private static func rest(
        of data: Data, from start: Int, until hasSeenEnough: @escaping @Sendable () -> Bool
    ) -> OriginResponse {
        let end = start + data.count / 400
        guard !hasSeenEnough(), end < data.count else {
            return OriginResponse(steps: [.send(Data(data[start...])), .close])
        }
        return OriginResponse(steps: [
            .send(Data(data[start..<end])), .wait(seconds: 0.05),
            .then { rest(of: data, from: end, until: hasSeenEnough) },
        ])
    }

    @Test(
        "progressive: previews of the whole size while the bytes arrive, processed and scaled like the image itself")
    func previews() async throws {
        let rig = try Rig { $0.progressivePreviewInterval = .milliseconds(10) }
        let seen = Locked(0)
        drip(rig, try noise()) { seen.withLock { $0 } >= 2 }
        var request = rig.request("/a")
        request.options = .progressive
        request.processors = [SwapProcessor()]
        request.target = ResizeTarget(width: 100, height: nil)
        let task = rig.pipeline.imageTask(with: request)
        var sizes: [PixelSize] = []
        for await preview in task.previews {
            sizes.append(preview.bitmap.size)
            seen.withLock { $0 += 1 }
        }
        #expect(sizes.count >= 2)
        #expect(sizes.allSatisfy { $0 == PixelSize(width: 100, height: 80) })
        #expect(try await task.image.bitmap.size == PixelSize(width: 100, height: 80))
    }

    @Test("without the option there are no previews; a waiter who wants them and comes late gets them")
    func lateInterest() async throws {
        let rig = try Rig { $0.progressivePreviewInterval = .milliseconds(10) }
        let seen = Locked(0)
        drip(rig, try noise()) { seen.withLock { $0 } >= 1 }
        let plain = rig.pipeline.imageTask(with: rig.request("/a"))
        #expect(await rig.origin.wait { $0.requestCount == 1 })
        try await Task.sleep(for: .milliseconds(100))
        var request = rig.request("/a")
        request.options = .progressive
        let progressive = rig.pipeline.imageTask(with: request)
        var count = 0
        for await _ in progressive.previews {
            count += 1
            seen.withLock { $0 += 1 }
        }
        #expect(count >= 1)
        var none = 0
        for await _ in plain.previews { none += 1 }
        #expect(none == 0)
        #expect(rig.origin.requestCount == 1)
    }
}
