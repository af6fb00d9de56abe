import CWebP
import TintypeBase

/// WebP (RFC 9649) through libwebp: lossy with smooth chroma upsampling, lossless, alpha.
struct WebPDecoder: ImageDecoder {
    var format: ImageFormat { .webp }

    /// Needs thirty bytes, or the whole file if it has EXIF data, which comes last and may hold an orientation.
    func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
        try ByteView.read(data, as: .webp, isComplete: isComplete) { bytes in
            let container = try WebPContainer(bytes, limits: limits)
            try limits.check(container.canvas, format: .webp)
            if container.isTruncated, !isComplete, container.awaitsEXIF {
                throw ImagingError.needsMoreData(.webp, byteCount: container.byteCount)
            }
            return container.info(bytes)
        }
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        try ByteView.read(data, as: .webp, isComplete: true) { bytes in
            let container = try WebPContainer(bytes, limits: options.limits)
            try options.limits.check(container.canvas, format: .webp)
            guard !container.isTruncated || options.isLenient || container.isAnimated else {
                throw ImagingError.truncated(.webp)
            }
            return try container.isAnimated
                ? decodeFrame(data, options: options)
                : decodeStill(bytes, container, options: options)
        }
    }

    private func decodeFrame(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        guard let frames = try canvasFrames(data, options: options) else {
            throw ImagingError.corrupt(.webp, "an animation without frames")
        }
        let wanted = options.frame ?? 0
        let bitmap = try CompositedFrameSource(frames).frame(at: wanted)
        return DecoderOutput(
            bitmap: bitmap, info: frames.info, isPartial: frames.isPartial || !frames.info.isFrameListComplete,
            warnings: frames.warnings)
    }

    private func decodeStill(
        _ bytes: ByteView, _ container: WebPContainer, options: DecodeOptions
    ) throws -> DecoderOutput {
        let info = container.info(bytes)
        var warnings: [String] = []
        let conversion = ColorConversion(
            profile: container.profileData(bytes, limits: options.limits, warnings: &warnings), isWide: false,
            warnings: &warnings)
        let pixels = try StraightPixels(size: try decodedSize(container, info, options: options))
        let whole = UnsafeRawBufferPointer(rebasing: bytes.bytes[..<min(bytes.count, container.byteCount)])
        guard let target = pixels.bytes.baseAddress else { throw ImagingError.truncated(.webp) }
        let rows = try WebPBitstream.decode(
            whole, storedSize: container.canvas, size: pixels.size, to: target, bytesPerRow: pixels.bytesPerRow,
            isPremultiplied: false, isLenient: options.isLenient)
        guard rows > 0 else { throw ImagingError.truncated(.webp) }
        pixels.convert(conversion, rowCount: rows)
        return DecoderOutput(
            bitmap: pixels.bitmap(isOpaque: !container.hasAlpha && rows == pixels.size.height), info: info,
            isPartial: rows < pixels.size.height || container.isTruncated, warnings: warnings)
    }

    /// Returns the size to decode to. The scaler of libwebp averages areas, which is good enough down to twice the target
    /// size. Images with alpha are not scaled: it ignores alpha, which leaves fringes.
    private func decodedSize(
        _ container: WebPContainer, _ info: ImageInfo, options: DecodeOptions
    ) throws -> PixelSize {
        guard !container.hasAlpha, !options.isLenient,
            let plan = try options.plan(storedSize: info.storedSize, orientation: info.orientation)
        else { return container.canvas }
        let useful = plan.smallestUsefulSource
        return useful.area * 10 < container.canvas.area * 9 ? useful : container.canvas
    }

    func incrementalDecoder(options: DecodeOptions) -> (any IncrementalDecoder)? {
        WebPIncrementalDecoder(options: options)
    }

    func frames(_ data: Data, options: DecodeOptions) throws -> (any FrameSource)? {
        guard let frames = try canvasFrames(data, options: options), frames.info.isAnimated else { return nil }
        return try CompositedFrameSource(frames)
    }

    /// Returns the frames of a file that is marked as animated, even if it has only one; nil for a still.
    func canvasFrames(_ data: Data, options: DecodeOptions) throws -> WebPFrames? {
        let container = try ByteView.read(data, as: .webp, isComplete: true) {
            try WebPContainer($0, limits: options.limits)
        }
        guard container.isAnimated else { return nil }
        try options.limits.check(container.canvas, format: .webp)
        return try WebPFrames(data, container: container, options: options)
    }
}

extension WebPContainer {
    /// The complete frames of a file that may be truncated, and the first one in any case.
    var playableFrames: [Frame] {
        let whole = frames.prefix { !$0.isTruncated }
        return Array(whole.isEmpty ? frames.prefix(1) : whole)
    }

    func info(_ bytes: ByteView) -> ImageInfo {
        let frames = isAnimated ? playableFrames : []
        let moves = frames.count > 1
        let name = profile.flatMap { ICCHeader.describe(Data(bytes.bytes[$0])) }
        return ImageInfo(
            format: .webp, storedSize: canvas, orientation: orientation(bytes), hasAlpha: hasAlpha,
            colorSpace: name ?? "sRGB", frameCount: max(1, frames.count), loopCount: moves ? loopCount : nil,
            frames: moves ? frames.map { ImageInfo.Frame(rawDuration: Double($0.milliseconds) / 1000) } : [],
            isFrameListComplete: !isAnimated || !isTruncated)
    }

    private func orientation(_ bytes: ByteView) -> ImageOrientation {
        exif.map { ExifOrientation.read(UnsafeRawBufferPointer(rebasing: bytes.bytes[$0])) } ?? .up
    }

    /// Returns the ICC profile, unless it is over the limit.
    func profileData(_ bytes: ByteView, limits: DecodeLimits, warnings: inout [String]) -> Data? {
        guard let profile, limits.acceptsProfile(byteCount: profile.count, warnings: &warnings) else { return nil }
        return Data(bytes.bytes[profile])
    }
}
