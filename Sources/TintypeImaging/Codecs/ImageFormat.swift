/// An image format that Tintype knows. `ImageCodecs` tells whether this build decodes it.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case jpeg, png, gif, webp, avif, heic, jxl, tiff, bmp, ico, svg

    public var description: String { rawValue }

    /// The registered media type (IANA).
    public var mimeType: String { mimeTypes[0] }

    /// Every media type that servers use for the format; the registered one comes first.
    package var mimeTypes: [String] {
        switch self {
        case .jpeg: ["image/jpeg", "image/jpg", "image/pjpeg", "image/jpe", "image/jfif", "image/x-jpeg"]
        case .png: ["image/png", "image/apng", "image/vnd.mozilla.apng", "image/x-png"]
        case .gif: ["image/gif"]
        case .webp: ["image/webp", "image/x-webp"]
        case .avif: ["image/avif", "image/avif-sequence"]
        case .heic: ["image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"]
        case .jxl: ["image/jxl", "image/x-jxl"]
        case .tiff: ["image/tiff", "image/tif", "image/x-tiff", "image/x-tif"]
        case .bmp: ["image/bmp", "image/x-bmp", "image/x-ms-bmp", "image/x-windows-bmp"]
        case .ico:
            [
                "image/vnd.microsoft.icon", "image/x-icon", "image/ico", "image/icon", "image/x-win-bitmap",
                "image/vnd.microsoft.cursor",
            ]
        case .svg: ["image/svg+xml", "image/svg", "image/svg-xml"]
        }
    }

    /// The usual file name extension, without a dot.
    public var fileExtension: String { fileExtensions[0] }

    /// Every file name extension of the format, in lower case and without a dot; the usual one comes first.
    package var fileExtensions: [String] {
        switch self {
        case .jpeg: ["jpg", "jpeg", "jpe", "jfif", "jif", "pjpeg", "pjp"]
        case .png: ["png", "apng"]
        case .gif, .webp, .jxl: [rawValue]
        case .avif: ["avif", "avifs"]
        case .heic: ["heic", "heif", "heics", "heifs", "hif"]
        case .tiff: ["tif", "tiff"]
        case .bmp: ["bmp", "dib"]
        case .ico: ["ico", "cur"]
        case .svg: ["svg", "svgz"]
        }
    }

    /// The package trait that adds the format to a build, or nil if it is always in.
    package var trait: String? {
        switch self {
        case .avif, .heic, .jxl, .tiff, .svg: rawValue.uppercased()
        case .jpeg, .png, .gif, .webp, .bmp, .ico: nil
        }
    }

    /// Returns the format of a media type such as that of a `Content-Type` field; letter case and parameters
    /// (`; charset=utf-8`) are ignored. Nil for other types. A hint only: `sniff` decides.
    public init?(mimeType: String) {
        let type = mimeType.prefix { $0 != ";" && $0 != "," }.lowercased().filter { !$0.isWhitespace }
        guard let format = ImageFormat.allCases.first(where: { $0.mimeTypes.contains(type) }) else { return nil }
        self = format
    }

    /// Returns the format of a file name extension, with or without its dot, in any letter case.
    public init?(fileExtension: String) {
        let name = (fileExtension.hasPrefix(".") ? fileExtension.dropFirst() : Substring(fileExtension)).lowercased()
        guard let format = ImageFormat.allCases.first(where: { $0.fileExtensions.contains(name) }) else { return nil }
        self = format
    }
}
