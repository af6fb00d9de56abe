import CGTK
import TintypeGTK

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The network of the gallery: an origin on loopback that draws what it is asked for, and can be slow or away.
final class GalleryOrigin: Sendable {
    enum Weather: Sendable { case fine, slow, offline }

    private struct State {
        var weather = Weather.fine
        var requestCount = 0
        var byteCount = 0
        /// Drawn once.
        var bodies: [String: Data] = [:]
    }

    private let state = Locked(State())
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer(spawn: GalleryOrigin.startThread) }

    /// A real thread. A dispatch queue would take its threads from those that run Swift's tasks, and there are no more of them
    /// than cores: two clients that wait for their next request would stop everything else.
    private static let startThread: @Sendable (@escaping @Sendable () -> Void) -> Void = { body in
        final class Box: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let thread = g_thread_new(
            "gallery-origin",
            { box in
                if let box { Unmanaged<Box>.fromOpaque(box).takeRetainedValue().body() }
                return nil
            }, Unmanaged.passRetained(Box(body)).toOpaque())
        g_thread_unref(thread)
    }

    var weather: Weather {
        get { state.withLock { $0.weather } }
        set { state.withLock { $0.weather = newValue } }
    }

    var requestCount: Int { state.withLock { $0.requestCount } }
    var byteCount: Int { state.withLock { $0.byteCount } }

    func url(_ path: String) -> String { "http://127.0.0.1:\(server.port)\(path)" }

    /// Serves until the process ends.
    func start() {
        server.start { [self] request, connection in
            let weather = weather
            guard weather != .offline else { return false }
            let (status, type, body) = answer(request.path)
            state.withLock { state in
                state.requestCount += 1
                state.byteCount += body.count
            }
            guard connection.sendHead(status, type: type, length: body.count) else { return false }
            return weather == .slow ? sendSlowly(body, to: connection) : connection.send(body)
        }
    }

    private func answer(_ path: String) -> (status: String, type: String, body: Data) {
        let type = LoopbackServer.mediaType(path)
        if let body = state.withLock({ $0.bodies[path] }) { return ("200 OK", type, body) }
        do {
            guard let body = try GalleryPicture.data(path) else {
                return ("404 Not Found", "text/plain", Data("none\n".utf8))
            }
            state.withLock { $0.bodies[path] = body }
            return ("200 OK", type, body)
        } catch {
            return ("500 Internal Server Error", "text/plain", Data("\(error)\n".utf8))
        }
    }

    /// Like a bad mobile connection: a long way, and an image in a second or two.
    private func sendSlowly(_ data: Data, to connection: LoopbackServer.Connection) -> Bool {
        usleep(UInt32.random(in: 300_000...900_000))
        let step = max(1, data.count / 12)
        for start in stride(from: 0, to: data.count, by: step) {
            guard connection.send(Data(data.dropFirst(start).prefix(step))) else { return false }
            usleep(80_000)
        }
        return true
    }
}
