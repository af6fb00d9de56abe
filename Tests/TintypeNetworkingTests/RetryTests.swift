import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import TintypeNetworking

/// A clock that notes the waits and does not wait.
final class FakeClock: Sendable {
    let waits = Locked<[Duration]>([])
    let now: Double

    init(now: Double = 784_111_770) { self.now = now }

    var retryClock: RetryClock {
        RetryClock(
            now: { [now] in now }, sleep: { [waits] duration in waits.withLock { $0.append(duration) } }, random: { 0 })
    }
}

@Suite struct RetryTests {
    let origin: TestOrigin
    let clock = FakeClock()
    let downloader: ImageDownloader

    init() throws {
        origin = try TestOrigin()
        var configuration = ImageDownloader.Configuration()
        configuration.retryClock = clock.retryClock
        downloader = ImageDownloader(configuration)
    }

    private func request(_ path: String) -> DownloadRequest {
        .test(origin.url(path)) { $0.retry = RetryPolicy() }
    }

    private var waits: [Duration] { clock.waits.withLock { $0 } }

    // Scenario S51.
    @Test("500, 500, 200")
    func twice() async throws {
        origin.on("/a", .status(500), .status(500), .text("ok"))
        let (data, response) = try await downloader.data(for: request("/a"))
        #expect(data == Data("ok".utf8))
        #expect(response.attempts == 3)
        #expect(waits == [.milliseconds(500), .seconds(1)])
    }

    // Scenario S51.
    @Test("three times is too often")
    func givesUp() async throws {
        origin.on("/a", .status(503))
        let transfer = downloader.transfer(for: request("/a"))
        await #expect(throws: NetworkingError.self) { try await transfer.result() }
        #expect(transfer.attempts == 3)
        #expect(origin.requestCount == 3)
    }

    // Scenario S51.
    @Test("a reset in the middle, and at the start")
    func resets() async throws {
        origin.on("/a", .reset(noise(10_000), after: 5000), .resetAtOnce, .text("ok"))
        #expect(try await downloader.data(for: request("/a")).1.attempts == 3)
    }

    // Scenario S51.
    @Test("hopeless requests are made once", arguments: [400, 401, 403, 404, 410, 501])
    func hopeless(_ status: Int) async throws {
        origin.on("/a", .status(status))
        #expect(await downloader.failure(request("/a"))?.status == status)
        #expect(origin.requestCount == 1)
        #expect(waits.isEmpty)
    }

    // Scenario S51.
    @Test("Retry-After in seconds and as a date, and one that is too long")
    func retryAfter() async throws {
        origin.on(
            "/a", .status(429, headers: [("Retry-After", "2")]),
            .status(503, headers: [("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")]), .text("ok"))
        #expect(try await downloader.data(for: request("/a")).1.attempts == 3)
        #expect(waits == [.seconds(2), .seconds(7)])
        origin.on("/b", .status(503, headers: [("Retry-After", "3600")]))
        let error = await downloader.failure(request("/b"))
        guard case .badStatus(503, let headers)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(headers["Retry-After"] == "3600")
        #expect(origin.count(of: "/b") == 1)
    }

    // Scenario S51.
    @Test("cancelling ends the wait at once")
    func cancelDuringTheWait() async throws {
        var configuration = ImageDownloader.Configuration()
        let isWaiting = Locked(false)
        configuration.retryClock = RetryClock(
            now: { 0 },
            sleep: { _ in
                isWaiting.withLock { $0 = true }
                try await Task.sleep(for: .seconds(60))
            })
        let patient = ImageDownloader(configuration)
        origin.on("/a", .status(500))
        let transfer = patient.transfer(for: request("/a"))
        #expect(await origin.wait { _ in isWaiting.withLock { $0 } })
        let start = originClock()
        transfer.cancel()
        await #expect(throws: NetworkingError.cancelled) { try await transfer.result() }
        #expect(originClock() - start < 1)
        await patient.shutdown()
        #expect(origin.requestCount == 1)
    }

    // Scenario S51.
    @Test("a wait that would pass the deadline is not begun")
    func waitBeyondTheDeadline() async throws {
        origin.on("/a", .status(503, headers: [("Retry-After", "50")]))
        var request = request("/a")
        request.timeouts.total = .seconds(20)
        #expect(await downloader.failure(request)?.status == 503)
        #expect(waits.isEmpty)
    }

    // Scenario S51.
    @Test("nothing listens")
    func refusedConnections() async throws {
        // The port is bound, so that no other test gets it, but nothing listens on it.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                #expect(bind(descriptor, address, size) == 0)
                #expect(getsockname(descriptor, address, &size) == 0)
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        let url = "http://127.0.0.1:\(port)/a"
        let transfer = downloader.transfer(for: .test(url) { $0.retry = RetryPolicy() })
        let error = await #expect(throws: NetworkingError.self) { try await transfer.result() }
        guard case .connectionFailed(.connect, let host, _)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(host == "127.0.0.1:\(port)")
        #expect(transfer.attempts == 3)
    }

    @Test func postIsNotRepeatedOnceSent() async throws {
        origin.on("/a", .status(500))
        var request = request("/a")
        request.method = "POST"
        request.body = Data("x".utf8)
        #expect(await downloader.failure(request)?.status == 500)
        #expect(origin.requestCount == 1)
    }

    @Test func redirectsAreFollowedAnewOnEachTry() async throws {
        origin.on("/a", .redirect(to: "/b"))
        origin.on("/b", .status(500), .text("ok"))
        let (_, response) = try await downloader.data(for: request("/a"))
        #expect(response.attempts == 2 && response.redirectCount == 1)
        #expect(origin.count(of: "/a") == 2)
    }
}
