import TintypeBase

extension PNGEncoder {
    public var canAnimate: Bool { true }

    /// An APNG without loss: of each frame only the rectangle that changed is written. Frames are taken one at a time;
    /// the one before is held as well. Any viewer that knows no APNG shows the first frame.
    public func encode(frames: some Sequence<EncodableFrame>, loopCount: Int, options: EncodeOptions) throws -> Data {
        try encode(frames: frames, poster: nil, loopCount: loopCount, options: options)
    }

    /// The same with a default image that is not a frame: what viewers without APNG show. It must be of the frames' size.
    public func encode(
        frames: some Sequence<EncodableFrame>, poster: Bitmap?, loopCount: Int, options: EncodeOptions
    ) throws -> Data {
        var check = AnimationFrameCheck(.png, maximumSide: Int(Int32.max) / 4)
        var writer = APNGFrameWriter(effort: options.effort)
        if let poster {
            try check.check(poster)
            try writer.writeDefaultImage(poster)
        }
        for frame in frames {
            try check.check(frame.bitmap)
            try writer.append(frame)
        }
        try check.finish()
        return writer.finish(size: check.size ?? PixelSize(width: 1, height: 1), loopCount: loopCount)
    }
}

/// Writes the chunks of one frame after the other.
private struct APNGFrameWriter {
    private let effort: Int?
    private var chunks = PNGChunkWriter()
    private var sequence: UInt32 = 0
    private var frameCount: UInt32 = 0
    private var last: Bitmap?
    private var hasDefaultImage = false

    init(effort: Int?) { self.effort = effort }

    /// The image that is no frame: image data before the first frame control (APNG specification, "Structure").
    mutating func writeDefaultImage(_ bitmap: Bitmap) throws {
        chunks.append("IDAT", try compress(bitmap))
        hasDefaultImage = true
    }

    mutating func append(_ frame: EncodableFrame) throws {
        defer {
            last = frame.bitmap
            frameCount += 1
        }
        guard let last else {
            let size = frame.bitmap.size
            control(PixelRect(x: 0, y: 0, width: size.width, height: size.height), frame.duration, blends: false)
            let pixels = try compress(frame.bitmap)
            if hasDefaultImage { try appendFrameData(pixels) } else { chunks.append("IDAT", pixels) }
            return
        }
        // An equal frame keeps its time: one pixel is written, which changes nothing.
        let rect = FrameDifference(last, frame.bitmap).rect ?? PixelRect(x: 0, y: 0, width: 1, height: 1)
        let (pixels, blends) = try smallest(frame.bitmap, over: last, rect)
        control(rect, frame.duration, blends: blends)
        try appendFrameData(pixels)
    }

    private mutating func appendFrameData(_ pixels: Data) throws {
        // The file grows by copying, and is copied once more at the end.
        try ImageMemory.check(byteCount: 2 * chunks.data.count + 3 * pixels.count)
        var contents = Data()
        contents.appendBigEndian(sequence)
        sequence += 1
        chunks.append("fdAT", contents + pixels)
    }

    /// The rectangle as it is, or if that is smaller, only what changed, drawn over what is there. The latter needs
    /// opaque pixels: drawn over others, they would show what is below.
    private func smallest(_ bitmap: Bitmap, over last: Bitmap, _ rect: PixelRect) throws -> (Data, blends: Bool) {
        let whole = try compress(bitmap.part(rect))
        guard bitmap.isOpaque, effort ?? 6 > 1 else { return (whole, false) }
        let changes = try compress(bitmap.part(rect, withoutPixelsOf: last))
        return changes.count < whole.count ? (changes, true) : (whole, false)
    }

    private func compress(_ bitmap: Bitmap) throws -> Data {
        try PNGPixelEncoder.compress(bitmap, effort: effort, keepsAlpha: true)
    }

    private mutating func control(_ rect: PixelRect, _ duration: Double, blends: Bool) {
        var contents = Data()
        contents.appendBigEndian(sequence)
        for value in [rect.width, rect.height, rect.x, rect.y] { contents.appendBigEndian(UInt32(value)) }
        let (numerator, denominator) = Self.fraction(duration)
        contents.appendBigEndian(numerator)
        contents.appendBigEndian(denominator)
        // No disposal: each frame is the difference to the one before.
        contents.append(contentsOf: [0, blends ? 1 : 0])
        chunks.append("fcTL", contents)
        sequence += 1
    }

    /// Milliseconds, or as fine as 16 bits allow.
    private static func fraction(_ seconds: Double) -> (UInt16, UInt16) {
        let seconds = seconds.isFinite ? max(0, seconds) : 0
        for denominator in [1000.0, 100, 10, 1] where (seconds * denominator).rounded() <= 65535 {
            return (UInt16((seconds * denominator).rounded()), UInt16(denominator))
        }
        return (65535, 1)
    }

    func finish(size: PixelSize, loopCount: Int) -> Data {
        var head = PNGChunkWriter()
        head.appendHeader(size: size, hasAlpha: true)
        var contents = Data()
        contents.appendBigEndian(frameCount)
        contents.appendBigEndian(UInt32(clamping: max(0, loopCount)))
        head.append("acTL", contents)
        var end = PNGChunkWriter()
        end.append("IEND", Data())
        let signature = PNGChunk.signature.count
        return head.data + chunks.data.dropFirst(signature) + end.data.dropFirst(signature)
    }
}
