import CDeflate
import TintypeBase

/// PNG with 8 bits a channel: RGB for opaque images, RGBA for others. Effort 0…9 trades time for size; 6 by default.
struct PNGEncoder: ImageEncoder {
    var format: ImageFormat { .png }
    var canAnimate: Bool { true }

    func encode(_ bitmap: Bitmap, options: EncodeOptions) throws -> Data {
        let compressed = try PNGPixelEncoder.compress(bitmap, effort: options.effort)
        var writer = PNGChunkWriter()
        try writer.reserve(compressed.count + 64)
        writer.appendHeader(size: bitmap.size, hasAlpha: !bitmap.isOpaque)
        writer.append("IDAT", compressed)
        writer.append("IEND", Data())
        return writer.data
    }

    /// Encodes an APNG without loss, the frames one at a time with the previous one in memory. Of each frame only the
    /// changed rectangle is written.
    /// - Parameter poster: the default image, if it is not the first frame; of the size of the frames.
    func encode(
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

/// Writes the chunks of the frames of an APNG.
private struct APNGFrameWriter {
    private let effort: Int?
    private var chunks = PNGChunkWriter()
    private var sequence: UInt32 = 0
    private var frameCount: UInt32 = 0
    private var last: Bitmap?
    private var hasDefaultImage = false

    init(effort: Int?) { self.effort = effort }

    /// Writes an image that is not a frame: image data before the first frame control (APNG specification, "Structure").
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
            control(frame.bitmap.size.whole, frame.duration, blends: false)
            let pixels = try compress(frame.bitmap)
            if hasDefaultImage { try appendFrameData(pixels) } else { chunks.append("IDAT", pixels) }
            return
        }
        // An equal frame keeps its duration: one unchanged pixel is written.
        let rect = frame.bitmap.difference(from: last) ?? PixelRect(x: 0, y: 0, width: 1, height: 1)
        let (pixels, blends) = try smallest(frame.bitmap, over: last, rect)
        control(rect, frame.duration, blends: blends)
        try appendFrameData(pixels)
    }

    private mutating func appendFrameData(_ pixels: Data) throws {
        // The file is copied as it grows, and once more at the end.
        try ImageMemory.check(byteCount: 2 * chunks.data.count + 3 * pixels.count)
        var contents = Data()
        contents.appendBigEndian(sequence)
        sequence += 1
        chunks.append("fdAT", contents + pixels)
    }

    /// Compresses the rectangle, or if that is smaller, only its changed pixels, to be drawn over the others. The latter
    /// needs opaque pixels, through which no others show.
    private func smallest(_ bitmap: Bitmap, over last: Bitmap, _ rect: PixelRect) throws -> (Data, blends: Bool) {
        let whole = try compress(bitmap.copied(from: rect))
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
        // No disposal: each frame is the difference from the one before.
        contents.append(contentsOf: [0, blends ? 1 : 0])
        chunks.append("fcTL", contents)
        sequence += 1
    }

    /// Returns milliseconds, or the finest unit that 16 bits allow.
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

/// Writes chunks with their lengths and checksums.
struct PNGChunkWriter {
    private(set) var data = Data(PNGChunk.signature)

    init() {}

    /// Reserves memory, so that the file is not copied as it grows.
    /// - Throws: `ImagingError.outOfMemory`.
    mutating func reserve(_ byteCount: Int) throws {
        try ImageMemory.check(byteCount: data.count + byteCount)
        data.reserveCapacity(data.count + byteCount)
    }

    mutating func appendHeader(size: PixelSize, hasAlpha: Bool) {
        var contents = Data()
        contents.appendBigEndian(UInt32(size.width))
        contents.appendBigEndian(UInt32(size.height))
        contents.append(contentsOf: [
            8, hasAlpha ? PNGHeader.ColorType.rgba.rawValue : PNGHeader.ColorType.rgb.rawValue, 0, 0, 0,
        ])
        append("IHDR", contents)
    }

    /// - Parameter type: four ASCII letters.
    mutating func append(_ type: String, _ contents: Data) {
        data.appendBigEndian(UInt32(contents.count))
        let start = data.count
        data.append(contentsOf: type.utf8)
        data.append(contents)
        let checksum = data.withUnsafeBytes { bytes in
            libdeflate_crc32(0, bytes.baseAddress.map { $0 + start }, bytes.count - start)
        }
        data.appendBigEndian(checksum)
    }
}

extension Data {
    mutating func appendBigEndian(_ value: UInt32) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    mutating func appendBigEndian(_ value: UInt16) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
