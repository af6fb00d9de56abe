import Foundation
import TestOrigin
import Testing

@testable import TintypeNetworking

@Suite struct TimeoutTests {
    let origin: TestOrigin
    let downloader = ImageDownloader()

    init() throws { origin = try TestOrigin() }

    @Test func idleBeforeTheHeadAndWithinTheBody() async throws {
        origin.on("/head", .hang)
        origin.on("/body", .stalled(noise(10_000), after: 5000))
        for path in ["/head", "/body"] {
            let error = await downloader.failure(.test(origin.url(path)) { $0.timeouts.idle = .milliseconds(150) })
            #expect(error == .timedOut(.idle, limit: 0.15), "\(path)")
        }
        #expect(await origin.wait { $0.closings.count == 2 }, "the sockets are closed")
    }

    @Test func aSteadyTrickleIsNotIdle() async throws {
        origin.on("/a", .dripped(noise(20), piece: 1, interval: 0.2))
        let (data, _) = try await downloader.data(
            for: .test(origin.url("/a")) { $0.timeouts.idle = .seconds(3) })
        #expect(data.count == 20)
        let error = await downloader.failure(
            .test(origin.url("/a")) {
                $0.timeouts.idle = .seconds(30)
                $0.timeouts.total = .milliseconds(300)
            })
        #expect(error == .timedOut(.total, limit: 0.3))
    }

    @Test func connecting() async throws {
        // A full backlog: the kernel replies to no further SYN, so the connection is never made.
        let full = try FullBacklog()
        let error = await downloader.failure(
            .test("http://127.0.0.1:\(full.port)/") {
                $0.timeouts.connect = .milliseconds(300)
                $0.timeouts.idle = .milliseconds(100)
            })
        #expect(error == .timedOut(.connect, limit: 0.3))
    }

    @Test func aPausedTransferIsNotIdle() async throws {
        origin.on("/a", .ok(noise(8 << 20)))
        let transfer = downloader.transfer(for: .test(origin.url("/a")) { $0.timeouts.idle = .seconds(2) })
        var count = 0
        for try await chunk in transfer.chunks {
            if count == 0 { try await Task.sleep(for: .seconds(5)) }
            count += chunk.data.count
        }
        #expect(count == 8 << 20)
    }

    /// A listening socket whose backlog is full.
    private final class FullBacklog {
        let port: Int
        private var sockets: [Int32] = []

        init() throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_addr.s_addr = inet_addr("127.0.0.1")
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutablePointer(to: &name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, length) == 0 && listen(listener, 0) == 0
                        && getsockname(listener, $0, &length) == 0
                }
            }
            try #require(code)
            port = Int(UInt16(bigEndian: name.sin_port))
            sockets.append(listener)
            for _ in 0..<4 {
                let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                sockets.append(client)
                withUnsafePointer(to: &name) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, length) }
                }
            }
            usleep(50_000)
        }

        deinit {
            for socket in sockets { close(socket) }
        }
    }
}
