import TintypeBase

/// What the parent wants of a worker. One request is followed by one reply; only `needsOutput` comes in between.
enum WorkerRequest: Equatable {
    /// The encoded bytes of an image: in the mailbox, or in the descriptor that comes with the message.
    struct Input: Equatable {
        var byteCount: Int
        var isInMailbox: Bool
    }

    /// The first message: bounds, after which the worker enters its sandbox. The mailbox comes with it.
    case configure(version: Int, memory: Int, isStrict: Bool)
    case info(Input, isComplete: Bool, DecodeLimits)
    case decode(Input, DecodeOptions)
    /// Opens the frames of an animation under a number that the parent chooses.
    case openFrames(session: Int, Input, DecodeOptions)
    case frame(session: Int, index: Int)
    /// Opens an incremental decoder under a number that the parent chooses.
    case openPreviews(session: Int, DecodeOptions)
    /// The next bytes of an image that is arriving.
    case append(session: Int, Input)
    case preview(session: Int)
    case close(session: Int)
    /// Memory for the output that the worker has asked for, which comes with the message.
    case output(byteCount: Int)

    static let version = 1

    func encoded() -> [UInt8] {
        var writer = WireWriter()
        switch self {
        case .configure(let version, let memory, let isStrict):
            writer.write("configure")
            writer.write(version)
            writer.write(memory)
            writer.write(isStrict)
        case .info(let input, let isComplete, let limits):
            writer.write("info")
            input.write(to: &writer)
            writer.write(isComplete)
            limits.write(to: &writer)
        case .decode(let input, let options):
            writer.write("decode")
            input.write(to: &writer)
            options.write(to: &writer)
        case .openFrames(let session, let input, let options):
            writer.write("openFrames")
            writer.write(session)
            input.write(to: &writer)
            options.write(to: &writer)
        case .frame(let session, let index):
            writer.write("frame")
            writer.write(session)
            writer.write(index)
        case .openPreviews(let session, let options):
            writer.write("openPreviews")
            writer.write(session)
            options.write(to: &writer)
        case .append(let session, let input):
            writer.write("append")
            writer.write(session)
            input.write(to: &writer)
        case .preview(let session):
            writer.write("preview")
            writer.write(session)
        case .close(let session):
            writer.write("close")
            writer.write(session)
        case .output(let byteCount):
            writer.write("output")
            writer.write(byteCount)
        }
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws {
        var reader = WireReader(bytes)
        switch try reader.string() {
        case "configure":
            self = .configure(version: try reader.int(), memory: try reader.int(), isStrict: try reader.bool())
        case "info":
            self = .info(
                try Input(from: &reader), isComplete: try reader.bool(), try DecodeLimits(from: &reader))
        case "decode": self = .decode(try Input(from: &reader), try DecodeOptions(from: &reader))
        case "openFrames":
            self = .openFrames(
                session: try reader.int(), try Input(from: &reader), try DecodeOptions(from: &reader))
        case "frame": self = .frame(session: try reader.int(), index: try reader.int())
        case "openPreviews": self = .openPreviews(session: try reader.int(), try DecodeOptions(from: &reader))
        case "append": self = .append(session: try reader.int(), try Input(from: &reader))
        case "preview": self = .preview(session: try reader.int())
        case "close": self = .close(session: try reader.int())
        case "output": self = .output(byteCount: try reader.int())
        default: throw WireReader.Violation(reason: "an unknown request")
        }
        guard reader.isAtEnd else { throw WireReader.Violation(reason: "bytes after a request") }
    }
}

extension WorkerRequest.Input {
    func write(to writer: inout WireWriter) {
        writer.write(byteCount)
        writer.write(isInMailbox)
    }

    init(from reader: inout WireReader) throws {
        self.init(byteCount: try reader.int(), isInMailbox: try reader.bool())
        guard byteCount >= 0 else { throw WireReader.Violation(reason: "a negative size") }
    }
}

/// What a worker replies.
enum WorkerReply: Equatable {
    /// Pixels: rows of `size.width * 4` bytes without gaps at the start of an output.
    struct Pixels: Equatable {
        var size: PixelSize
        var isOpaque: Bool
        var output: WorkerOutput

