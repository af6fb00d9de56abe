import Foundation
import TestOrigin
import Testing

@testable import TintypeNetworking

@Suite struct StreamingTests {
    let origin: TestOrigin
    let downloader = ImageDownloader()

    init() throws { origin = try TestOrigin() }

    @Test func chunksComeWhileTheBodyArrives() async throws {
        let gate = OriginGate()
        let body = noise(60_000)
        origin.on(
            "/a",
            OriginResponse(steps: [
                .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n".utf8) + body.prefix(20_000)), .gate(gate),
                .send(Data(body.dropFirst(20_000))),
            ]))
        let transfer = downloader.transfer(for: .test(origin.url("/a")))
        var received = Data()
        for try await chunk in transfer.chunks {
            #expect(chunk.offset == received.count)
            received += chunk.data
            if received.count == 20_000 { gate.open() }
        }
        #expect(received == body)
        #expect(try await transfer.result().0 == body)
    }

    @Test func aLateReaderGetsEverything() async throws {
        let body = noise(100_000)
        origin.on("/a", .ok(body))
        let transfer = downloader.transfer(for: .test(origin.url("/a")))
        _ = try await transfer.result()
        var received = Data()
        for try await chunk in transfer.chunks { received += chunk.data }
        #expect(received == body)
        var second = 0
        for try await _ in transfer.chunks { second += 1 }
        #expect(second <= 1)
    }

