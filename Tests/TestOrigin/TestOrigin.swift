import Foundation
import TintypeBase

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A scripted HTTP/1.1 server on a loopback port of its own, one thread for each connection.
///
///     let origin = try TestOrigin()
///     origin.on("/a.png", .ok(png, type: "image/png"))
///     origin.on("/flaky", .status(500), .status(500), .ok(png))   // one for each request, the last one repeats
///     … fetch origin.url("/a.png") …
///     #expect(origin.count(of: "/a.png") == 1)
///
/// Every request is in ``log`` with its raw request line. The response for a path without a script is 404.
public final class TestOrigin: Sendable {
    /// Returns the response to one request.
    public typealias Handler = @Sendable (OriginRequest) -> OriginResponse

    struct State {
        var handlers: [String: Handler] = [:]
        var fallback: Handler?
        var log: [OriginRequest] = []
        var connectionCount = 0
        /// The number of the last connection: goes on where `clearLog` begins to count again.
        var lastConnection = 0
        /// Open connections by their number.
        var open: [Int: OriginSocket] = [:]
        var closings: [OriginClosing] = []
        var isStopped = false
    }

    public let port: Int
    let state = Locked(State())
    private let listener: OriginListener
    private let security: OriginTLS?

    /// Listens and serves at once.
    ///
    /// - Parameters:
    ///   - tls: serve https with this certificate.
    ///   - address: the loopback address to listen on.
    public init(tls: OriginTLS? = nil, address: String = "127.0.0.1") throws {
        security = tls
        let listener = try OriginListener(address: address)
        self.listener = listener
        port = listener.port
        signal(SIGPIPE, SIG_IGN)
        startDetachedThread(name: "origin", stackSize: 256 << 10) { [weak self] in
            listener.acceptAll { client in
                startDetachedThread(name: "origin-conn", stackSize: 512 << 10) { [weak self] in
                    guard let self else {
                        close(client)
                        return
                    }
                    self.serve(client)
                }
            }
        }
    }

    deinit { stop() }

    /// Closes the port and all connections. Happens by itself when the origin is let go.
    public func stop() {
        let sockets = state.withLock { state in
            state.isStopped = true
            return Array(state.open.values)
        }
        listener.stop()
        for socket in sockets { socket.abort() }
    }

    /// `http://127.0.0.1:PORT`, or https.
    public var baseURL: String { "\(security == nil ? "http" : "https")://127.0.0.1:\(port)" }

    /// The URL of a path, which may have a query.
    public func url(_ path: String) -> String { baseURL + path }

    /// Scripts the responses for a path (the query does not count, unless `path` has one) in turn; the last one repeats.
    public func on(_ path: String, _ responses: OriginResponse...) {
        on(path, sequence: responses)
    }

    public func on(_ path: String, sequence responses: [OriginResponse]) {
        let next = Locked(0)
        on(path) { _ in
            let index = next.withLock { number in
                defer { number += 1 }
                return number
            }
            return responses[min(index, responses.count - 1)]
        }
    }

    public func on(_ path: String, handler: @escaping Handler) {
        state.withLock { $0.handlers[path] = handler }
    }

    /// Sets the response for every path without a script.
    public func onEverythingElse(_ handler: @escaping Handler) {
        state.withLock { $0.fallback = handler }
    }

    /// All requests so far, in the order of their arrival.
    public var log: [OriginRequest] { state.withLock { $0.log } }

    public func requests(for path: String) -> [OriginRequest] { log.filter { $0.path == path || $0.target == path } }

    public func count(of path: String) -> Int { requests(for: path).count }

    public var requestCount: Int { state.withLock { $0.log.count } }

    /// Connections accepted so far.
    public var connectionCount: Int { state.withLock { $0.connectionCount } }

    public var openConnectionCount: Int { state.withLock { $0.open.count } }

    /// Connections that the client closed during a response.
    public var closings: [OriginClosing] { state.withLock { $0.closings } }

    public func clearLog() {
        state.withLock { state in
            state.log = []
            state.closings = []
            state.connectionCount = 0
        }
    }

    /// Waits, without blocking a thread, until `condition` holds; false when it does not within `seconds`.
    public func wait(seconds: Double = 120, until condition: @Sendable (TestOrigin) -> Bool) async -> Bool {
        let end = originClock() + seconds
        while !condition(self) {
            if originClock() > end { return false }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return true
    }

    private func serve(_ client: Int32) {
        var one: Int32 = 1
        setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        let socket = OriginSocket(client)
        let number: Int? = state.withLock { state in
            guard !state.isStopped else { return nil }
            state.connectionCount += 1
            state.lastConnection += 1
            state.open[state.lastConnection] = socket
            return state.lastConnection
        }
        guard let number else {
            socket.abort()
            socket.close()
            return
        }
        defer {
            state.withLock { $0.open[number] = nil }
            socket.close()
        }
        if let security, !security.accept(socket) { return }
        OriginConnection(origin: self, socket: socket, number: number).serve()
    }
}

public struct OriginError: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// Seconds of a clock that only goes forward.
public func originClock() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
