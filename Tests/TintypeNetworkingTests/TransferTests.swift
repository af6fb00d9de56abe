import Foundation
import TestOrigin
import Testing

@testable import TintypeNetworking

@Suite struct TransferTests {
    let origin: TestOrigin
    let downloader = ImageDownloader()

    init() throws { origin = try TestOrigin() }

    @Test func fetchesBytesAndHead() async throws {
        let body = noise(100_000)
        origin.on("/a.png", .ok(body, type: "image/png", headers: [("ETag", "\"v1\"")]))
        let (data, response) = try await downloader.data(for: .test(origin.url("/a.png")))
        #expect(data == body)
        #expect(response.status == 200)
        #expect(response.contentType == "image/png")
        #expect(response.headers["etag"] == "\"v1\"")
        #expect(response.finalURL == origin.url("/a.png"))
        #expect(response.attempts == 1)
        #expect(response.metrics.bodyByteCountOnWire == 100_000)
        #expect(response.metrics.protocolName == "http/1.1")
        #expect(response.metrics.remoteAddress == "127.0.0.1")
        #expect(response.metrics.remotePort == origin.port)
        #expect(!response.metrics.reusedConnection)
        let (_, second) = try await downloader.data(for: .test(origin.url("/a.png")))
        #expect(second.metrics.reusedConnection)
        #expect(origin.connectionCount == 1)
        #expect(origin.log[0].header("User-Agent")?.hasPrefix("Tintype/") == true)
        #expect(origin.log[0].header("Accept") == "image/*,*/*;q=0.8")
    }

    // Scenario S35.
    @Test("body shorter than Content-Length")
    func shortBody() async throws {
        let body = noise(100_000)
        origin.on("/a.jpg", .truncated(body, sent: 60_000))
        #expect(
            await downloader.failure(.test(origin.url("/a.jpg"))) == .truncated(received: 60_000, expected: 100_000))
    }

    @Test func badStatusIsAnError() async throws {
        origin.on("/gone", .status(404))
        guard case .badStatus(404, _)? = await downloader.failure(.test(origin.url("/gone"))) else {
            Issue.record("no badStatus")
            return
        }
    }

    @Test func followsRedirects() async throws {
        origin.on("/1", .redirect(to: "/2"))
        origin.on("/2", .redirect(to: "/3"))
        origin.on("/3", .text("there"))
        let (data, response) = try await downloader.data(for: .test(origin.url("/1")))
        #expect(data == Data("there".utf8))
        #expect(response.redirectCount == 2)
        #expect(response.finalURL == origin.url("/3"))
    }

    @Test func gzipIsUndone() async throws {
        let body = Data(repeating: 7, count: 100_000)
        origin.on("/z", .gzip(body))
        let (data, _) = try await downloader.data(for: .test(origin.url("/z")))
        #expect(data == body)
    }

    @Test func cancelEndsAtOnce() async throws {
        origin.on("/hang", .hang)
        let transfer = downloader.transfer(for: .test(origin.url("/hang")))
        #expect(await origin.wait { $0.count(of: "/hang") == 1 })
        transfer.cancel()
        await #expect(throws: NetworkingError.cancelled) { try await transfer.result() }
        #expect(await origin.wait { $0.closings.count == 1 })
    }
}
