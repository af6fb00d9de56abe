import CWebP
import TintypeBase

/// WebP (RFC 9649) through libwebp: lossy with smooth chroma upsampling, lossless, alpha.
public struct WebPDecoder: ImageDecoder {
    public init() {}

    public var format: ImageFormat { .webp }

    /// Thirty bytes are enough, unless the file has EXIF data, which comes last and may turn the image.
    public func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
        try reading(data, isComplete: isComplete) { bytes in
            let container = try WebPContainer(bytes, limits: limits)
            try limits.check(container.canvas, format: .webp)
            if container.isCut, !isComplete, container.awaitsEXIF {
                throw ImagingError.needsMoreData(.webp, byteCount: container.byteCount)
            }
            return container.info(bytes)
        }
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        try reading(data, isComplete: true) { bytes in
            let container = try WebPContainer(bytes, limits: options.limits)
            try options.limits.check(container.canvas, format: .webp)
            guard !container.isCut || options.isLenient || container.isAnimated else {
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
        let rows = try WebPBitstream.decode(
            whole, storedSize: container.canvas, to: pixels, isLenient: options.isLenient)
        guard rows > 0 else { throw ImagingError.truncated(.webp) }
        if !conversion.isIdentity {
            for y in 0..<rows {
                if let row = pixels.row(y) { conversion.convert(row, pixelCount: pixels.size.width) }
            }
        }
        return DecoderOutput(
            bitmap: pixels.bitmap(isOpaque: !container.hasAlpha && rows == pixels.size.height), info: info,
            isPartial: rows < pixels.size.height || container.isCut, warnings: warnings)
    }

    /// libwebp's scaler averages areas, which is good enough for twice the wanted size. Images with alpha are decoded
    /// whole: it scales their colours without regard to alpha, which leaves fringes.
    private func decodedSize(
        _ container: WebPContainer, _ info: ImageInfo, options: DecodeOptions
    ) throws -> PixelSize {
        guard !container.hasAlpha, !options.isLenient,
            let plan = try options.plan(storedSize: info.storedSize, orientation: info.orientation)
        else { return container.canvas }
        let useful = plan.smallestUsefulSource
        return useful.area * 10 < container.canvas.area * 9 ? useful : container.canvas
    }

    func reading<Result>(_ data: Data, isComplete: Bool, _ body: (ByteView) throws -> Result) throws -> Result {
        do {
            return try data.withUnsafeBytes { try body(ByteView($0)) }
        } catch let end as ByteView.PastEnd {
            if isComplete { throw ImagingError.truncated(.webp) }
            throw ImagingError.needsMoreData(.webp, byteCount: end.byteCount)
        }
    }
}

extension WebPContainer {
    /// Of a cut file, the frames that are whole, and the first one in any case.
    package var playableFrames: [Frame] {
        let whole = frames.prefix { !$0.isCut }
        return Array(whole.isEmpty ? frames.prefix(1) : whole)
    }

    package func info(_ bytes: ByteView) -> ImageInfo {
        let frames = isAnimated ? playableFrames : []
        let moves = frames.count > 1
        let name = profile.flatMap { ICCHeader.describe(Data(bytes.bytes[$0])) }
        return ImageInfo(
            format: .webp, storedSize: canvas, orientation: orientation(bytes), hasAlpha: hasAlpha,
            colorSpace: name ?? "sRGB", frameCount: max(1, frames.count), loopCount: moves ? loopCount : nil,
            frames: moves ? frames.map { ImageInfo.Frame(rawDuration: Double($0.milliseconds) / 1000) } : [],
            isFrameListComplete: !isAnimated || !isCut)
    }

    private func orientation(_ bytes: ByteView) -> ImageOrientation {
        exif.map { ExifOrientation.read(UnsafeRawBufferPointer(rebasing: bytes.bytes[$0])) } ?? .up
    }

    /// The ICC profile, unless it is over the limit.
    package func profileData(_ bytes: ByteView, limits: DecodeLimits, warnings: inout [String]) -> Data? {
        guard let profile else { return nil }
        guard profile.count <= limits.maximumMetadataByteCount else {
            warnings.append("the ICC profile was ignored: it is \(profile.count) bytes long")
            return nil
        }
        return Data(bytes.bytes[profile])
    }
}
