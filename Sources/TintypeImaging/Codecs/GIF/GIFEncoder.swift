import TintypeBase

/// GIF89a, still and animated. Images of up to 256 colours keep them exactly; others get the best palette for each frame
/// and dithering. A pixel with an alpha of 128 or more becomes opaque, others transparent. Of each frame only the changed
/// part is written. Delays are rounded to hundredths of a second such that the total duration stays.
struct GIFEncoder: ImageEncoder {
    var format: ImageFormat { .gif }
    var canAnimate: Bool { true }

    static let maximumSide = 65535

    func encode(_ bitmap: Bitmap, options: EncodeOptions) throws -> Data {
        var check = AnimationFrameCheck(.gif, maximumSide: Self.maximumSide)
        try check.check(bitmap)
        try Self.checkMemory(bitmap.size)
        var writer = GIFWriter(size: bitmap.size)
        writer.append(GIFImage(bitmap), duration: 0)
        return writer.finish(loopCount: nil)
    }

    /// Checks the memory for the arrays of one frame: its pixels, those of the frame before, of the canvas and of the
    /// changed part, and their indices before and after compression.
    private static func checkMemory(_ size: PixelSize) throws { try ImageMemory.check(byteCount: size.area * 20) }

    /// Encodes the frames one at a time, with the previous one in memory.
    func encode(
        frames: some Sequence<EncodableFrame>, poster: Bitmap?, loopCount: Int, options: EncodeOptions
    ) throws -> Data {
        var check = AnimationFrameCheck(.gif, maximumSide: Self.maximumSide)
        var writer: GIFWriter?
        for frame in frames {
            try check.check(frame.bitmap)
            try Self.checkMemory(frame.bitmap.size)
            var current = writer ?? GIFWriter(size: frame.bitmap.size)
            writer = nil
            current.append(GIFImage(frame.bitmap), duration: frame.duration)
            writer = current
        }
        try check.finish()
        return writer?.finish(loopCount: check.count > 1 ? loopCount : nil) ?? Data()
    }
}

/// The pixels of one frame as GIF stores them: 0xAABBGGRR with an alpha of 255, or 0.
struct GIFImage {
    let size: PixelSize
    var pixels: [UInt32]

    init(_ bitmap: Bitmap) {
        size = bitmap.size
        pixels = []
        pixels.reserveCapacity(size.area)
        bitmap.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            for y in 0..<bitmap.height {
                let row = (base + y * bitmap.bytesPerRow).assumingMemoryBound(to: UInt32.self)
                for x in 0..<bitmap.width { pixels.append(Self.opaque(UInt32(littleEndian: row[x]))) }
            }
        }
    }

    private static func opaque(_ pixel: UInt32) -> UInt32 {
        let alpha = pixel >> 24
        if alpha == 255 { return pixel }
        guard alpha >= 128 else { return 0 }
        func straight(_ shift: UInt32) -> UInt32 { min(255, ((pixel >> shift & 255) * 255 + alpha / 2) / alpha) }
        return 0xFF00_0000 | straight(16) << 16 | straight(8) << 8 | straight(0)
    }
}
