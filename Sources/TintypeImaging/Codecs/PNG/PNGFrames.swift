import TintypeBase

/// The frames of one APNG (PNG spec, third edition, 11.3.6 and 4.9).
final class PNGFrames: CanvasFrames {
    let info: ImageInfo
    let chain: FrameChain
    private let data: Data
    private let file: PNGFile
    private let frames: [PNGAnimation.Frame]
    private let isLenient: Bool

    /// - Throws: `truncated` if frames are missing and decoding is strict.
    init(_ data: Data, file: PNGFile, animation: PNGAnimation, isLenient: Bool) throws {
        self.data = data
        self.file = file
        self.isLenient = isLenient
        var frames = animation.frames
        // The default image always has the size of the canvas, whatever its frame control says.
        if animation.startsWithDefaultImage, !frames.isEmpty { frames[0].rect = file.header.size.whole }
        var isListComplete = true
        if !file.hasEnd, let last = frames.last {
            let isLastWhole = Self.isWhole(last, file, data)
            isListComplete = isLastWhole && frames.count >= animation.announcedFrameCount
            guard isListComplete || isLenient else { throw ImagingError.truncated(.png) }
            if !isLastWhole, frames.count > 1 { frames.removeLast() }
        }
        self.frames = frames
        var info = file.info(isWholeFile: true)
        info.frameCount = max(1, frames.count)
        info.isFrameListComplete = isListComplete
        info.frames = frames.map { ImageInfo.Frame(rawDuration: $0.delay) }
        info.loopCount = animation.playCount
        info.mimeType = "image/apng"
        self.info = info
        chain = FrameChain(
            canvas: file.header.size,
            layouts: frames.map { frame in
                FrameLayout(
                    rect: frame.rect, disposal: frame.disposal,
                    replacesBelow: !frame.isBlended || !file.hasAlpha)
            })
    }

    private static func isWhole(_ frame: PNGAnimation.Frame, _ file: PNGFile, _ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            let decoder = PNGPixelDecoder(file, bytes: bytes, isLenient: false)
            let sink = BitmapSink()
            do {
                try sink.begin(size: frame.rect.size, isOpaque: false)
                _ = try decoder.decode(frame.data, size: frame.rect.size, into: sink, savesMemory: false)
                return true
            } catch {
                // The frame is damaged or truncated.
                return false
            }
        }
    }

    func draw(_ index: Int, on pixels: AnimationCanvas.Pixels) throws -> Bool {
        let frame = frames[index]
        let layout = chain.layouts[index]
        return try data.withUnsafeBytes { bytes in
            let decoder = PNGPixelDecoder(file, bytes: bytes, isLenient: isLenient)
            let sink = CanvasSink(layout, pixels: pixels)
            try sink.begin(size: frame.rect.size, isOpaque: !file.hasAlpha)
            do {
                let outcome = try decoder.decode(frame.data, size: frame.rect.size, into: sink, savesMemory: false)
                sink.fillRest()
                return outcome.isOpaque && !outcome.isPartial
            } catch  where isLenient {
                // No row of this frame can be decoded; the other frames still play.
                sink.fillRest()
                return false
            }
        }
    }
}

extension PNGDecoder {
    /// Returns the frames of an APNG. A default image that is not one of them is not counted; `decode` returns it as the
    /// poster. An animation of a single frame is a still, unless that frame differs from the poster.
    func frames(_ data: Data, options: DecodeOptions) throws -> (any FrameSource)? {
        let file = try data.withUnsafeBytes {
            try PNGFile($0, isLenient: options.isLenient, limits: options.limits)
        }
        guard let animation = file.animation, !animation.frames.isEmpty,
            animation.frames.count > 1 || !animation.startsWithDefaultImage
        else { return nil }
        guard !animation.exceedsFrameLimit else {
            throw ImagingError.tooManyFrames(.png, limit: options.limits.maximumFrameCount)
        }
        return try CompositedFrameSource(
            PNGFrames(data, file: file, animation: animation, isLenient: options.isLenient))
    }
}
