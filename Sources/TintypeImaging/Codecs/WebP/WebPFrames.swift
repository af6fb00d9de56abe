import CWebP
import TintypeBase

/// The frames of one animated WebP (RFC 9649, §2.7.1.1).
///
/// libwebp's own `WebPAnimDecoder` decodes only in order and composites two canvases of its own. Here each frame is
/// decoded on demand, directly on the canvas if it covers the pixels below.
final class WebPFrames: CanvasFrames {
    let info: ImageInfo
    let chain: FrameChain
    private let data: Data
    private let frames: [WebPContainer.Frame]
    private let isLenient: Bool
    private let maximumPixelCount: Int
    /// From the profile of the file to sRGB; nil if none is needed.
    private let transform: ColorTransform?
    private var scratch: PixelStorage?
    /// What was ignored of the colours.
    let warnings: [String]
    /// True if rows of the frame that was drawn last are missing.
    private(set) var isPartial = false

    /// - Throws: `truncated` if the file is truncated and decoding is strict, or if it has no frame.
    init(_ data: Data, container: WebPContainer, options: DecodeOptions) throws {
        self.data = data
        isLenient = options.isLenient
        maximumPixelCount = options.limits.maximumPixelCount
        guard !container.isTruncated || isLenient else { throw ImagingError.truncated(.webp) }
        frames = container.playableFrames
        guard !frames.isEmpty else {
            throw container.isTruncated ? ImagingError.truncated(.webp) : .corrupt(.webp, "it holds no frame")
        }
        var warnings: [String] = []
        let profile = container.profile.map { range in data.withUnsafeBytes { Data($0[range]) } }
        transform = ColorManagement.transform(profile: profile, model: .rgb, layout: .rgba8, warnings: &warnings)
        self.warnings = warnings
        info = data.withUnsafeBytes { container.info(ByteView($0)) }
        chain = FrameChain(
            canvas: container.canvas,
            layouts: frames.map { frame in
                FrameLayout(
                    rect: frame.rect.clipped(to: container.canvas), disposal: frame.clearsAfter ? .clear : .keep,
                    replacesBelow: frame.replacesBelow || !frame.hasAlpha)
            })
    }

    func draw(_ index: Int, on pixels: AnimationCanvas.Pixels) throws -> Bool {
        let frame = frames[index]
        let layout = chain.layouts[index]
        let size = frame.rect.size
        guard size.area <= maximumPixelCount else {
            throw ImagingError.imageTooLarge(width: size.width, height: size.height, limit: maximumPixelCount)
        }
        return try data.withUnsafeBytes { bytes in
            let payload = UnsafeRawBufferPointer(rebasing: bytes[frame.payload.clamped(to: 0..<bytes.count)])
            if layout.replacesBelow, layout.rect == frame.rect, transform == nil {
                let isWhole = try decode(
                    payload, size, to: pixels.address(x: frame.rect.x, y: frame.rect.y), pixels.bytesPerRow)
                return isWhole && !frame.hasAlpha
            }
            let bytesPerRow = size.width * 4
            let target = try room(for: bytesPerRow * size.height)
            let isWhole = try decode(payload, size, to: target, bytesPerRow)
            for y in 0..<layout.rect.height {
                let row = target + (layout.rect.y - frame.rect.y + y) * bytesPerRow
                PremultipliedRow(row + (layout.rect.x - frame.rect.x) * 4, count: layout.rect.width).draw(
                    on: pixels.address(x: layout.rect.x, y: layout.rect.y + y), replacing: layout.replacesBelow)
            }
            return isWhole && !frame.hasAlpha
        }
    }

    private func room(for byteCount: Int) throws -> UnsafeMutableRawPointer {
        if scratch?.bytes.count ?? 0 < byteCount {
            scratch = nil
            scratch = try PixelStorage(byteCount: byteCount)
        }
        guard let base = scratch?.bytes.baseAddress else { throw ImagingError.corrupt(.webp, "a frame is empty") }
        return base
    }

    /// Decodes the premultiplied pixels of one frame. Returns false if rows are missing, which become transparent.
    private func decode(
        _ payload: UnsafeRawBufferPointer, _ size: PixelSize, to target: UnsafeMutableRawPointer, _ bytesPerRow: Int
    ) throws -> Bool {
        isPartial = false
        do {
            try decodeRows(payload, size, to: target, bytesPerRow, isLenient: false)
            return true
        } catch  where isLenient {
            isPartial = true
            for y in 0..<size.height {
                (target + y * bytesPerRow).initializeMemory(as: UInt8.self, repeating: 0, count: size.width * 4)
            }
            do {
                try decodeRows(payload, size, to: target, bytesPerRow, isLenient: true)
            } catch {
                // No row can be decoded: the frame stays transparent, and `isPartial` is true.
            }
            return false
        }
    }

    private func decodeRows(
        _ payload: UnsafeRawBufferPointer, _ size: PixelSize, to target: UnsafeMutableRawPointer, _ bytesPerRow: Int,
        isLenient: Bool
    ) throws {
        let rows = try WebPBitstream.decode(
            payload, storedSize: size, size: size, to: target, bytesPerRow: bytesPerRow,
            isPremultiplied: transform == nil, isLenient: isLenient)
        guard let transform else { return }
        for y in 0..<rows {
            let row = target + y * bytesPerRow
            transform.convert(from: row, to: row, pixelCount: size.width)
            let bytes = row.assumingMemoryBound(to: UInt8.self)
            _ = pixelKernels.premultiply(bytes, bytes, size.width)
        }
    }
}
