import CIsolation
import TintypeBase

/// The worker's side of decoding in a sandbox.
///
/// Programs that are their own workers need nothing of this. A program that is named by `DecodeIsolation.workerPath`
/// calls ``runIfRequested(codecs:)`` as its first statement, and may bring decoders of its own:
///
/// ```swift
/// import TintypeImaging
///
/// DecodeWorker.runIfRequested(codecs: .standard)
/// ```
public enum DecodeWorker {
    /// Serves requests and ends the process, if the process was started as a worker; returns at once if not.
    ///
    /// - Parameter codecs: decode the images; what their own `isolation` says is ignored.
    public static func runIfRequested(codecs: ImageCodecs) {
        guard tt_worker_is_requested("program") else { return }
        serve(Int32(TT_WORKER_SOCKET), codecs)
    }

    fileprivate static func serve(_ socket: Int32, _ codecs: ImageCodecs) -> Never {
        do {
            try DecodeWorkerLoop(socket: socket, codecs: codecs).run()
        } catch {
            // The parent is gone, or does not follow the protocol: there is no one to report to.
        }
        // Without handlers and destructors: they belong to the program that this process never was.
        _exit(0)
    }
}

/// Called before `main` in a process that was started as a worker.
@_cdecl("tt_worker_main")
func runWorkerBeforeMain(_ socket: Int32) { DecodeWorker.serve(socket, .standard) }

/// Receives requests until the parent is gone.
private final class DecodeWorkerLoop {
    /// The most animations and previews that are open at a time; the one that was used least recently is closed.
    private static let maximumSessionCount = 16

    private enum Session {
        case frames(any FrameSource)
        case previews(ProgressiveImageDecoder)
    }

    /// A reply whose pixels still have to be put where the parent finds them.
    private enum Outcome {
        case reply(WorkerReply)
        case image(DecodedImage)
        case frame(Bitmap)

        var bitmap: Bitmap? {
            switch self {
            case .reply: nil
            case .image(let image): image.bitmap
            case .frame(let bitmap): bitmap
            }
        }

        func reply(in output: WorkerOutput) -> WorkerReply {
            func pixels(_ bitmap: Bitmap) -> WorkerReply.Pixels {
                WorkerReply.Pixels(size: bitmap.size, isOpaque: bitmap.isOpaque, output: output)
            }
            return switch self {
            case .reply(let reply): reply
            case .image(let image):
                .image(pixels(image.bitmap), image.info, isPartial: image.isPartial, warnings: image.warnings)
            case .frame(let bitmap): .frame(pixels(bitmap))
            }
        }
    }

    private let channel: WorkerChannel
    private let codecs: ImageCodecs
    private let mailbox: WorkerMailbox
    private var kept: SharedMemory?
    private var sessions: [Int: Session] = [:]
    private var sessionOrder: [Int] = []

    /// Receives the configuration and enters the sandbox.
    init(socket: Int32, codecs: ImageCodecs) throws {
        channel = WorkerChannel(socket: socket)
        self.codecs = codecs.withIsolation(.none)
        let (bytes, descriptor) = try channel.receive(deadline: nil, acceptsDescriptor: true)
        guard case .configure(let version, let memory, let isStrict) = try WorkerRequest(decoding: bytes),
            version == WorkerRequest.version, memory > 0, let descriptor,
            let shared = SharedMemory(descriptor: descriptor, byteCount: WorkerMailbox.byteCount)
        else { throw WireReader.Violation(reason: "no configuration") }
        close(descriptor)
        mailbox = WorkerMailbox(memory: shared)
        let missing = Int(tt_sandbox_enter(UInt64(memory)))
        guard !isStrict || missing == 0 else {
            let parts = DecodeWorkerPool.describe(missing).joined(separator: ", ")
            try channel.send(WorkerReply.failure(.processorFailed("the sandbox lacks \(parts)")).encoded())
            throw WireReader.Violation(reason: "the sandbox is not whole")
        }
        try channel.send(WorkerReply.ready(missing: missing).encoded())
    }

    func run() throws {
        while true {
            let (bytes, descriptor) = try channel.receive(deadline: nil, acceptsDescriptor: true)
            defer { if let descriptor { close(descriptor) } }
            let request = try WorkerRequest(decoding: bytes)
            let outcome: Outcome
            do {
                outcome = try self.outcome(of: request, descriptor)
            } catch let error as ImagingError {
                outcome = .reply(.failure(error))
            } catch {
                outcome = .reply(.failure(.processorFailed("\(error)")))
            }
            try send(outcome)
        }
    }

