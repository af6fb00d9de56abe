import CIsolation
import TintypeBase

/// One worker, seen from the parent. Used by one thread at a time: the pool hands it out.
final class DecodeWorkerProcess: @unchecked Sendable {
    // All variables are touched only by the thread that the pool has handed the worker to.

    /// How a call to a worker went wrong.
    enum Failure: Error {
        case timedOut
        /// The worker is gone, or does not follow the protocol and was killed.
        case crashed(signal: Int?)
        case outOfMemory
        /// This process is short of memory or descriptors.
        case system(Int32)
    }

    let id: Int
    /// Bits of `TT_SANDBOX_…` for what this system lacks.
    private(set) var missingProtections = 0
    private let process: pid_t
    private let processDescriptor: Int32
    private let channel: WorkerChannel
    private let mailbox: WorkerMailbox
    private var kept: SharedMemory?
    private let memoryLimit: Int
    /// Bytes of the memory that was handed to the worker and that it could hold for ever.
    private var handedByteCount = 0
    private(set) var isOver = false
    var idleSince = ContinuousClock.now

    /// Starts a worker and waits until it is in its sandbox. Must run on a thread that lives as long as the process, since
    /// the kernel kills a worker when the thread that started it ends.
    init(id: Int, isolation: DecodeIsolation, deadline: ContinuousClock.Instant) throws {
        let descriptor = try SharedMemory.create(byteCount: WorkerMailbox.byteCount)
        defer { close(descriptor) }
        guard let memory = SharedMemory(descriptor: descriptor, byteCount: WorkerMailbox.byteCount) else {
            throw Failure.system(ENOMEM)
        }
        var sockets: (Int32, Int32) = (-1, -1)
        let code = withUnsafeMutableBytes(of: &sockets) { tt_socket_pair($0.bindMemory(to: Int32.self).baseAddress) }
        guard code == 0 else { throw Failure.system(code) }
        var process: pid_t = 0
        var processDescriptor: Int32 = -1
        let path = isolation.workerPath ?? "/proc/self/exe"
        let marker = isolation.workerPath == nil ? "main" : "program"
        let spawned = tt_worker_spawn(path, sockets.1, marker, &process, &processDescriptor)
        close(sockets.1)
        guard spawned == 0 else {
            close(sockets.0)
            throw Failure.system(spawned)
        }
        self.id = id
        self.process = process
        self.processDescriptor = processDescriptor
        channel = WorkerChannel(socket: sockets.0)
        mailbox = WorkerMailbox(memory: memory)
        memoryLimit = isolation.maximumMemoryByteCount
        do {
            let request = WorkerRequest.configure(
                version: WorkerRequest.version, memory: memoryLimit, isStrict: isolation.isStrict)
            try channel.send(request.encoded(), descriptor: descriptor)
            switch try reply(until: deadline).reply {
            case .ready(let missing): missingProtections = missing
            case .failure(let error): throw error
            default: throw WireReader.Violation(reason: "it does not say that it is ready")
            }
        } catch {
            throw fail(error)
        }
    }

    deinit { end() }

    /// Whether the worker waits for a request. One that has ended, or talks without having been asked, is of no use.
    var isUsable: Bool { !isOver && tt_is_quiet(channel.socket) }

    /// Whether the worker should be replaced before it could hold much more memory than its limit.
    var isWornOut: Bool { handedByteCount > memoryLimit }

    /// Sends one request and waits for its reply.
    ///
    /// - Parameters:
    ///   - input: the bytes that the request is about.
    ///   - request: made from the place where the bytes lie.
    /// - Returns: the reply, and the bitmap if it has one.
    func call(
        _ input: Data? = nil, deadline: ContinuousClock.Instant, _ request: (WorkerRequest.Input) -> WorkerRequest
    ) throws -> (reply: WorkerReply, bitmap: Bitmap?) {
        guard !isOver else { throw Failure.crashed(signal: nil) }
        do {
            try send(input, request)
            return try reply(until: deadline)
        } catch {
            throw fail(error)
        }
    }

    private func send(_ input: Data?, _ request: (WorkerRequest.Input) -> WorkerRequest) throws {
        guard let input, input.count > WorkerMailbox.capacity else {
            input?.withUnsafeBytes { mailbox.input.copyMemory(from: $0) }
            return try channel.send(request(.init(byteCount: input?.count ?? 0, isInMailbox: true)).encoded())
        }
        let descriptor = input.withUnsafeBytes { tt_sealed_copy($0.baseAddress, $0.count) }
        guard descriptor >= 0 else { throw Failure.system(errno) }
        defer { close(descriptor) }
        handedByteCount += input.count
        let message = request(.init(byteCount: input.count, isInMailbox: false)).encoded()
        try channel.send(message, descriptor: descriptor)
    }

