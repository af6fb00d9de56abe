import Foundation

/// As little HTTP as an example needs: one GET for each connection. Behind a real server this whole file goes away.
final class Server: Sendable {
    struct Reply: Sendable {
        var status = 200
        var type = "text/plain; charset=utf-8"
        var body = Data()
    }

    let port: UInt16
    private let socket: Int32

    struct Failure: Error {
        let call: String
        let code: Int32
    }

    /// - Parameter port: 0 takes any that is free.
    init(port: UInt16) throws {
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
                guard bind(listener, address, length) == 0, listen(listener, 64) == 0 else { return -1 }
                return getsockname(listener, address, &length)
            }
        }
        guard result == 0 else { throw Failure(call: "bind", code: errno) }
        socket = listener
        self.port = UInt16(bigEndian: address.sin_port)
    }

    /// Serves until the process ends. Reading and writing block, so they have their own threads; only the response itself
    /// is made by a task.
    func run(_ respond: @escaping @Sendable (_ path: String, _ query: [String: String]) async -> Reply) {
        Thread.detachNewThread { [socket] in
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else { continue }
                var patience = timeval(tv_sec: 5, tv_usec: 0)
                setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
                setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
                DispatchQueue.global().async {
                    guard let target = Server.target(of: connection) else {
                        close(connection)
                        return
                    }
                    Task {
                        let reply = await respond(target.path, target.query)
                        DispatchQueue.global().async { Server.send(reply, to: connection) }
                    }
                }
            }
        }
    }

    private static func target(of connection: Int32) -> (path: String, query: [String: String])? {
        var head = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while head.range(of: Data("\r\n\r\n".utf8)) == nil {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0, head.count < 16 << 10 else { return nil }
            head.append(contentsOf: buffer[..<count])
        }
        let words = String(decoding: head, as: UTF8.self).prefix { $0 != "\r\n" && $0 != "\r" }.split(separator: " ")
        guard words.count == 3, words[0] == "GET", let parts = URLComponents(string: String(words[1])) else {
            return nil
        }
        let items = (parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        return (parts.path, Dictionary(items) { first, _ in first })
    }

    private static func send(_ reply: Reply, to connection: Int32) {
        defer { close(connection) }
        let head =
            "HTTP/1.1 \(reply.status) \(reply.status < 400 ? "OK" : "Failed")\r\nContent-Type: \(reply.type)\r\n"
            + "Content-Length: \(reply.body.count)\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        let message = Array(head.utf8) + reply.body
        var sent = 0
        while sent < message.count {
            let count = message[sent...].withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }
}
