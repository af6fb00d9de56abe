import Dispatch
import Synchronization

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

/// The network of the gallery: an HTTP/1.1 origin on loopback that draws what it is asked for, and can be slow or away.
final class GalleryOrigin: Sendable {
    enum Weather: Sendable { case fine, slow, offline }

    struct Failure: Error, CustomStringConvertible {
        var code: Int32
        var description: String { "the gallery's origin cannot listen on 127.0.0.1 (errno \(code))" }
    }

    private struct State {
        var weather = Weather.fine
        var requestCount = 0
        var byteCount = 0
        /// Drawn once.
        var bodies: [String: Data] = [:]
    }

    private let state = Mutex(State())
    private let listener: Int32
    private let queue = DispatchQueue(label: "gallery-origin", attributes: .concurrent)
    let port: UInt16

    init() throws {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var length = size
                return bind(descriptor, address, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else {
            let code = errno
            close(descriptor)
            throw Failure(code: code)
        }
        listener = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    var weather: Weather {
        get { state.withLock { $0.weather } }
        set { state.withLock { $0.weather = newValue } }
    }

    var requestCount: Int { state.withLock { $0.requestCount } }
    var byteCount: Int { state.withLock { $0.byteCount } }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Serves until the process ends.
    func start() {
        DispatchQueue(label: "gallery-accept").async { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 {
                    if errno == EINTR || errno == ECONNABORTED { continue }
                    return
                }
                queue.async { [self] in
                    serve(connection)
                    close(connection)
                }
            }
        }
    }

    // MARK: Serving

    private func serve(_ connection: Int32) {
        var pending: [UInt8] = []
        while let head = readHead(connection, &pending) {
            let words = head.split(separator: " ", maxSplits: 2)
            let weather = weather
            guard words.count == 3, weather != .offline else { return }
            let path = String(words[1])
            let (status, type, body) = answer(path)
            state.withLock { state in
                state.requestCount += 1
                state.byteCount += body.count
            }
            let answer = "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\r\n"
            guard send(Data(answer.utf8), to: connection) else { return }
            guard weather == .slow ? sendSlowly(body, to: connection) : send(body, to: connection) else { return }
        }
    }

    private func answer(_ path: String) -> (status: String, type: String, body: Data) {
        if let body = state.withLock({ $0.bodies[path] }) { return ("200 OK", GalleryPicture.mediaType(path), body) }
        do {
            guard let body = try GalleryPicture.data(path) else {
                return ("404 Not Found", "text/plain", Data("none\n".utf8))
            }
            state.withLock { $0.bodies[path] = body }
            return ("200 OK", GalleryPicture.mediaType(path), body)
        } catch {
            return ("500 Internal Server Error", "text/plain", Data("\(error)\n".utf8))
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

    /// Like a bad mobile connection: a long way, and a picture in a second or two.
    private func sendSlowly(_ data: Data, to connection: Int32) -> Bool {
        usleep(UInt32.random(in: 300_000...900_000))
        let step = max(1, data.count / 12)
        var start = data.startIndex
        while start < data.endIndex {
            let end = min(start + step, data.endIndex)
            guard send(Data(data[start..<end]), to: connection) else { return false }
            start = end
            usleep(80_000)
        }
        return true
    }
}
