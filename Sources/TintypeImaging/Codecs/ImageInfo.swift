/// Facts about an image, read from its header without decoding a pixel.
public struct ImageInfo: Sendable, Hashable {
    /// How long one frame of an animation is shown.
    public struct Frame: Sendable, Hashable {
        /// Seconds it is shown: delays of 10 ms and less play as 100 ms, as browsers do.
        public var duration: Double
        /// Seconds as the file says.
        public var rawDuration: Double

        /// Applies the rule for short delays to what the file says.
        public init(rawDuration: Double) {
            self.rawDuration = rawDuration
            duration = rawDuration < 0.011 ? 0.1 : rawDuration
        }
    }

    public var format: ImageFormat
    /// The media type, which for an APNG or an AVIF sequence differs from the format's own.
    public var mimeType: String
    /// Pixels as stored in the file, before any orientation.
    public var storedSize: PixelSize
    /// EXIF orientation that `decode` applies; `.up` where there is none or the format has its own transforms.
    public var orientation: ImageOrientation
    /// Bits of one colour channel as stored.
    public var bitDepth: Int
    public var hasAlpha: Bool
    /// As stored: "sRGB", "Gray", "CMYK", "Indexed", "Display P3", a profile's own name …
    public var colorSpace: String
    public var frameCount: Int
    /// Plays in total, 0 for ever; nil for a still.
    public var loopCount: Int?
    /// One entry for each frame of an animation; empty for a still.
    public var frames: [Frame]
    /// False if only a prefix was read and more frames may follow.
    public var isFrameListComplete: Bool
    /// True for images whose samples are PQ or HLG: shown as plain SDR they look wrong.
    public var isHDR: Bool

    public init(
        format: ImageFormat, storedSize: PixelSize, orientation: ImageOrientation = .up, bitDepth: Int = 8,
        hasAlpha: Bool, colorSpace: String = "sRGB", frameCount: Int = 1, loopCount: Int? = nil,
        frames: [Frame] = [], isFrameListComplete: Bool = true, isHDR: Bool = false, mimeType: String? = nil
    ) {
        self.format = format
        self.mimeType = mimeType ?? format.mimeType
        self.storedSize = storedSize
        self.orientation = orientation
        self.bitDepth = bitDepth
        self.hasAlpha = hasAlpha
        self.colorSpace = colorSpace
        self.frameCount = frameCount
        self.loopCount = loopCount
        self.frames = frames
        self.isFrameListComplete = isFrameListComplete
        self.isHDR = isHDR
    }

    /// Pixels as shown, orientation applied.
    public var size: PixelSize { orientation.swapsAxes ? storedSize.transposed : storedSize }

    public var isAnimated: Bool { frameCount > 1 }
}
