import CZlib
import TintypeBase

/// A decoder for `Content-Encoding`. Confined to the transfer thread.
///
/// It detects a body that ends before its encoding does, which a correct `Content-Length` hides. Servers send other words
/// in the field (`none`, `utf-8`, `aws-chunked`): only gzip and deflate are decoded, the last one first. A body that is
/// not in the named encoding passes unchanged.
final class ContentDecoder {
    enum Outcome {
        case more
        case limitReached
        case corrupt(String)
    }

    /// The encodings that are decoded; the value of `Accept-Encoding`.
    static let accepted = "gzip, deflate"
    /// Each stage costs memory and time, and no server encodes a body this often.
    private static let maximumStages = 5

    private let stages: [Inflater]

    /// Returns a decoder, or nil if no decoding is needed.
    ///
    /// - Throws: ``NetworkingError/corrupt(_:)`` for too many encodings.
    static func decoder(for contentEncoding: String?) throws(NetworkingError) -> ContentDecoder? {
        let formats = formats(contentEncoding)
        guard !formats.isEmpty else { return nil }
        guard formats.count <= maximumStages else { throw .corrupt("the body is encoded \(formats.count) times") }
        return ContentDecoder(formats)
    }

    /// Returns whether the field names an encoding that is decoded.
    static func undoes(_ contentEncoding: String?) -> Bool { !formats(contentEncoding).isEmpty }

    private static func formats(_ contentEncoding: String?) -> [Inflater.Format] {
        (contentEncoding ?? "").split(separator: ",").compactMap { coding in
            switch asciiLowercased(trimmedBlanks(coding)) {
            case "gzip", "x-gzip": .gzip
            case "deflate": .deflate
            default: nil
            }
        }
    }

    private init(_ formats: [Inflater.Format]) {
        stages = formats.reversed().map(Inflater.init)
    }

    /// Appends the decoded bytes, at most `limit` in all.
    func decode(_ bytes: UnsafeRawBufferPointer, into buffer: ByteBuffer, limit: Int) -> Outcome {
        decode(bytes, stages[...], into: buffer, limit: limit)
    }

    private func decode(
        _ bytes: UnsafeRawBufferPointer, _ stages: ArraySlice<Inflater>, into buffer: ByteBuffer, limit: Int
    ) -> Outcome {
        guard let stage = stages.first else { return .more }
        guard stages.count > 1 else { return stage.decode(bytes, into: buffer, limit: limit) }
        // Small pieces bound the memory between the stages.
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(4 << 10)
            rest = rest.dropFirst(part.count)
            let between = ByteBuffer()
            let outcome = stage.decode(UnsafeRawBufferPointer(rebasing: part), into: between, limit: .max)
            guard case .more = outcome else { return outcome }
            let next = between.withBytes { decode($0, stages.dropFirst(), into: buffer, limit: limit) }
            guard case .more = next else { return next }
        }
        return .more
    }

    /// Whether the encoded data is complete.
    var isComplete: Bool { stages.allSatisfy(\.isComplete) }
}

/// A decoder for one gzip or deflate encoding.
private final class Inflater {
    typealias Outcome = ContentDecoder.Outcome

    enum Format { case gzip, deflate }

    // zlib keeps the address of its stream, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var isOpen = false
    private let format: Format
    private var hasEnded = false
    private var memberCount = 0
    /// Whether the bytes are not in the format and pass unchanged.
    private var isPassing = false

    init(format: Format) {
        self.format = format
        stream.initialize(to: z_stream())
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deallocate()
    }

    /// Appends the decoded bytes, at most `limit` in all.
    func decode(_ bytes: UnsafeRawBufferPointer, into buffer: ByteBuffer, limit: Int) -> Outcome {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return .more }
        if !isOpen, !isPassing {
            isPassing = !isEncoded(bytes)
            guard isPassing || open(firstByte: bytes[0]) else { return .corrupt("the decoder cannot be set up") }
        }
        if isPassing {
            guard bytes.count <= limit - buffer.count else { return .limitReached }
            buffer.append(bytes)
            return .more
        }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: base.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(bytes.count)
        // A full output space means that more output may wait, also after the last input byte.
        repeat {
            if hasEnded {
                // More gzip members may follow; other bytes after the end are ignored, as in browsers and gzip.
                guard format == .gzip, stream.pointee.next_in[0] == 0x1F, inflateReset(stream) == Z_OK else {
                    return .more
                }
                hasEnded = false
            }
            if let stop = step(into: buffer, limit: limit) { return stop }
        } while stream.pointee.avail_in > 0 || (stream.pointee.avail_out == 0 && !hasEnded)
        return .more
    }

    /// Whether the encoded data is complete.
    var isComplete: Bool { hasEnded || isPassing || !isOpen }

    private func step(into buffer: ByteBuffer, limit: Int) -> Outcome? {
        // One byte past the limit tells a body that is exactly as long as allowed from one that is longer.
        let room = min(min(limit - buffer.count, Int.max - 1) + 1, max(16 << 10, min(1 << 20, buffer.count / 2)))
        guard room > 0 else { return .limitReached }
        var code = Z_OK
        _ = buffer.appendUninitialized(atMost: room) { space in
            stream.pointee.next_out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(space.count)
            code = inflate(stream, Z_NO_FLUSH)
            return space.count - Int(stream.pointee.avail_out)
        }
        if buffer.count > limit { return .limitReached }
        switch code {
        case Z_OK, Z_BUF_ERROR: return nil
        case Z_STREAM_END:
            hasEnded = true
            memberCount += 1
            return nil
        default:
            // Bytes after a complete member that are not a member.
            if memberCount > 0 && format == .gzip && stream.pointee.total_out == 0 {
                hasEnded = true
                stream.pointee.avail_in = 0
                return nil
            }
            return .corrupt(stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(code)")
        }
    }

    /// Whether a body that starts so can be in the format. gzip has a signature; bare deflate data has none, so only what
    /// is plainly an image is taken for one.
    private func isEncoded(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch format {
        case .gzip: bytes[0] == 0x1F && (bytes.count == 1 || bytes[1] == 0x8B)
        case .deflate: !Self.imageSignatures.contains { bytes.starts(with: $0) }
        }
    }

    /// PNG, JPEG, GIF, WebP, TIFF.
    private static let imageSignatures: [[UInt8]] = [
        [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("GIF8".utf8), Array("RIFF".utf8), [0x49, 0x49, 0x2A, 0],
        [0x4D, 0x4D, 0, 0x2A],
    ]

    private func open(firstByte: UInt8) -> Bool {
        // "deflate" means the zlib format, but many servers send the bare deflate data: the first byte tells.
        let windowBits: Int32
        switch format {
        case .gzip: windowBits = 15 + 16
        case .deflate: windowBits = firstByte & 0x0F == 8 && firstByte >> 4 <= 7 ? 15 : -15
        }
        isOpen = inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        return isOpen
    }
}
