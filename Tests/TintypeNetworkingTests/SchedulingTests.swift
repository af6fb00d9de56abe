import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import TintypeNetworking

@Suite struct SchedulingTests {
    let origin: TestOrigin

    init() throws { origin = try TestOrigin() }

    private func downloader(_ change: (inout ImageDownloader.Configuration) -> Void) -> ImageDownloader {
        var configuration = ImageDownloader.Configuration()
        change(&configuration)
        return ImageDownloader(configuration)
    }

    @Test func sixAtOnceByDefault() async throws {
        let gate = OriginGate()
        origin.onEverythingElse { _ in OriginResponse.text("x").gated(gate) }
        let downloader = ImageDownloader()
        let transfers = (0..<20).map { downloader.transfer(for: .test(origin.url("/\($0)"))) }
        #expect(await origin.wait { $0.requestCount == 6 })
        try await Task.sleep(for: .milliseconds(100))
        #expect(origin.requestCount == 6)
        downloader.maximumPerHost = 9
        downloader.maximumConcurrentTransfers = 9
        #expect(await origin.wait { $0.requestCount == 9 })
        gate.open()
        for transfer in transfers { _ = try await transfer.result() }
        #expect(origin.log.prefix(6).map(\.path).sorted() == (0..<6).map { "/\($0)" })
    }

    @Test(arguments: [TransferOrder.fifo, .lifo])
    func order(_ order: TransferOrder) async throws {
        let gate = OriginGate()
        origin.onEverythingElse { _ in .text("x") }
        origin.on("/first", OriginResponse.text("x").gated(gate))
        let downloader = downloader {
            $0.maximumConcurrentTransfers = 1
            $0.order = order
        }
        let first = downloader.transfer(for: .test(origin.url("/first")))
        #expect(await origin.wait { $0.requestCount == 1 })
        let rest = (0..<5).map { downloader.transfer(for: .test(origin.url("/\($0)"))) }
        gate.open()
        for transfer in [first] + rest { _ = try await transfer.result() }
        let expected = (0..<5).map { "/\($0)" }
        #expect(origin.log.dropFirst().map(\.path) == (order == .fifo ? expected : expected.reversed()))
    }

    @Test func prioritiesAndTheirChange() async throws {
        let gate = OriginGate()
        origin.onEverythingElse { _ in .text("x") }
        origin.on("/first", OriginResponse.text("x").gated(gate))
        let downloader = downloader { $0.maximumConcurrentTransfers = 1 }
        let first = downloader.transfer(for: .test(origin.url("/first")))
        #expect(await origin.wait { $0.requestCount == 1 })
        let rest = ImagePriority.allCases.map { priority in
            downloader.transfer(for: .test(origin.url("/\(priority)")) { $0.priority = priority })
        }
        rest[0].priority = .veryHigh
        rest[3].priority = .veryLow
        gate.open()
        for transfer in [first] + rest { _ = try await transfer.result() }
        #expect(origin.log.dropFirst().map(\.path) == ["/veryLow", "/veryHigh", "/normal", "/low", "/high"])
    }

    @Test func aStalledHostDoesNotBlockAnother() async throws {
        let other = try TestOrigin()
        origin.onEverythingElse { _ in .hang }
        other.on("/a", .text("x"))
        let downloader = downloader { $0.stallTolerance = .milliseconds(100) }
        let stuck = (0..<30).map { downloader.transfer(for: .test(origin.url("/\($0)"))) }
        #expect(await origin.wait { $0.requestCount == 6 })
        // The transfers to the stalled host never end, so without its own place this one would not either.
        let (data, _) = try await downloader.data(for: .test(other.url("/a")))
        #expect(data == Data("x".utf8))
        #expect(origin.requestCount == 6, "the host's own limit stays")
        for transfer in stuck { transfer.cancel() }
        await downloader.shutdown()
        #expect(await origin.wait { $0.openConnectionCount == 0 })
    }

