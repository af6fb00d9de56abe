/// An image format that Tintype knows. Whether this build decodes it is said by `ImageCodecs`.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case jpeg, png, gif, webp, avif, heic, jxl, tiff, bmp, ico, svg

    public var description: String { rawValue }

    /// The registered media type (IANA).
    public var mimeType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .gif: "image/gif"
        case .webp: "image/webp"
        case .avif: "image/avif"
        case .heic: "image/heic"
        case .jxl: "image/jxl"
        case .tiff: "image/tiff"
        case .bmp: "image/bmp"
        case .ico: "image/vnd.microsoft.icon"
        case .svg: "image/svg+xml"
        }
    }

    /// The usual file name extension, without a dot.
    public var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .tiff: "tif"
        default: rawValue
        }
    }

    /// The package trait that brings the format into a build, or nil if it is always in.
    public var trait: String? {
        switch self {
        case .avif: "AVIF"
        case .heic: "HEIC"
        case .jxl: "JXL"
        case .tiff: "TIFF"
        case .svg: "SVG"
        case .jpeg, .png, .gif, .webp, .bmp, .ico: nil
        }
    }
}