        /// The bytes that the pixels take; `nil` if no bitmap can have this size.
        var byteCount: Int? {
            guard let row = try? Bitmap.bytesPerRow(width: size.width, height: size.height) else { return nil }
            let (count, overflow) = row.multipliedReportingOverflow(by: size.height)
            return overflow ? nil : count
        }
    }

    /// The sandbox is entered; the bits name what is missing (`TT_SANDBOX_…`).
    case ready(missing: Int)
    case failure(ImagingError)
    case info(ImageInfo)
    case image(Pixels, ImageInfo, isPartial: Bool, warnings: [String])
    case frame(Pixels)
    case frames(ImageInfo, pixelsPerFrame: Int)
    /// The image does not move, nothing new can be shown, or the session is closed.
    case nothing(canPreview: Bool)
    /// The worker knows no such session.
    case noSession
    /// The reply is larger than the memory that the worker has for it.
    case needsOutput(byteCount: Int)
    /// The reply itself lies in an output, because it is too long for a message.
    case elsewhere(WorkerOutput, offset: Int, byteCount: Int)

    func encoded() -> [UInt8] {
        var writer = WireWriter()
        switch self {
        case .ready(let missing):
            writer.write("ready")
            writer.write(missing)
        case .failure(let error):
            writer.write("failure")
            error.write(to: &writer)
        case .info(let info):
            writer.write("info")
            info.write(to: &writer)
        case .image(let pixels, let info, let isPartial, let warnings):
            writer.write("image")
            pixels.write(to: &writer)
            info.write(to: &writer)
            writer.write(isPartial)
            writer.write(warnings.count)
            for warning in warnings { writer.write(warning) }
        case .frame(let pixels):
            writer.write("frame")
            pixels.write(to: &writer)
        case .frames(let info, let pixelsPerFrame):
            writer.write("frames")
            info.write(to: &writer)
            writer.write(pixelsPerFrame)
        case .nothing(let canPreview):
            writer.write("nothing")
            writer.write(canPreview)
        case .noSession: writer.write("noSession")
        case .needsOutput(let byteCount):
            writer.write("needsOutput")
            writer.write(byteCount)
        case .elsewhere(let output, let offset, let byteCount):
            writer.write("elsewhere")
            writer.write(output.rawValue)
            writer.write(offset)
            writer.write(byteCount)
        }
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws {
        var reader = WireReader(bytes)
        switch try reader.string() {
        case "ready": self = .ready(missing: try reader.int())
        case "failure": self = .failure(try ImagingError(from: &reader))
        case "info": self = .info(try ImageInfo(from: &reader))
        case "image":
            let pixels = try Pixels(from: &reader)
            let info = try ImageInfo(from: &reader)
            let isPartial = try reader.bool()
            let count = try reader.count(elementSize: 8)
            self = .image(
                pixels, info, isPartial: isPartial, warnings: try (0..<count).map { _ in try reader.string() })
        case "frame": self = .frame(try Pixels(from: &reader))
        case "frames":
            self = .frames(try ImageInfo(from: &reader), pixelsPerFrame: try reader.int(in: 0...1 << 50))
        case "nothing": self = .nothing(canPreview: try reader.bool())
        case "noSession": self = .noSession
        case "needsOutput": self = .needsOutput(byteCount: try reader.int(in: 1...Int.max))
        case "elsewhere":
            self = .elsewhere(
                try WorkerOutput(from: &reader), offset: try reader.int(in: 0...1 << 50),
                byteCount: try reader.int(in: 0...1 << 50))
        default: throw WireReader.Violation(reason: "an unknown reply")
        }
        guard reader.isAtEnd else { throw WireReader.Violation(reason: "bytes after a reply") }
    }
}

extension WorkerReply.Pixels {
    func write(to writer: inout WireWriter) {
        size.write(to: &writer)
        writer.write(isOpaque)
        writer.write(output.rawValue)
    }

    init(from reader: inout WireReader) throws {
        self.init(
            size: try PixelSize(from: &reader), isOpaque: try reader.bool(), output: try WorkerOutput(from: &reader))
        guard byteCount != nil else { throw WireReader.Violation(reason: "a bitmap of \(size)") }
    }
}

extension WorkerOutput {
    init(from reader: inout WireReader) throws {
        guard let output = WorkerOutput(rawValue: try reader.int()) else {
            throw WireReader.Violation(reason: "an unknown output")
        }
        self = output
    }
}
