import TintypeBase

/// An HTTP/1.1 server on 127.0.0.1 for demos: requests without bodies, responses of known length.
///
/// Public for the Gallery in GTK/, which is a package of its own.
public struct LoopbackServer: Sendable {
    private struct Failure: LocalizedError {
        var code: Int32
        var errorDescription: String? {
            "the demo's server cannot listen on 127.0.0.1: \(String(cString: strerror(code)))"
        }
    }

    public let port: UInt16
    private let listener: Int32

    /// Listens on a free port.
    ///
    /// - Throws: an error with an `errorDescription` if the system refuses.
    public init() throws {
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

    /// Serves until the process ends.
    ///
    /// Each connection has a thread of its own: a dispatch queue would take its threads from the cooperative pool, and a few
    /// idle connections would occupy all of it.
    ///
    /// - Parameter respond: called with each request on its connection's thread, which it may block; false closes the
    ///   connection.
    public func start(_ respond: @escaping @Sendable (Request, Connection) -> Bool) {
        Self.spawn { [listener] in
            while true {
                let descriptor = accept(listener, nil, nil)
                if descriptor < 0 {
                    if errno == EINTR || errno == ECONNABORTED { continue }
                    return
                }
                let isServed = Self.spawn {
                    var connection = Connection(descriptor)
                    while let request = connection.next(), respond(request, connection) {}
                    close(descriptor)
                }
                if !isServed { close(descriptor) }
            }
        }
    }

    @discardableResult
    private static func spawn(_ body: @escaping @Sendable () -> Void) -> Bool {
        startDetachedThread(name: "demo-server", stackSize: 256 << 10, body)
    }

    /// Returns the media type of an image by the extension of its path.
    public static func mediaType(_ path: String) -> String {
        switch path.split(separator: ".").last {
        case "jpg": "image/jpeg"
        case "png": "image/png"
        case "webp": "image/webp"
        case "gif": "image/gif"
        default: "application/octet-stream"
        }
    }

    /// The first line of a request.
    public struct Request: Sendable {
        public var method: String
        public var path: String
    }

    /// The connection of one client. Valid while its request is handled.
    public struct Connection {
        private let descriptor: Int32
        private var pending: [UInt8] = []

        fileprivate init(_ descriptor: Int32) {
            self.descriptor = descriptor
            var yes: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        }

        /// Returns the next request, or nil at the end and for malformed input.
        fileprivate mutating func next() -> Request? {
            guard let words = readHead()?.split(separator: " ", maxSplits: 2), words.count == 3 else { return nil }
            return Request(method: String(words[0]), path: String(words[1]))
        }

        /// A head ends with an empty line.
        private mutating func readHead() -> String? {
            let end: [UInt8] = [13, 10, 13, 10]
            while pending.count < 64 << 10 {
                if let position = pending.indices.dropLast(3).first(where: { pending[$0..<$0 + 4].elementsEqual(end) })
                {
                    let head = String(decoding: pending[..<position], as: UTF8.self)
                    pending.removeFirst(position + 4)
                    return head
                }
                var chunk = [UInt8](repeating: 0, count: 4096)
                let count = read(descriptor, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return nil }
                pending += chunk[..<count]
            }
            return nil
        }

        /// Sends the head of a response; `length` bytes must follow, unless the method was HEAD.
        ///
        /// - Parameters:
        ///   - status: such as "200 OK".
        ///   - fields: further header fields, each ending in CR LF.
        /// - Returns: false if the client is gone.
        public func sendHead(_ status: String, type: String, length: Int, fields: String = "") -> Bool {
            send(
                Data("HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(length)\r\n\(fields)\r\n".utf8))
        }

        /// Sends bytes of the body; returns false if the client is gone.
        public func send(_ data: Data) -> Bool {
            data.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { return false }
                    rest = rest.dropFirst(count)
                }
                return true
            }
        }
    }
}