    @Test func rateLimit() async throws {
        origin.onEverythingElse { _ in .text("x") }
        let downloader = downloader { $0.rateLimit = RateLimit(perSecond: 50, burst: 2) }
        let start = originClock()
        let transfers = (0..<12).map { downloader.transfer(for: .test(origin.url("/\($0)"))) }
        transfers[11].cancel()
        for transfer in transfers.dropLast() { _ = try await transfer.result() }
        // Nine after the burst, one each 20 ms.
        #expect(originClock() - start > 0.17)
        #expect(origin.requestCount == 11)
    }

    @Test func suspension() async throws {
        origin.onEverythingElse { _ in .text("x") }
        let gate = OriginGate()
        origin.on("/running", OriginResponse.text("x").gated(gate))
        let downloader = ImageDownloader()
        let running = downloader.transfer(for: .test(origin.url("/running")))
        #expect(await origin.wait { $0.requestCount == 1 })
        downloader.isSuspended = true
        let waiting = downloader.transfer(for: .test(origin.url("/waiting")))
        gate.open()
        _ = try await running.result()
        try await Task.sleep(for: .milliseconds(50))
        #expect(origin.requestCount == 1)
        #expect(downloader.isSuspended)
        downloader.isSuspended = false
        _ = try await waiting.result()
    }

    @Test("cancelling a transfer closes its socket and leaves the others")
    func cancelReachesTheSocket() async throws {
        origin.onEverythingElse { _ in .hang }
        let downloader = ImageDownloader()
        let transfers = (0..<5).map { downloader.transfer(for: .test(origin.url("/\($0)"))) }
        #expect(await origin.wait { $0.requestCount == 5 })
        for (index, transfer) in transfers.enumerated() {
            transfer.cancel()
            await #expect(throws: NetworkingError.cancelled) { try await transfer.result() }
            #expect(await origin.wait { $0.closings.count == index + 1 })
            let closing = try #require(origin.closings.last)
            #expect(closing.path == "/\(index)")
        }
    }

    @Test func cancelledWhileQueuedNeverReachesTheServer() async throws {
        let gate = OriginGate()
        origin.onEverythingElse { _ in OriginResponse.text("x").gated(gate) }
        let downloader = downloader { $0.maximumConcurrentTransfers = 1 }
        let first = downloader.transfer(for: .test(origin.url("/first")))
        let second = downloader.transfer(for: .test(origin.url("/second")))
        let third = downloader.transfer(for: .test(origin.url("/third")))
        second.cancel()
        second.cancel()
        await #expect(throws: NetworkingError.cancelled) { try await second.result() }
        gate.open()
        _ = try await first.result()
        _ = try await third.result()
        #expect(origin.log.map(\.path) == ["/first", "/third"])
    }

