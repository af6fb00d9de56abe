import CWebP
import TintypeBase

/// Previews of a WebP while its bytes arrive, from the top down. Bytes are decoded once, when a preview is requested. An
/// animation is shown when its first frame is complete.
///
/// A file whose header announces EXIF data has no preview: that comes last, and may hold an orientation.
final class WebPIncrementalDecoder: IncrementalDecoder {
    private let options: DecodeOptions
    private var data = Data()
    private var session: Session?
    private var isOver = false

    init(options: DecodeOptions) { self.options = options }

    func append(_ data: Data) throws {
        if !isOver { self.data.append(data) }
    }

    func preview() throws -> DecoderOutput? {
        guard !isOver else { return nil }
        do {
            return try ByteView.read(data, as: .webp, isComplete: false) { bytes in
                let container = try WebPContainer(bytes, limits: options.limits)
                try options.limits.check(container.canvas, format: .webp)
                return try container.isAnimated ? firstFrame(container) : rows(bytes, container)
            }
        } catch ImagingError.needsMoreData {
            return nil
        }
    }

    private func firstFrame(_ container: WebPContainer) throws -> DecoderOutput? {
        guard let first = container.frames.first, !first.isTruncated else { return nil }
        isOver = true
        var options = options
        options.isLenient = true
        guard let frames = try WebPDecoder().canvasFrames(data, options: options) else { return nil }
        data = Data()
        return DecoderOutput(
            bitmap: try CompositedFrameSource(frames).frame(at: 0), info: frames.info, isPartial: true,
            warnings: frames.warnings)
    }

    private func rows(_ bytes: ByteView, _ container: WebPContainer) throws -> DecoderOutput? {
        guard !container.awaitsEXIF else { return nil }
        let current = try session ?? Session(container, bytes, limits: options.limits)
        session = current
        let rows = try current.append(bytes.bytes)
        guard rows > 0 else { return nil }
        let isWhole = rows == container.canvas.height
        isOver = isWhole
        return DecoderOutput(
            bitmap: try current.bitmap(rows: rows, hasAlpha: container.hasAlpha), info: container.info(bytes),
            isPartial: !isWhole, warnings: current.warnings)
    }

    /// One image in libwebp's incremental decoder.
    private final class Session {
        private let decoder: OpaquePointer
        private let pixels: StraightPixels
        private let conversion: ColorConversion
        let warnings: [String]
        private var fedCount = 0
        private var shownRows = 0

        init(_ container: WebPContainer, _ bytes: ByteView, limits: DecodeLimits) throws {
            var warnings: [String] = []
            conversion = ColorConversion(
                profile: container.profileData(bytes, limits: limits, warnings: &warnings), isWide: false,
                warnings: &warnings)
            self.warnings = warnings
            pixels = try StraightPixels(size: container.canvas)
            let target = pixels.bytes
            guard
                let decoder = WebPINewRGB(
                    MODE_RGBA, target.bindMemory(to: UInt8.self).baseAddress, target.count,
                    Int32(pixels.bytesPerRow))
            else { throw ImagingError.outOfMemory(byteCount: nil) }
            self.decoder = decoder
        }

        deinit { WebPIDelete(decoder) }

        /// - Returns: the number of decoded rows; 0 if there are no new ones.
        func append(_ bytes: UnsafeRawBufferPointer) throws -> Int {
            guard bytes.count > fedCount, let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return 0 }
            let status = WebPIAppend(decoder, base + fedCount, bytes.count - fedCount)
            fedCount = bytes.count
            guard status == VP8_STATUS_OK || status == VP8_STATUS_SUSPENDED else {
                throw ImagingError.corrupt(.webp, "libwebp cannot go on with it")
            }
            var lastRow: Int32 = 0
            var (width, height, stride): (Int32, Int32, Int32) = (0, 0, 0)
            guard WebPIDecGetRGB(decoder, &lastRow, &width, &height, &stride) != nil,
                Int(width) == pixels.size.width, Int(height) == pixels.size.height
            else { return 0 }
            let rows = min(max(Int(lastRow), 0), pixels.size.height)
            guard rows > shownRows else { return 0 }
            shownRows = rows
            return rows
        }

        /// Copies the rows so far in sRGB; the others are transparent.
        func bitmap(rows: Int, hasAlpha: Bool) throws -> Bitmap {
            let copy = try StraightPixels(size: pixels.size)
            copy.bytes.copyMemory(
                from: UnsafeRawBufferPointer(
                    rebasing: UnsafeRawBufferPointer(pixels.bytes)[..<(rows * pixels.bytesPerRow)]))
            copy.clear(from: rows)
            copy.convert(conversion, rowCount: rows)
            return copy.bitmap(isOpaque: !hasAlpha && rows == pixels.size.height)
        }
    }
}
