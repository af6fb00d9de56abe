import CZlib

/// Undoes `Content-Encoding` gzip and deflate, and notices a body that ends before its encoding does, which a right
/// `Content-Length` hides. Confined to the transfer thread.
final class ContentDecoder {
    enum Outcome {
        case more
        case limitReached
        case corrupt(String)
    }

    // zlib keeps the address of its stream, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var isOpen = false
    private var format: Format
    private var hasEnded = false
    private var memberCount = 0

    private enum Format { case gzip, deflateUndecided, deflate }

    /// The codings that are undone; what `Accept-Encoding` offers.
    static let accepted = "gzip, deflate"

    /// nil when nothing has to be undone.
    ///
    /// - Throws: ``NetworkingError/corrupt(_:)`` for a coding that was not asked for.
    static func decoder(for contentEncoding: String?) throws(NetworkingError) -> ContentDecoder? {
        let codings = (contentEncoding ?? "").split(separator: ",").map { asciiLowercased(trimmedBlanks($0)) }
            .filter { !$0.isEmpty && $0 != "identity" }
        guard let coding = codings.first else { return nil }
        guard codings.count == 1 else {
            throw .corrupt("the body is encoded more than once (\(codings.joined(separator: ", ")))")
        }
        switch coding {
        case "gzip", "x-gzip": return ContentDecoder(format: .gzip)
        case "deflate": return ContentDecoder(format: .deflateUndecided)
        default: throw .corrupt("the body has the content coding \"\(coding)\", which was not asked for")
        }
    }

    private init(format: Format) {
        self.format = format
        stream.initialize(to: z_stream())
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deallocate()
    }

    /// Appends what `bytes` decode to, never more than `limit` bytes in all.
    func decode(_ bytes: UnsafeRawBufferPointer, into buffer: ByteBuffer, limit: Int) -> Outcome {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return .more }
        if !isOpen {
            guard open(firstByte: bytes[0]) else { return .corrupt("the decoder cannot be set up") }
        }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: base.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(bytes.count)
        // Output may still be waiting when the last input byte is taken: a full output space tells.
        repeat {
            if hasEnded {
                // More gzip members may follow; anything else behind the end is ignored, as browsers and gzip do.
                guard format == .gzip, stream.pointee.next_in[0] == 0x1F, inflateReset(stream) == Z_OK else {
                    return .more
                }
                hasEnded = false
            }
            if let stop = step(into: buffer, limit: limit) { return stop }
        } while stream.pointee.avail_in > 0 || (stream.pointee.avail_out == 0 && !hasEnded)
        return .more
    }

    /// Whether the encoded data came to its own end.
    var isComplete: Bool { hasEnded }

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
            // Rubbish after a whole member that happened to start like one.
            if memberCount > 0 && format == .gzip && stream.pointee.total_out == 0 {
                hasEnded = true
                stream.pointee.avail_in = 0
                return nil
            }
            return .corrupt(stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(code)")
        }
    }

    private func open(firstByte: UInt8) -> Bool {
        // "deflate" means the zlib format, but many servers send the bare deflate data: the first byte tells.
        let windowBits: Int32
        switch format {
        case .gzip: windowBits = 15 + 16
        case .deflate, .deflateUndecided:
            windowBits = firstByte & 0x0F == 8 && firstByte >> 4 <= 7 ? 15 : -15
            format = .deflate
        }
        isOpen = inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        return isOpen
    }
}