    private func outcome(of request: WorkerRequest, _ descriptor: Int32?) throws -> Outcome {
        switch request {
        case .configure, .output: throw ImagingError.processorFailed("a request that fits nothing")
        case .info(let input, let isComplete, let limits):
            let data = try data(input, descriptor)
            return .reply(.info(try codecs.info(data, isComplete: isComplete, limits: limits)))
        case .decode(let input, let options):
            return .image(try codecs.decode(try data(input, descriptor), options: options))
        case .openFrames(let session, let input, let options):
            // The frames are decoded later, when the mailbox holds something else.
            let data = try lastingData(input, descriptor)
            guard let frames = try codecs.frameSource(data, options: options) else {
                return .reply(.nothing(canPreview: false))
            }
            open(.frames(frames), session)
            return .reply(.frames(frames.info, pixelsPerFrame: frames.pixelsPerFrame))
        case .frame(let session, let index):
            guard case .frames(let frames) = use(session) else { return .reply(.noSession) }
            guard index >= 0, index < frames.info.frameCount else {
                throw ImagingError.noSuchFrame(index, count: frames.info.frameCount)
            }
            return .frame(try frames.frame(at: index))
        case .openPreviews(let session, let options):
            open(.previews(ProgressiveImageDecoder(codecs: codecs, options: options)), session)
            return .reply(.nothing(canPreview: true))
        case .append(let session, let input):
            guard case .previews(let decoder) = use(session) else { return .reply(.noSession) }
            try decoder.append(try lastingData(input, descriptor))
            return .reply(.nothing(canPreview: decoder.canPreview))
        case .preview(let session):
            guard case .previews(let decoder) = use(session) else { return .reply(.noSession) }
            guard let image = try decoder.preview() else {
                return .reply(.nothing(canPreview: decoder.canPreview))
            }
            return .image(image)
        case .close(let session):
            sessions[session] = nil
            sessionOrder.removeAll { $0 == session }
            return .reply(.nothing(canPreview: false))
        }
    }

    // MARK: Input

    /// The input of a request, valid until the next one.
    private func data(_ input: WorkerRequest.Input, _ descriptor: Int32?) throws -> Data {
        guard input.byteCount > 0 else { throw ImagingError.emptyBody }
        if input.isInMailbox {
            guard input.byteCount <= WorkerMailbox.capacity, let base = mailbox.input.baseAddress else {
                throw ImagingError.processorFailed("a request is larger than the mailbox")
            }
            return Data(bytesNoCopy: base, count: input.byteCount, deallocator: .none)
        }
        guard let descriptor,
            let memory = SharedMemory(descriptor: descriptor, byteCount: input.byteCount, isReadOnly: true),
            let base = memory.bytes.baseAddress
        else { throw ImagingError.processorFailed("the bytes of a request cannot be mapped") }
        return Data(bytesNoCopy: base, count: input.byteCount, deallocator: .custom { _, _ in _ = memory })
    }

    /// The input of a request, valid as long as it is used.
    private func lastingData(_ input: WorkerRequest.Input, _ descriptor: Int32?) throws -> Data {
        let data = try data(input, descriptor)
        return input.isInMailbox ? data.withUnsafeBytes { Data($0) } : data
    }

    // MARK: Output

    private func send(_ outcome: Outcome) throws {
        let bitmap = outcome.bitmap
        let pixelByteCount = bitmap.map { $0.width * 4 * $0.height } ?? 0
        var place = WorkerOutput(byteCount: pixelByteCount)
        var message = outcome.reply(in: place).encoded()
        var long: [UInt8] = []
        if message.count > WorkerChannel.maximumMessageByteCount {
            place = WorkerOutput(byteCount: pixelByteCount + message.count)
            long = outcome.reply(in: place).encoded()
            message = WorkerReply.elsewhere(place, offset: pixelByteCount, byteCount: long.count).encoded()
        }
        // The mapping of a single output ends here: before the parent is told, which seals it.
        if bitmap != nil || !long.isEmpty {
            let memory = try output(place, byteCount: pixelByteCount + long.count)
            let bytes = place == .mailbox ? mailbox.output : memory.bytes
            withExtendedLifetime(memory) {
                if let bitmap { copy(bitmap, to: bytes) }
                long.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: bytes[pixelByteCount...]).copyMemory(from: $0)
                }
            }
        }
        try channel.send(message)
    }

    /// The memory of an output, which the parent is asked for if it is not there yet.
    private func output(_ place: WorkerOutput, byteCount: Int) throws -> SharedMemory {
        switch place {
        case .mailbox: return mailbox.memory
        case .kept: if let kept { return kept }
        case .single: break
        }
        try channel.send(WorkerReply.needsOutput(byteCount: byteCount).encoded())
        let (bytes, descriptor) = try channel.receive(deadline: nil, acceptsDescriptor: true)
        defer { if let descriptor { close(descriptor) } }
        guard case .output(let given) = try WorkerRequest(decoding: bytes), given >= byteCount, let descriptor,
            let memory = SharedMemory(descriptor: descriptor, byteCount: given)
        else { throw WireReader.Violation(reason: "no memory for the output") }
        if place == .kept { kept = memory }
        return memory
    }

    private func copy(_ bitmap: Bitmap, to target: UnsafeMutableRawBufferPointer) {
        let row = bitmap.width * 4
        bitmap.withUnsafeBytes { source in
            if bitmap.bytesPerRow == row {
                return target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<(row * bitmap.height)]))
            }
            for y in 0..<bitmap.height {
                UnsafeMutableRawBufferPointer(rebasing: target[(y * row)...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[(y * bitmap.bytesPerRow)...].prefix(row)))
            }
        }
    }

    // MARK: Sessions

    private func open(_ session: Session, _ number: Int) {
        if sessions.count >= Self.maximumSessionCount { sessions[sessionOrder.removeFirst()] = nil }
        sessions[number] = session
        sessionOrder.append(number)
    }

    private func use(_ number: Int) -> Session? {
        guard let session = sessions[number] else { return nil }
        sessionOrder.removeAll { $0 == number }
        sessionOrder.append(number)
        return session
    }
}
