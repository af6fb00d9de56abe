extension ImageFormat {
    /// Every media type that servers use for the format; the registered one comes first.
    public var mimeTypes: [String] {
        switch self {
        case .jpeg: [mimeType, "image/jpg", "image/pjpeg", "image/jpe", "image/jfif", "image/x-jpeg"]
        case .png: [mimeType, "image/apng", "image/vnd.mozilla.apng", "image/x-png"]
        case .gif: [mimeType]
        case .webp: [mimeType, "image/x-webp"]
        case .avif: [mimeType, "image/avif-sequence"]
        case .heic: [mimeType, "image/heif", "image/heic-sequence", "image/heif-sequence"]
        case .jxl: [mimeType, "image/x-jxl"]
        case .tiff: [mimeType, "image/tif", "image/x-tiff", "image/x-tif"]
        case .bmp: [mimeType, "image/x-bmp", "image/x-ms-bmp", "image/x-windows-bmp"]
        case .ico:
            [mimeType, "image/x-icon", "image/ico", "image/icon", "image/x-win-bitmap", "image/vnd.microsoft.cursor"]
        case .svg: [mimeType, "image/svg", "image/svg-xml"]
        }
    }

    /// Every file name extension of the format, in lower case and without a dot; the usual one comes first.
    public var fileExtensions: [String] {
        switch self {
        case .jpeg: [fileExtension, "jpeg", "jpe", "jfif", "jif", "pjpeg", "pjp"]
        case .png: [fileExtension, "apng"]
        case .gif, .webp, .jxl: [fileExtension]
        case .avif: [fileExtension, "avifs"]
        case .heic: [fileExtension, "heif", "heics", "heifs", "hif"]
        case .tiff: [fileExtension, "tiff"]
        case .bmp: [fileExtension, "dib"]
        case .ico: [fileExtension, "cur"]
        case .svg: [fileExtension, "svgz"]
        }
    }

    /// The format of a media type such as a `Content-Type` header carries; letter case and parameters
    /// (`; charset=utf-8`) do not matter. Nil for types that name no image format. A hint, never proof: see `sniff`.
    public init?(mimeType: String) {
        let type = mimeType.prefix { $0 != ";" && $0 != "," }.lowercased().filter { !$0.isWhitespace }
        guard let format = ImageFormat.allCases.first(where: { $0.mimeTypes.contains(type) }) else { return nil }
        self = format
    }

    /// The format that a file name extension stands for, with or without its dot, in any letter case.
    public init?(fileExtension: String) {
        let name = (fileExtension.hasPrefix(".") ? fileExtension.dropFirst() : Substring(fileExtension)).lowercased()
        guard let format = ImageFormat.allCases.first(where: { $0.fileExtensions.contains(name) }) else { return nil }
        self = format
    }
}
