import TintypeBase

/// The origin of the demo: serves icons on loopback and counts what reaches it.
final class DemoOrigin: Sendable {
    private let files: [String: Data]
    private let server: LoopbackServer
    private let counts = Locked<[String: Int]>([:])

    /// - Parameter files: by path, such as `/icons/a.png`; every other path answers 404.
    init(files: [String: Data]) throws {
        self.files = files
        do {
            server = try LoopbackServer { startDetachedThread(name: "demo-origin", stackSize: 256 << 10, $0) }
        } catch let failure as LoopbackServer.Failure {
            throw PrefixReader.failure(failure.code, "the demo's origin cannot listen on 127.0.0.1")
        }
    }

    var port: UInt16 { server.port }

    /// Requests that came for each path.
    var requestCounts: [String: Int] { counts.withLock { $0 } }

    /// Serves until the process ends.
    func start() {
        server.start { [self] request, connection in
            let path = request.path
            counts.withLock { $0[path, default: 0] += 1 }
            let body = files[path]
            let content = body ?? Data("no such icon\n".utf8)
            let (status, type) =
                body == nil ? ("404 Not Found", "text/plain") : ("200 OK", LoopbackServer.mediaType(path))
            return connection.sendHead(
                status, type: type, length: content.count, fields: "Cache-Control: max-age=86400\r\n")
                && (request.method == "HEAD" || connection.send(content))
        }
    }
}
