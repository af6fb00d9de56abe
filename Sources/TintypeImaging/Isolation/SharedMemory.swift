import CIsolation
import TintypeBase

/// A mapping of shared memory whose size no process can change.
final class SharedMemory: @unchecked Sendable {
    // The mapping lives as long as this object. Where both processes can write, readers copy before they look.
    let bytes: UnsafeMutableRawBufferPointer

    /// Maps `count` bytes of a descriptor, which stays the caller's.
    ///
    /// - Parameter isReadOnly: maps memory whose contents are sealed.
    /// - Returns: `nil` if the object is smaller, or memory is short.
    init?(descriptor: Int32, byteCount: Int, isReadOnly: Bool = false) {
        var status = stat()
        guard byteCount > 0, fstat(descriptor, &status) == 0, status.st_size >= byteCount else { return nil }
        let flags = isReadOnly ? MAP_PRIVATE | Int32(MAP_POPULATE) : MAP_SHARED
        let protection = isReadOnly ? PROT_READ : PROT_READ | PROT_WRITE
        guard let address = mmap(nil, byteCount, protection, flags, descriptor, 0), address != MAP_FAILED else {
            return nil
        }
        bytes = UnsafeMutableRawBufferPointer(start: address, count: byteCount)
    }

    deinit { munmap(bytes.baseAddress, bytes.count) }

    /// Creates shared memory that is filled with zeros.
    ///
    /// - Returns: a descriptor, which the caller closes.
    static func create(byteCount: Int) throws -> Int32 {
        let descriptor = tt_shared_memory(byteCount)
        guard descriptor >= 0 else { throw WorkerChannel.Failure.system(errno) }
        return descriptor
    }
}

/// Where the pixels of a reply lie.
///
/// All of this memory is made by the parent, so that a worker can take no more than it is given.
enum WorkerOutput: Int, Sendable {
    /// In the second half of the mailbox, which exists as long as the worker.
    case mailbox
    /// In memory that the parent hands over when the mailbox is too small for the first time, and both keep.
    case kept
    /// In memory for one reply. The worker gives up its mapping; then the parent seals the contents and needs no copy.
    case single

    /// The most bytes of each kind.
    static let mailboxByteCount = 512 << 10
    static let keptByteCount = 16 << 20

    /// The place for a number of bytes.
    init(byteCount: Int) {
        self =
            byteCount <= Self.mailboxByteCount ? .mailbox : byteCount <= Self.keptByteCount ? .kept : .single
    }
}

/// The memory that a worker and its parent keep mapped: small inputs and outputs pass through it without a system call.
struct WorkerMailbox: Sendable {
    /// Bytes of the half for inputs; the rest is for outputs.
    static let capacity = WorkerOutput.mailboxByteCount
    static let byteCount = 2 * capacity

    let memory: SharedMemory

    var input: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<Self.capacity]) }
    var output: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: memory.bytes[Self.capacity...])
    }
}

/// One end of a worker's socket. Used by one thread at a time.
final class WorkerChannel: @unchecked Sendable {
    /// The longest message in bytes. Longer replies travel through the output memory.
    static let maximumMessageByteCount = 64 << 10

    enum Failure: Error {
        /// The other process is gone.
        case ended
        case timedOut
        /// The message cannot be sent: it is too long, or memory is short.
        case system(Int32)
    }

    let socket: Int32
    // Used by the one thread that receives.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: WorkerChannel.maximumMessageByteCount, alignment: 16)

    init(socket: Int32) { self.socket = socket }

    deinit { buffer.deallocate() }

    func send(_ bytes: [UInt8], descriptor: Int32? = nil) throws {
        let code = bytes.withUnsafeBytes { bytes in
            guard var descriptor else { return tt_send_message(socket, bytes.baseAddress, bytes.count, nil, 0) }
            return tt_send_message(socket, bytes.baseAddress, bytes.count, &descriptor, 1)
        }
        switch code {
        case 0: return
        // A process that does not read has left the protocol.
        case EPIPE, ECONNRESET, ENOTCONN, EAGAIN: throw Failure.ended
        default: throw Failure.system(code)
        }
    }

    /// Receives one message.
    ///
    /// - Parameters:
    ///   - deadline: `nil` waits until the other process sends something or is gone.
    ///   - acceptsDescriptor: whether a descriptor may come with the message, which is the caller's from then on. All
    ///     others are closed.
    func receive(
        deadline: ContinuousClock.Instant?, acceptsDescriptor: Bool = false
    ) throws -> (bytes: [UInt8], descriptor: Int32?) {
        if let deadline { try wait(until: deadline) }
        var descriptor: Int32 = -1
        var descriptorCount: Int32 = 0
        let count = tt_receive_message(
            socket, buffer.baseAddress, buffer.count, &descriptor, acceptsDescriptor ? 1 : 0, &descriptorCount)
        guard count >= 0 else {
            let code = errno
            throw code == ENOMEM ? Failure.system(code) : Failure.ended
        }
        guard count > 0 else {
            if descriptorCount > 0 { close(descriptor) }
            throw Failure.ended
        }
        return (Array(buffer[..<count]), descriptorCount > 0 ? descriptor : nil)
    }

    private func wait(until deadline: ContinuousClock.Instant) throws {
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw Failure.timedOut }
            let (seconds, attoseconds) = left.components
            let milliseconds = min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000 + 1
            var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let result = poll(&entry, 1, Int32(clamping: milliseconds))
            if result > 0 { return }
            if result < 0, errno != EINTR { throw Failure.system(errno) }
        }
    }
}
