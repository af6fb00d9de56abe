import TintypeBase

/// The frames of one GIF file.
final class GIFFrames: CanvasFrames {
    let info: ImageInfo
    let chain: FrameChain
    private let data: Data
    private let index: GIFIndex
    private let isLenient: Bool
    private let maximumPixelCount: Int
    private let lzw = LZWDecoder()
    /// The joined data blocks of one frame.
    private var stream: KernelBuffer<UInt8>?
    /// True if the frame that was drawn last has fewer pixels than its size says.
    private(set) var isPartial = false

    init(_ data: Data, index: GIFIndex, options: DecodeOptions) {
        self.data = data
        self.index = index
        isLenient = options.isLenient
        maximumPixelCount = options.limits.maximumPixelCount
        info = index.info()
        chain = index.chain()
    }

    func draw(_ frameIndex: Int, on pixels: AnimationCanvas.Pixels) throws -> Bool {
        let frame = index.frames[frameIndex]
        return try data.withUnsafeBytes { bytes in
            let decoded = try decode(frame, bytes)
            let palette = index.palette(of: frame, bytes)
            let visible = index.visibleRect(frame)
            let isWhole = decoded == lzw.pixelCount
            if !isWhole, chain.layouts[frameIndex].replacesBelow { pixels.clear(visible) }
            GIFRows(frame: frame, visible: visible).draw(lzw.pixels, count: decoded, palette: palette, on: pixels)
            return isWhole && frame.transparentIndex == nil
        }
    }

    /// Decodes the pixels of a frame and returns their number.
    private func decode(_ frame: GIFIndex.Frame, _ bytes: UnsafeRawBufferPointer) throws -> Int {
        isPartial = false
        let visible = index.visibleRect(frame)
        // Rows below the canvas are not decoded, unless interlacing mixes them with the others.
        let rows = frame.isInterlaced ? frame.rect.height : visible.y + visible.height - frame.rect.y
        let pixelCount = frame.rect.width * rows
        guard pixelCount <= maximumPixelCount else {
            throw ImagingError.imageTooLarge(width: frame.rect.width, height: rows, limit: maximumPixelCount)
        }
        guard frame.dataOffset < bytes.count else { return try fail(.truncated(.gif)) }
        guard try lzw.begin(minimumCodeSize: Int(bytes[frame.dataOffset]), pixelCount: pixelCount) else {
            return try fail(.corrupt(.gif, "a frame has the LZW code size \(bytes[frame.dataOffset])"))
        }
        lzw.decode(try gather(bytes, from: frame.dataOffset + 1, to: frame.dataEnd))
        switch lzw.state {
        case .full: return lzw.count
        case .needsInput where !frame.isWhole: return try fail(.truncated(.gif))
        case .needsInput: return try fail(.corrupt(.gif, "a frame has \(lzw.count) of its \(pixelCount) pixels"))
        case .badCode: return try fail(.corrupt(.gif, "a frame has an LZW code that was never defined"))
        case .ended:
            // The end code came early: the other pixels are transparent, as in browsers.
            return lzw.count
        }
    }

    /// Throws the error of a damaged frame, or returns the pixels so far if decoding is lenient.
    private func fail(_ error: ImagingError) throws -> Int {
        guard isLenient else { throw error }
        isPartial = true
        return lzw.count
    }

    private func gather(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) throws -> UnsafeRawBufferPointer
    {
        let stream = try room(for: end - start)
        var count = 0
        var offset = start
        while offset < end {
            let size = Int(bytes[offset])
            if size == 0 { break }
            let present = min(size, end - offset - 1)
            UnsafeMutableRawBufferPointer(start: stream.base + count, count: stream.count - count).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: bytes[offset + 1..<offset + 1 + present]))
            count += present
            offset += 1 + size
        }
        return UnsafeRawBufferPointer(start: stream.base, count: count)
    }

    private func room(for byteCount: Int) throws -> KernelBuffer<UInt8> {
        if let stream, stream.count >= byteCount { return stream }
        let larger = try KernelBuffer<UInt8>(count: byteCount)
        stream = larger
        return larger
    }
}

extension GIFIndex {
    /// Returns the info of the frames that are complete, and of the first one in any case.
    func info() -> ImageInfo {
        let playable = frames.prefix(max(1, wholeFrameCount))
        let isAnimated = playable.count > 1
        let coversCanvas = playable.first.map { $0.rect.covers(canvas) } ?? false
        return ImageInfo(
            format: .gif, storedSize: canvas,
            hasAlpha: !coversCanvas || playable.contains { $0.transparentIndex != nil || $0.disposal == .clear },
            colorSpace: "Indexed", frameCount: max(1, playable.count), loopCount: isAnimated ? loopCount : nil,
            frames: isAnimated ? playable.map { .init(rawDuration: Double($0.delay) / 100) } : [],
            isFrameListComplete: ending == .trailer || ending == .missingTrailer)
    }

    func chain() -> FrameChain {
        FrameChain(
            canvas: canvas,
            layouts: frames.map { frame in
                FrameLayout(
                    rect: visibleRect(frame), disposal: frame.disposal,
                    replacesBelow: frame.transparentIndex == nil && frame.isWhole)
            })
    }

    /// Returns 256 pixels: the colours of the frame, then black for those that the file does not define; transparent is 0.
    func palette(of frame: Frame, _ bytes: UnsafeRawBufferPointer) -> [UInt32] {
        var colors = [UInt32](repeating: 0xFF00_0000, count: 256)
        if let range = frame.palette ?? globalPalette, range.upperBound <= bytes.count {
            for entry in 0..<min(256, range.count / 3) {
                let offset = range.lowerBound + entry * 3
                colors[entry] =
                    0xFF00_0000 | UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8
                    | UInt32(bytes[offset + 2]) << 16
            }
        } else {
            // No table (§18 leaves the colours to the player): shades of grey over the range of the codes.
            let codeSize = frame.dataOffset < bytes.count ? min(max(Int(bytes[frame.dataOffset]), 1), 8) : 8
            let last = (1 << codeSize) - 1
            for entry in 0...last { colors[entry] = 0xFF00_0000 | UInt32(entry * 255 / last) * 0x01_0101 }
        }
        if let transparentIndex = frame.transparentIndex { colors[transparentIndex] = 0 }
        return colors.map { UInt32(littleEndian: $0) }
    }
}