    @Test func chunksThrowTheErrorOfTheTransfer() async throws {
        origin.on("/a", .truncated(noise(1000), sent: 500))
        let transfer = downloader.transfer(for: .test(origin.url("/a")))
        var count = 0
        await #expect(throws: NetworkingError.truncated(received: 500, expected: 1000)) {
            for try await chunk in transfer.chunks { count += chunk.data.count }
        }
        #expect(count == 500)
    }

    @Test func aSlowReaderSlowsTheServer() async throws {
        origin.on("/a", .ok(noise(32 << 20)))
        let transfer = downloader.transfer(for: .test(origin.url("/a")) { $0.keepsBody = false })
        var iterator = transfer.chunks.makeAsyncIterator()
        let first = try #require(try await iterator.next())
        try await Task.sleep(for: .milliseconds(300))
        var reached = 0
        for await report in transfer.progress {
            reached = report.received
            break
        }
        // What the reader has, what waits for it, and a piece on its way.
        #expect(reached < 4 << 20, "\(reached) bytes were taken although no reader took them")
        var count = first.data.count
        while let chunk = try await iterator.next() {
            #expect(chunk.offset == count)
            count += chunk.data.count
        }
        #expect(count == 32 << 20)
        let (data, _) = try await transfer.result()
        #expect(data.isEmpty, "the reader has it")
    }

    @Test func aReaderThatGoesAwayDoesNotHoldTheTransfer() async throws {
        let body = noise(8 << 20)
        origin.on("/a", .ok(body))
        let transfer = downloader.transfer(for: .test(origin.url("/a")))
        for try await _ in transfer.chunks { break }
        #expect(try await transfer.result().0 == body)
    }

    @Test func cancellingAReaderEndsItsLoop() async throws {
        origin.on("/a", .stalled(noise(1000), after: 500))
        let transfer = downloader.transfer(for: .test(origin.url("/a")))
        let reader = Task {
            var count = 0
            for try await chunk in transfer.chunks { count += chunk.data.count }
            return count
        }
        for await report in transfer.progress where report.received == 500 { break }
        reader.cancel()
        _ = try await reader.value
        transfer.cancel()
    }

    @Test func aPausedTransferCanBeCancelled() async throws {
        origin.on("/a", .ok(noise(16 << 20)))
        let transfer = downloader.transfer(for: .test(origin.url("/a")))
        var iterator = transfer.chunks.makeAsyncIterator()
        _ = try await iterator.next()
        try await Task.sleep(for: .milliseconds(100))
        transfer.cancel()
        await #expect(throws: NetworkingError.cancelled) { try await transfer.result() }
        #expect(await origin.wait { $0.closings.count == 1 })
    }

    // MARK: Hooks

    @Test func requestModifier() async throws {
        origin.onEverythingElse { _ in .text("x") }
        let target = origin.url("/changed")
        _ = try await downloader.data(
            for: .test(origin.url("/a")) {
                $0.hooks.requestModifier = { request in
                    var request = request
                    request.url = target
                    request.headers["X-Signed"] = "1"
                    return request
                }
            })
        #expect(origin.log.map(\.path) == ["/changed"])
        #expect(origin.log[0].header("X-Signed") == "1")
        #expect(await downloader.failure(.test(target) { $0.hooks.requestModifier = { _ in nil } })?.code == "blocked")
        struct Mine: Error {}
        #expect(
            await downloader.failure(.test(target) { $0.hooks.requestModifier = { _ in throw Mine() } })?.code
                == "blocked")
        let slow = downloader.transfer(
            for: .test(target) {
                $0.hooks.requestModifier = { request in
                    try await Task.sleep(for: .seconds(60))
                    return request
                }
            })
        slow.cancel()
        await #expect(throws: NetworkingError.cancelled) { try await slow.result() }
        #expect(origin.requestCount == 1)
    }

    @Test func responseModifier() async throws {
        let body = noise(300_000)
        origin.on("/a", .status(404, body: body))
        let accept: @Sendable (ResponseHead) async throws -> ResponseHead? = { head in
            try await Task.sleep(for: .milliseconds(20))
            var head = head
            head.status = 200
            head.headers["X"] = "y"
            return head
        }
        let (data, response) = try await downloader.data(
            for: .test(origin.url("/a")) { $0.hooks.responseModifier = accept })
        #expect(data == body && response.status == 200 && response.headers["X"] == "y")
        origin.on("/empty", .ok(Data()))
        #expect(
            await downloader.failure(.test(origin.url("/empty")) { $0.hooks.responseModifier = accept }) == .emptyBody)
        #expect(
            await downloader.failure(.test(origin.url("/a")) { $0.hooks.responseModifier = { _ in nil } })?.code
                == "blocked")
        #expect(
            await downloader.failure(
                .test(origin.url("/a")) { $0.hooks.responseModifier = { _ in throw NetworkingError.emptyBody } })
                == .emptyBody)
    }

    @Test func dataTransformer() async throws {
        origin.on("/a", .text("TWFu"))
        let (data, _) = try await downloader.data(
            for: .test(origin.url("/a")) {
                $0.hooks.dataTransformer = { data, _ in
                    guard let plain = Data(base64Encoded: data) else { throw NetworkingError.corrupt("not base64") }
                    return plain
                }
            })
        #expect(data == Data("Man".utf8))
        origin.on("/b", .text("*"))
        let error = await downloader.failure(
            .test(origin.url("/b")) {
                $0.hooks.dataTransformer = { data, _ in
                    guard let plain = Data(base64Encoded: data) else { throw NetworkingError.corrupt("not base64") }
                    return plain
                }
            })
        #expect(error == .corrupt("not base64"))
    }

    @Test func hooksOfTheDownloaderAndOfTheRequest() async throws {
        origin.onEverythingElse { .text($0.header("X") ?? "none") }
        var configuration = ImageDownloader.Configuration()
        configuration.hooks.requestModifier = { request in
            var request = request
            request.headers["X"] = "downloader"
            return request
        }
        let downloader = ImageDownloader(configuration)
        #expect(try await downloader.data(for: .test(origin.url("/"))).0 == Data("downloader".utf8))
        let own = try await downloader.data(
            for: .test(origin.url("/")) {
                $0.hooks.requestModifier = { request in
                    var request = request
                    request.headers["X"] = "request"
                    return request
                }
            })
        #expect(own.0 == Data("request".utf8))
    }
}
