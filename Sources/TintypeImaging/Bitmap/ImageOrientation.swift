/// The EXIF Orientation tag (Exif 2.32, §4.6.4): how the stored pixels must be turned to be shown.
public enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    case leftMirrored = 5
    case right = 6
    case rightMirrored = 7
    case left = 8

    /// True where width and height change places.
    public var swapsAxes: Bool { rawValue >= 5 }
}
