import TintypeBase

/// Previews of the first frame of a GIF while its bytes arrive. Bytes are decoded once, when a preview is requested.
final class GIFIncrementalDecoder: IncrementalDecoder {
    private let options: DecodeOptions
    private var data = Data()
    private var index: GIFIndex?
    private let lzw = LZWDecoder()
    /// Offset of the next byte to decode.
    private var offset = 0
    /// Number of bytes that are left of its block.
    private var blockRest = 0
    private var hasEnded = false
    private var shownCount = -1

    init(options: DecodeOptions) { self.options = options }

    func append(_ data: Data) throws {
        self.data.append(data)
        guard index == nil else { return }
        do {
            try begin()
        } catch ImagingError.needsMoreData {
            // The header has not arrived yet.
        }
    }

    private func begin() throws {
        let index = try data.withUnsafeBytes { try GIFIndex($0, maximumFrameCount: 1) }
        guard let frame = index.frames.first else {
            if index.ending == .truncated || index.ending == .missingTrailer { return }
            throw ImagingError.corrupt(.gif, "it holds no frame")
        }
        try options.limits.check(index.canvas, format: .gif)
        // The byte with the code size must be there.
        guard frame.dataOffset < data.count else { return }
        let pixelCount = frame.rect.width * frame.rect.height
        guard pixelCount <= options.limits.maximumPixelCount else {
            throw ImagingError.imageTooLarge(
                width: frame.rect.width, height: frame.rect.height, limit: options.limits.maximumPixelCount)
        }
        let codeSize = data[data.startIndex + frame.dataOffset]
        guard try lzw.begin(minimumCodeSize: Int(codeSize), pixelCount: pixelCount) else {
            throw ImagingError.corrupt(.gif, "a frame has the LZW code size \(codeSize)")
        }
        offset = frame.dataOffset + 1
        self.index = index
    }

    func preview() throws -> DecoderOutput? {
        guard let index, let frame = index.frames.first else { return nil }
        data.withUnsafeBytes { decode($0) }
        guard lzw.count > max(0, shownCount) else { return nil }
        shownCount = lzw.count
        let visible = index.visibleRect(frame)
        let colors = data.withUnsafeBytes { index.palette(of: frame, $0) }
        let canvas = try AnimationCanvas(size: index.canvas)
        let layout = FrameLayout(rect: visible, disposal: .keep, replacesBelow: false)
        let isWhole = lzw.state == .full
        let bitmap = try canvas.draw(layout) { pixels in
            GIFRows(frame: frame, visible: visible).draw(
                lzw.pixels, count: lzw.count, palette: colors, on: pixels, fillsGaps: !isWhole)
            return isWhole && frame.transparentIndex == nil
        }
        return DecoderOutput(bitmap: bitmap, info: index.info(), isPartial: !isWhole)
    }

    /// Decodes the bytes that have arrived.
    private func decode(_ bytes: UnsafeRawBufferPointer) {
        while !hasEnded, lzw.state == .needsInput, offset < bytes.count {
            if blockRest == 0 {
                blockRest = Int(bytes[offset])
                offset += 1
                hasEnded = blockRest == 0
                continue
            }
            let count = min(blockRest, bytes.count - offset)
            lzw.decode(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
            offset += count
            blockRest -= count
        }
    }
}
