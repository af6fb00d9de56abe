import TintypeBase

/// Decoding in a worker: the counterpart of what `ImageCodecs` does in this process.
struct IsolatedDecoding: Sendable {
    let isolation: DecodeIsolation
    let format: ImageFormat

    fileprivate var pool: DecodeWorkerPool { .pool(for: isolation) }

    func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
        let reply = try call(data) { .info($0, isComplete: isComplete, limits) }.reply
        guard case .info(let info) = reply else { throw unexpectedReply }
        return info
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        let (reply, bitmap, _) = try call(data) { .decode($0, options) }
        guard case .image(_, let info, let isPartial, let warnings) = reply, let bitmap else { throw unexpectedReply }
        return DecodedImage(bitmap: bitmap, info: info, isPartial: isPartial, warnings: warnings)
    }

    /// The frames of an animation, or `nil` if the image does not move.
    func frames(_ data: Data, options: DecodeOptions) throws -> (any FrameSource)? {
        try IsolatedFrameSource(data, options: options, decoding: self)
    }

    /// - Parameter preferred: the worker that gets the request if it still exists.
    /// - Returns: the reply with its bitmap, and the number of the worker.
    fileprivate func call(
        _ input: Data? = nil, preferred: Int? = nil, _ request: (WorkerRequest.Input) -> WorkerRequest
    ) throws -> (reply: WorkerReply, bitmap: Bitmap?, worker: Int) {
        try pool.withWorker(preferred: preferred, format: format, timeout: isolation.deadline) { worker, deadline in
            let result = try worker.call(input, deadline: deadline, request)
            if case .failure(let error) = result.reply { throw error }
            return (result.reply, result.bitmap, worker.id)
        }
    }

    /// A worker that replies something else than it was asked does not follow the protocol.
    fileprivate var unexpectedReply: ImagingError { .decoderCrashed(format, signal: nil) }

    /// Previews of an image that is arriving.
    func previews(options: DecodeOptions) throws -> IsolatedPreviews {
        try IsolatedPreviews(options: options, decoding: self)
    }
}

/// Frames that a worker decodes. If the worker is gone, or has closed the session to make room, the next frame opens the
/// animation again.
private final class IsolatedFrameSource: FrameSource {
    let info: ImageInfo
    let pixelsPerFrame: Int
    private let data: Data
    private let options: DecodeOptions
    private let session: IsolatedSession
    private var size: PixelSize?

    /// `nil` if the image does not move.
    init?(_ data: Data, options: DecodeOptions, decoding: IsolatedDecoding) throws {
        self.data = data
        self.options = options
        session = IsolatedSession(decoding)
        switch try session.open(data, { .openFrames(session: $0, $1, options) }) {
        case .frames(let info, let pixelsPerFrame):
            self.info = info
            self.pixelsPerFrame = pixelsPerFrame
        case .nothing: return nil
        default: throw decoding.unexpectedReply
        }
    }

    func frame(at index: Int) throws -> Bitmap {
        if let bitmap = try openFrame(at: index) { return bitmap }
        let options = options
        guard case .frames = try session.open(data, { .openFrames(session: $0, $1, options) }),
            let bitmap = try openFrame(at: index)
        else { throw session.decoding.unexpectedReply }
        return bitmap
    }

    /// A frame of the session; `nil` if there is none any more.
    private func openFrame(at index: Int) throws -> Bitmap? {
        guard let (reply, bitmap) = try session.call(nil, { session, _ in .frame(session: session, index: index) })
        else { return nil }
        guard case .frame = reply, let bitmap, size == nil || size == bitmap.size else {
            throw session.decoding.unexpectedReply
        }
        size = bitmap.size
        return bitmap
    }

    func dropState() { session.close() }
}

/// Previews that a worker decodes. They end when the worker does: the decode of the whole image reports why.
final class IsolatedPreviews {
    private let session: IsolatedSession
    /// False once the image gives no previews any more.
    private(set) var canPreview = true

    fileprivate init(options: DecodeOptions, decoding: IsolatedDecoding) throws {
        session = IsolatedSession(decoding)
        _ = try session.open(nil) { session, _ in .openPreviews(session: session, options) }
    }

    func append(_ data: Data) throws {
        guard canPreview, !data.isEmpty else { return }
        let reply = try session.call(data) { .append(session: $0, $1) }
        guard case .nothing(let canPreview)? = reply?.reply else { return end() }
        if !canPreview { end() }
    }

    func preview() throws -> DecodedImage? {
        guard canPreview else { return nil }
        switch try session.call(nil, { session, _ in .preview(session: session) }) {
        case (.image(_, let info, let isPartial, let warnings), let bitmap?)?:
            return DecodedImage(bitmap: bitmap, info: info, isPartial: isPartial, warnings: warnings)
        case (.nothing(true), _)?: return nil
        default:
            end()
            return nil
        }
    }

    private func end() {
        canPreview = false
        session.close()
    }
}

/// What one worker keeps between calls. Used by one thread at a time.
private final class IsolatedSession {
    let decoding: IsolatedDecoding
    private var place: (session: Int, worker: Int)?

    private static let lastNumber = Locked(0)

    init(_ decoding: IsolatedDecoding) { self.decoding = decoding }

    deinit { close() }

    /// Opens the session in any worker.
    func open(_ input: Data?, _ request: (Int, WorkerRequest.Input) -> WorkerRequest) throws -> WorkerReply {
        close()
        let number = Self.lastNumber.withLock { number in
            number += 1
            return number
        }
        let opened = try decoding.call(input) { request(number, $0) }
        place = (number, opened.worker)
        return opened.reply
    }

    /// Sends a request to the worker of the session; `nil` if the session is gone.
    func call(
        _ input: Data?, _ request: (Int, WorkerRequest.Input) -> WorkerRequest
    ) throws -> (reply: WorkerReply, bitmap: Bitmap?)? {
        guard let (number, worker) = place else { return nil }
        let (reply, bitmap, _) = try decoding.call(input, preferred: worker) { request(number, $0) }
        guard reply != .noSession else {
            place = nil
            return nil
        }
        return (reply, bitmap)
    }

    func close() {
        guard let (number, worker) = place else { return }
        place = nil
        decoding.pool.abandon(session: number, of: worker)
    }
}