    private func reply(until deadline: ContinuousClock.Instant) throws -> (reply: WorkerReply, bitmap: Bitmap?) {
        var reply = try WorkerReply(decoding: channel.receive(deadline: deadline).bytes)
        var single: Int32 = -1
        defer { if single >= 0 { close(single) } }
        if case .needsOutput(let byteCount) = reply {
            single = try sendOutput(byteCount)
            reply = try WorkerReply(decoding: channel.receive(deadline: deadline).bytes)
        }
        var outputs: [WorkerOutput: SharedMemory] = [:]
        outputs[.kept] = kept
        if case .elsewhere(let place, let offset, let byteCount) = reply {
            let bytes = try bytes(of: place, single, &outputs)
            guard offset <= bytes.count, byteCount <= bytes.count - offset else {
                throw WireReader.Violation(reason: "a reply outside of its output")
            }
            reply = try WorkerReply(decoding: Array(bytes[offset..<(offset + byteCount)]))
        }
        switch reply {
        case .image(let pixels, _, _, _), .frame(let pixels):
            return (reply, try bitmap(pixels, bytes(of: pixels.output, single, &outputs), outputs[.single]))
        default: return (reply, nil)
        }
    }

    /// Hands over the memory for an output. Memory for a single reply stays open here until it is mapped.
    private func sendOutput(_ byteCount: Int) throws -> Int32 {
        let place = WorkerOutput(byteCount: byteCount)
        guard place != .mailbox, place != .kept || kept == nil else {
            throw WireReader.Violation(reason: "it has the memory that it asks for")
        }
        guard byteCount <= memoryLimit else { throw Failure.outOfMemory }
        let size = place == .kept ? WorkerOutput.keptByteCount : byteCount
        let descriptor = try SharedMemory.create(byteCount: size)
        do {
            if place == .kept {
                kept = SharedMemory(descriptor: descriptor, byteCount: size)
                guard kept != nil else { throw Failure.system(ENOMEM) }
            }
            handedByteCount += place == .kept ? 0 : size
            try channel.send(WorkerRequest.output(byteCount: size).encoded(), descriptor: descriptor)
            guard place == .kept else { return descriptor }
        } catch {
            close(descriptor)
            throw error
        }
        close(descriptor)
        return -1
    }

    /// The bytes of an output. The worker may still write to them, except to those of a single one.
    private func bytes(
        of place: WorkerOutput, _ single: Int32, _ outputs: inout [WorkerOutput: SharedMemory]
    ) throws -> UnsafeMutableRawBufferPointer {
        if place == .mailbox { return mailbox.output }
        if let memory = outputs[place] { return memory.bytes }
        var status = stat()
        guard place == .single, single >= 0, fstat(single, &status) == 0 else {
            throw WireReader.Violation(reason: "an output that it was not given")
        }
        guard tt_make_unchangeable(single) == 0 else {
            throw WireReader.Violation(reason: "an output that it can still change")
        }
        guard let memory = SharedMemory(descriptor: single, byteCount: Int(status.st_size), isReadOnly: true) else {
            throw Failure.system(ENOMEM)
        }
        outputs[.single] = memory
        return memory.bytes
    }

    /// The pixels of a reply: a copy, or those of a mapping that cannot change.
    private func bitmap(
        _ pixels: WorkerReply.Pixels, _ bytes: UnsafeMutableRawBufferPointer, _ single: SharedMemory?
    ) throws -> Bitmap {
        let size = pixels.size
        guard let byteCount = pixels.byteCount, byteCount <= bytes.count else {
            throw WireReader.Violation(reason: "more pixels than its output holds")
        }
        if pixels.output == .single, let single {
            return Bitmap(
                width: size.width, height: size.height, bytesPerRow: size.width * 4, isOpaque: pixels.isOpaque,
                storage: PixelStorage(mapping: single, byteCount: byteCount))
        }
        return try Bitmap(width: size.width, height: size.height, isOpaque: pixels.isOpaque) { target, _ in
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]))
        }
    }

    /// Ends the worker after a failure, and says why it failed.
    private func fail(_ error: any Error) -> any Error {
        let end = end()
        return switch error {
        case WorkerChannel.Failure.timedOut: Failure.timedOut
        case WorkerChannel.Failure.ended:
            end.isOutOfMemory ? Failure.outOfMemory : Failure.crashed(signal: end.signal)
        case WorkerChannel.Failure.system(let code): Failure.system(code)
        case is WireReader.Violation: Failure.crashed(signal: nil)
        default: error
        }
    }

    /// Kills the worker and waits for its end. Later calls do nothing.
    ///
    /// - Returns: the signal that had ended it before, if one had and it is known, and whether memory ran out.
    @discardableResult func end() -> (signal: Int?, isOutOfMemory: Bool) {
        guard !isOver else { return (nil, false) }
        isOver = true
        close(channel.socket)
        tt_worker_kill(process, processDescriptor)
        let status = tt_worker_wait(process)
        if processDescriptor >= 0 { close(processDescriptor) }
        if status == TT_WORKER_OUT_OF_MEMORY { return (nil, true) }
        return (status > 0 ? Int(status) : nil, false)
    }
}
