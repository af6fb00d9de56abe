import TintypeConcurrency

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

/// A small HTTP/1.1 origin on loopback: serves the demo's icons and counts what reaches it.
final class DemoOrigin: Sendable {
    private let files: [String: Data]
    private let listener: Int32
    private let counts = Locked<[String: Int]>([:])
    let port: UInt16

    /// - Parameter files: by path, such as `/icons/a.png`; every other path answers 404.
    init(files: [String: Data]) throws {
        self.files = files
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw PrefixReader.failure(errno, "the demo's origin cannot open a socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var length = size
                return bind(descriptor, address, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard bound else {
            let code = errno
            close(descriptor)
            throw PrefixReader.failure(code, "the demo's origin cannot listen on 127.0.0.1")
        }
        listener = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Serves until the process ends.
    func start() {
        startDetachedThread(name: "demo-origin", stackSize: 256 << 10) { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 {
                    if errno == EINTR || errno == ECONNABORTED { continue }
                    return
                }
                var yes: Int32 = 1
                setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
                startDetachedThread(name: "demo-connection", stackSize: 256 << 10) { [self] in
                    serve(connection)
                    close(connection)
                }
            }
        }
    }

    /// Requests that came for each path.
    var requestCounts: [String: Int] { counts.withLock { $0 } }

    private func serve(_ connection: Int32) {
        var pending: [UInt8] = []
        while let head = readHead(connection, &pending) {
            let words = head.split(separator: " ", maxSplits: 2)
            guard words.count == 3 else { return }
            let path = String(words[1])
            counts.withLock { $0[path, default: 0] += 1 }
            let body = files[path]
            let type = body == nil ? "text/plain" : DemoOrigin.mediaType(path)
            let content = body ?? Data("no such icon\n".utf8)
            let answer =
                "HTTP/1.1 \(body == nil ? "404 Not Found" : "200 OK")\r\nContent-Type: \(type)\r\n"
                + "Content-Length: \(content.count)\r\nCache-Control: max-age=86400\r\n\r\n"
            guard send(Data(answer.utf8) + (words[0] == "HEAD" ? Data() : content), to: connection) else { return }
        }
    }

    /// The next request's head, which ends with an empty line; bodies are not expected.
    private func readHead(_ connection: Int32, _ pending: inout [UInt8]) -> String? {
        let end: [UInt8] = [13, 10, 13, 10]
        while pending.count < 64 << 10 {
            if let position = pending.indices.dropLast(3).first(where: { pending[$0..<$0 + 4].elementsEqual(end) }) {
                let head = String(decoding: pending[..<position], as: UTF8.self)
                pending.removeFirst(position + 4)
                return head
            }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = read(connection, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            pending += chunk[..<count]
        }
        return nil
    }

    private func send(_ data: Data, to connection: Int32) -> Bool {
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(connection, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    private static func mediaType(_ path: String) -> String {
        switch path.split(separator: ".").last {
        case "jpg": "image/jpeg"
        case "png": "image/png"
        case "webp": "image/webp"
        case "gif": "image/gif"
        default: "application/octet-stream"
        }
    }
}
