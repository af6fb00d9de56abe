import TintypeDemo
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

/// The server of the gallery, which draws the requested images and can be slow or offline.
final class GalleryOrigin: Sendable {
    enum Weather: Sendable { case fine, slow, offline }

    private struct State {
        var weather = Weather.fine
        var requestCount = 0
        var byteCount = 0
        /// The images that have been drawn, by path.
        var bodies: [String: Data] = [:]
    }

    private let state = Locked(State())
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

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
            let (status, type, body) = response(to: request.path)
            state.withLock { state in
                state.requestCount += 1
                state.byteCount += body.count
            }
            guard connection.sendHead(status, type: type, length: body.count) else { return false }
            return weather == .slow ? sendSlowly(body, to: connection) : connection.send(body)
        }
    }

    private func response(to path: String) -> (status: String, type: String, body: Data) {
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

    /// Sends like a bad mobile connection: with high latency, and an image in a second or two.
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
