import Foundation
import TintypeBase

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A layer between the scripts and the socket.
protocol OriginLayer: Sendable {
    /// 0 at the end, negative on failure.
    func read(_ space: UnsafeMutableRawBufferPointer) -> Int
    func write(_ bytes: UnsafeRawBufferPointer) -> Int
    /// An orderly end of the layer; the socket stays open.
    func end()
}

#if canImport(Glibc)
    /// POLLRDHUP, which the module map leaves out.
    private let peerClosed: Int16 = 0x2000
#else
    private let peerClosed = Int16(POLLHUP)
#endif

/// One accepted connection. Reading and writing belong to its thread; ``abort()`` may come from any.
final class OriginSocket: Sendable {
    private let descriptor: Locked<Int32>
    private let layer = Locked<(any OriginLayer)?>(nil)

    init(_ descriptor: Int32) {
        self.descriptor = Locked(descriptor)
    }

    var fileDescriptor: Int32 { descriptor.withLock { $0 } }

    func setLayer(_ value: any OriginLayer) { layer.withLock { $0 = value } }

    /// 0 at the end, negative on failure.
    func read(_ space: UnsafeMutableRawBufferPointer) -> Int {
        if let layer = layer.withLock({ $0 }) { return layer.read(space) }
        while true {
            let count = recv(fileDescriptor, space.baseAddress, space.count, 0)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// false when the peer is gone.
    func write(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let count: Int
                if let layer = layer.withLock({ $0 }) {
                    count = layer.write(rest)
                } else {
                    count = send(fileDescriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                }
                if count <= 0 {
                    if errno == EINTR { continue }
                    return false
                }
                sent += count
            }
            return true
        }
    }

    /// Waits; true when the peer closed meanwhile. Bytes that come are left where they are.
    func peerCloses(within seconds: Double) -> Bool {
        let end = originClock() + seconds
        while true {
            let left = end - originClock()
            if left <= 0 { return false }
            var entry = pollfd(fd: fileDescriptor, events: peerClosed, revents: 0)
            let milliseconds = Int32(min((left * 1000).rounded(.up), 60_000))
            if poll(&entry, 1, milliseconds) > 0 {
                let closed = peerClosed | Int16(POLLHUP) | Int16(POLLERR) | Int16(POLLNVAL)
                if entry.revents & closed != 0 { return true }
            }
        }
    }

    /// Makes the next close an RST.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fileDescriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Ends reads and writes of the connection's thread.
    func abort() {
        descriptor.withLock { if $0 >= 0 { shutdown($0, Int32(SHUT_RDWR)) } }
    }

    /// Sends FIN after everything that was written, also when bytes of the client are unread.
    func finishWriting() {
        layer.withLock { $0 }?.end()
        shutdown(fileDescriptor, Int32(SHUT_WR))
        var space = [UInt8](repeating: 0, count: 4096)
        let end = originClock() + 0.2
        while originClock() < end {
            var entry = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 50) > 0 else { continue }
            if recv(fileDescriptor, &space, space.count, 0) <= 0 { return }
        }
    }

    func close() {
        descriptor.withLock { number in
            guard number >= 0 else { return }
            #if canImport(Glibc)
                Glibc.close(number)
            #else
                Darwin.close(number)
            #endif
            number = -1
        }
    }
}
