/// The properties of an image, read from its header without decoding pixels.
///
/// ```swift
/// import Foundation
/// import TintypeImaging
///
/// func summary(of data: Data) throws -> String {
///     let info = try ImageCodecs.standard.info(data)
///     return "\(info.format), \(info.size), \(info.frameCount) frames"
/// }
/// ```
public struct ImageInfo: Sendable, Hashable {
    /// The duration of one frame of an animation.
    public struct Frame: Sendable, Hashable {
        /// Seconds of display: delays of 10 ms and less become 100 ms, as in browsers.
        public var duration: Double
        /// Seconds as stored.
        public var rawDuration: Double

        /// Applies the rule for short delays.
        public init(rawDuration: Double) {
            self.rawDuration = rawDuration
            duration = rawDuration < 0.011 ? 0.1 : rawDuration
        }
    }

    public var format: ImageFormat
    /// The media type, which for an APNG differs from that of the format.
    public var mimeType: String
    /// Pixels as stored in the file, before any orientation.
    public var storedSize: PixelSize
    /// The EXIF orientation, which `decode` applies; `.up` if there is none or the format has its own transforms.
    public var orientation: ImageOrientation
    /// Bits of one colour channel as stored.
    public var bitDepth: Int
    public var hasAlpha: Bool
    /// The stored colours: "sRGB", "Gray", "CMYK", "Indexed", "Display P3", or the name of a profile.
    public var colorSpace: String
    public var frameCount: Int
    /// Number of loops, 0 is forever; nil for a still.
    public var loopCount: Int?
    /// One entry for each frame of an animation; empty for a still.
    public var frames: [Frame]
    /// False if only a prefix was read, so that there may be more frames.
    public var isFrameListComplete: Bool
    /// True for images with PQ or HLG samples, which need tone mapping on an SDR screen.
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

    /// Pixels as displayed, with the orientation applied.
    public var size: PixelSize { orientation.swapsAxes ? storedSize.transposed : storedSize }

    public var isAnimated: Bool { frameCount > 1 }
}
