import TintypeBase

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A listening socket on a port that the system chose.
///
/// Only the accepting thread closes its descriptor: that thread may be between two calls of `accept`, and would accept the
/// connections of the next socket with the same number.
final class OriginListener: Sendable {
    let port: Int
    /// -1 when it is closed.
    private let descriptor: Locked<Int32>

    init(address: String) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw OriginError("socket: \(errno)") }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = inet_addr(address)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 1024) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else {
            let code = errno
            close(descriptor)
            throw OriginError("bind: \(code)")
        }
        self.descriptor = Locked(descriptor)
        port = Int(UInt16(bigEndian: name.sin_port))
    }

    /// Refuses connections from now on, and ends ``acceptAll(_:)``. From any thread.
    func stop() {
        descriptor.withLock { if $0 >= 0 { shutdown($0, Int32(SHUT_RDWR)) } }
    }

    /// Passes on the descriptor of every connection until the listener is stopped, then closes it.
    func acceptAll(_ serve: (Int32) -> Void) {
        let number = descriptor.withLock { $0 }
        while true {
            let client = accept(number, nil, nil)
            if client >= 0 {
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                serve(client)
            } else if errno != EINTR && errno != ECONNABORTED && errno != EMFILE {
                break
            }
        }
        descriptor.withLock { number in
            close(number)
            number = -1
        }
    }
}
