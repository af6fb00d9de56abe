import TintypeBase

/// The server of the demo, which serves icons on loopback and counts the requests.
package final class DemoOrigin: Sendable {
    private let files: [String: Data]
    private let server: LoopbackServer
    private let counts = Locked<[String: Int]>([:])

    /// - Parameter files: by path, such as `/icons/a.png`; the response for any other path is 404.
    package init(files: [String: Data]) throws {
        self.files = files
        server = try LoopbackServer()
    }

    package var port: UInt16 { server.port }

    /// The number of requests by path.
    package var requestCounts: [String: Int] { counts.withLock { $0 } }

    /// Serves until the process ends.
    package func start() {
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