    @Test func cancellingTheTask() async throws {
        origin.on("/hang", .hang)
        let downloader = ImageDownloader()
        let url = origin.url("/hang")
        let task = Task { try await downloader.data(for: .test(url)) }
        #expect(await origin.wait { $0.requestCount == 1 })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await origin.wait { $0.closings.count == 1 })
        let late = Task {
            try? await Task.sleep(for: .seconds(60))
            return try await downloader.data(for: .test(url))
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(origin.requestCount == 1)
    }

    @Test func aCancelledWaiterLeavesTheTransferToOthers() async throws {
        let gate = OriginGate()
        origin.on("/a", OriginResponse.text("x").gated(gate))
        let downloader = ImageDownloader()
        let transfer = downloader.transfer(for: .test(origin.url("/a")))
        let waiters = (0..<3).map { _ in Task { try await transfer.result().0 } }
        #expect(await origin.wait { $0.requestCount == 1 })
        waiters[0].cancel()
        await #expect(throws: CancellationError.self) { try await waiters[0].value }
        gate.open()
        #expect(try await waiters[1].value == Data("x".utf8))
        #expect(try await waiters[2].value == Data("x".utf8))
        #expect(try await transfer.result().0 == Data("x".utf8))
    }

    @Test func cancelAll() async throws {
        origin.onEverythingElse { _ in .hang }
        let downloader = ImageDownloader()
        let transfers = (0..<20).map { downloader.transfer(for: .test(origin.url("/\($0)"))) }
        #expect(await origin.wait { $0.requestCount == 6 })
        downloader.cancelAll()
        for transfer in transfers {
            await #expect(throws: NetworkingError.cancelled) { try await transfer.result() }
        }
        origin.on("/after", .text("x"))
        #expect(try await downloader.data(for: .test(origin.url("/after"))).0.count == 1)
    }

    @Test func shutdownWithGrace() async throws {
        let gate = OriginGate()
        origin.on("/soon", OriginResponse.text("x").gated(gate))
        origin.on("/never", .hang)
        let downloader = downloader { $0.maximumConcurrentTransfers = 3 }
        let background = downloader.transfer(for: .test(origin.url("/soon")) { $0.continuesInBackground = true })
        let stuck = downloader.transfer(for: .test(origin.url("/never")) { $0.continuesInBackground = true })
        let ordinary = downloader.transfer(for: .test(origin.url("/never")))
        #expect(await origin.wait { $0.requestCount == 3 })
        let start = originClock()
        let shutdown = Task { await downloader.shutdown(grace: .seconds(8)) }
        await #expect(throws: NetworkingError.cancelled) { try await ordinary.result() }
        #expect(!background.isFinished, "no grace for it")
        gate.open()
        #expect(try await background.result().0 == Data("x".utf8))
        await #expect(throws: NetworkingError.cancelled) { try await stuck.result() }
        await shutdown.value
        #expect(originClock() - start > 7.9)
        await #expect(throws: NetworkingError.cancelled) { try await downloader.data(for: .test(origin.url("/soon"))) }
        await downloader.shutdown()
        #expect(await origin.wait { $0.openConnectionCount == 0 }, "nothing stays open")
    }

    @Test func shutdownOfADownloaderThatNeverRan() async {
        await ImageDownloader().shutdown()
    }

    @Test func lettingGoOfTheDownloaderEndsItsThread() async throws {
        origin.on("/a", OriginResponse.text("x").delayed(0.05))
        var downloader: ImageDownloader? = ImageDownloader()
        let transfer = try #require(downloader?.transfer(for: .test(origin.url("/a"))))
        weak let engine = downloader?.engine
        downloader = nil
        #expect(try await transfer.result().0 == Data("x".utf8), "what was ordered is still delivered")
        #expect(await origin.wait { $0.openConnectionCount == 0 })
        _ = engine
    }

    @Test func defaultHeaders() async throws {
        origin.onEverythingElse { _ in .text("x") }
        let downloader = downloader {
            $0.userAgent = "Mine/1"
            $0.accept = "image/png"
            $0.defaultHeaders = ["X-A": "1"]
        }
        downloader.setDefaultHeader("X-B", "2")
        _ = try await downloader.data(for: .test(origin.url("/")))
        downloader.setDefaultHeader("X-A", nil)
        #expect(downloader.defaultHeader("X-A") == nil)
        _ = try await downloader.data(
            for: .test(origin.url("/")) {
                $0.headers = ["x-b": "3", "Accept": "text/html", "User-Agent": "Other", "X-Empty": ""]
            })
        let (first, second) = (origin.log[0], origin.log[1])
        #expect(first.header("User-Agent") == "Mine/1" && first.header("Accept") == "image/png")
        #expect(first.header("X-A") == "1" && first.header("X-B") == "2")
        #expect(second.header("User-Agent") == "Other" && second.header("Accept") == "text/html")
        #expect(second.header("X-A") == nil && second.header("X-B") == "3" && second.header("X-Empty") == "")
        #expect(second.headers.filter { ["accept", "user-agent", "x-b"].contains($0.name.lowercased()) }.count == 3)
    }
}
