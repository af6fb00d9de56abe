import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// The smallest HTTP/1.1 server that measurements need: keep-alive, one thread for each connection, bodies from memory.
final class BenchOrigin: @unchecked Sendable {
    // `bodies` is written before the first connection and only read afterwards.
    let port: Int
    private let bodies: [String: Data]
    private let listener: Int32

    /// - Parameter bodies: by path; anything else is answered 404.
    init(_ bodies: [String: Data]) throws {
        self.bodies = bodies
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 256) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw CocoaError(.fileNoSuchFile) }
        port = Int(UInt16(bigEndian: name.sin_port))
        signal(SIGPIPE, SIG_IGN)
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    private func serve(_ client: Int32) {
        var one: Int32 = 1
        setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        defer { close(client) }
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = read(client, &buffer, buffer.count)
            guard count > 0 else { return }
            pending += buffer[..<count]
            guard pending.suffix(4) == [13, 10, 13, 10] else { continue }
            let path = String(decoding: pending.split(separator: 32, maxSplits: 2)[1], as: UTF8.self)
            pending.removeAll(keepingCapacity: true)
            let body = bodies[path]
            var answer = Data(
                "HTTP/1.1 \(body == nil ? 404 : 200) OK\r\nContent-Length: \(body?.count ?? 0)\r\n\r\n".utf8)
            if let body { answer += body }
            let isSent = answer.withUnsafeBytes { bytes in
                var sent = 0
                while sent < bytes.count {
                    let written = write(client, bytes.baseAddress! + sent, bytes.count - sent)
                    guard written > 0 else { return false }
                    sent += written
                }
                return true
            }
            guard isSent else { return }
        }
    }
}
