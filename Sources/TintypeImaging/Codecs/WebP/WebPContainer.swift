/// The RIFF chunks of a WebP file (RFC 9649, §2), without decoding pixels.
struct WebPContainer {
    /// One ANMF chunk.
    struct Frame {
        /// The part of the canvas, not clipped.
        var rect: PixelRect
        var milliseconds: Int
        /// True if the pixels of the frame replace those below, false if they are blended over them.
        var replacesBelow: Bool
        /// True if the part of the canvas becomes transparent before the next frame.
        var clearsAfter: Bool
        /// The chunks of the frame's image: optional ALPH, then VP8 or VP8L.
        var payload: Range<Int>
        /// True if the image of the frame has alpha.
        var hasAlpha: Bool
        /// True if the file ends inside it.
        var isTruncated: Bool
    }

    var canvas = PixelSize(width: 0, height: 0)
    var hasAlpha = false
    var isLossless = false
    var isAnimated = false
    /// Number of loops, 0 is forever.
    var loopCount = 0
    var frames: [Frame] = []
    var profile: Range<Int>?
    var exif: Range<Int>?
    /// Bytes of the file according to the RIFF header.
    var byteCount = 0
    /// True if the bytes end before the last chunk does.
    var isTruncated = false
    /// True if the header says that EXIF data follows and it has not been seen yet.
    var awaitsEXIF = false

    /// - Throws: `PastEnd` if the size is missing; `corrupt`.
    init(_ bytes: ByteView, limits: DecodeLimits) throws {
        guard try bytes.u32(0) == Self.code("RIFF"), try bytes.u32(8) == Self.code("WEBP") else {
            throw ImagingError.corrupt(.webp, "it does not start with RIFF and WEBP")
        }
        byteCount = Int(try bytes.u32(4)) + 8
        var hasEXIF = false
        var position = 12
        let end = min(byteCount, bytes.count)
        isTruncated = byteCount > bytes.count
        var isFirst = true
        while position < end || isFirst {
            let code = try bytes.u32(position)
            let length = Int(try bytes.u32(position + 4))
            let start = position + 8
            let range = start..<min(start + length, max(start, end))
            let isWhole = start + length <= end
            switch code {
            case Self.code("VP8X"):
                let flags = try bytes.u8(start)
                (hasAlpha, isAnimated, hasEXIF) = (flags & 0x10 != 0, flags & 0x02 != 0, flags & 0x08 != 0)
                canvas = PixelSize(width: try bytes.u24(start + 4) + 1, height: try bytes.u24(start + 7) + 1)
            case Self.code("VP8 "), Self.code("VP8L"):
                guard !isAnimated else { break }
                try readImage(bytes, code: code, at: start)
            case Self.code("ALPH"):
                guard !isAnimated else { break }
                hasAlpha = true
            case Self.code("ANIM"):
                if isWhole { loopCount = Int(try bytes.u16(start + 4)) }
            case Self.code("ANMF"):
                guard frames.count < limits.maximumFrameCount else {
                    throw ImagingError.tooManyFrames(.webp, limit: limits.maximumFrameCount)
                }
                if isAnimated, let frame = try? Self.frame(bytes, range, isTruncated: !isWhole) { frames.append(frame) }
            case Self.code("ICCP"):
                if isWhole, profile == nil { profile = range }
            case Self.code("EXIF"):
                if isWhole, exif == nil { exif = range }
            default:
                break
            }
            guard !isFirst || canvas.area > 0 else {
                throw ImagingError.corrupt(.webp, "the first chunk is not an image's")
            }
            isFirst = false
            if !isWhole { isTruncated = true }
            // Chunks are padded to an even length.
            position = start + length + length & 1
            // An incomplete chunk header: the rest is missing, or is junk after the last chunk.
            if position + 8 > end { break }
        }
        awaitsEXIF = hasEXIF && exif == nil
    }

    /// Reads the size and alpha of the bitstream of a still.
    private mutating func readImage(_ bytes: ByteView, code: UInt32, at start: Int) throws {
        let (size, alpha) = try Self.image(bytes, code: code, at: start)
        isLossless = code == Self.code("VP8L")
        if canvas.area == 0 {
            canvas = size
            hasAlpha = alpha
        } else if isLossless {
            hasAlpha = alpha
        }
    }

    /// Reads the header of a bitstream (RFC 9649, §3.4 and §3.7; RFC 6386, §9.1).
    private static func image(_ bytes: ByteView, code: UInt32, at start: Int) throws -> (PixelSize, hasAlpha: Bool) {
        if code == Self.code("VP8L") {
            guard try bytes.u8(start) == 0x2F else { throw ImagingError.corrupt(.webp, "no lossless signature") }
            let bits = try bytes.u32(start + 1)
            return (
                PixelSize(width: Int(bits & 0x3FFF) + 1, height: Int(bits >> 14 & 0x3FFF) + 1), bits >> 28 & 1 != 0
            )
        }
        guard try bytes.u8(start) & 1 == 0, try bytes.u24(start + 3) == 0x2A_019D else {
            throw ImagingError.corrupt(.webp, "no key frame")
        }
        return (
            PixelSize(width: Int(try bytes.u16(start + 6) & 0x3FFF), height: Int(try bytes.u16(start + 8) & 0x3FFF)),
            false
        )
    }

    private static func frame(_ bytes: ByteView, _ range: Range<Int>, isTruncated: Bool) throws -> Frame {
        let start = range.lowerBound
        let rect = PixelRect(
            x: try bytes.u24(start) * 2, y: try bytes.u24(start + 3) * 2, width: try bytes.u24(start + 6) + 1,
            height: try bytes.u24(start + 9) + 1)
        let milliseconds = try bytes.u24(start + 12)
        let flags = try bytes.u8(start + 15)
        let payload = start + 16..<max(start + 16, range.upperBound)
        var hasAlpha = false
        if let code = try? bytes.u32(payload.lowerBound) {
            hasAlpha = code == Self.code("ALPH")
            if code == Self.code("VP8L") {
                hasAlpha = (try? image(bytes, code: code, at: payload.lowerBound + 8))?.hasAlpha ?? true
            }
        }
        return Frame(
            rect: rect, milliseconds: milliseconds, replacesBelow: flags & 2 != 0, clearsAfter: flags & 1 != 0,
            payload: payload, hasAlpha: hasAlpha, isTruncated: isTruncated)
    }

    private static func code(_ text: StaticString) -> UInt32 {
        text.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }
}

extension ByteView {
    fileprivate func u24(_ offset: Int) throws -> Int {
        Int(try u16(offset)) | Int(try u8(offset + 2)) << 16
    }
}
