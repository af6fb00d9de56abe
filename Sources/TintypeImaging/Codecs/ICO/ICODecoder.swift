import TintypeBase

/// Windows icons and cursors: bitmaps with their masks, and PNGs.
///
/// The default is the largest entry of the greatest depth; with `DecodeOptions.preferredSize` (or a target) it is the
/// smallest that covers it. If an entry cannot be decoded, the next best is used, with a warning.
struct ICODecoder: ImageDecoder {
    var format: ImageFormat { .ico }

    /// The most entries to try: a file may contain the same damaged image 65,535 times.
    private static let maximumAttempts = 16

    /// Needs the first bytes of every entry, because the directory often states wrong sizes.
    func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
        try ByteView.read(data, as: .ico, isComplete: isComplete) { bytes in
            let directory = try ICODirectory(bytes, isComplete: isComplete)
            guard let best = directory.ranked(for: nil).first else { throw unusable(directory) }
            try limits.check(best.size, format: .ico)
            return best.info
        }
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        try ByteView.read(data, as: .ico, isComplete: true) { bytes in
            try decode(ICODirectory(bytes, isComplete: true), bytes, options: options)
        }
    }

    private func decode(_ directory: ICODirectory, _ bytes: ByteView, options: DecodeOptions) throws -> DecoderOutput {
        var warnings = directory.warnings
        var firstError: (any Error)?
        // A complete entry is better than a larger truncated one, so strict decoding comes first.
        for isLenient in options.isLenient ? [false, true] : [false] {
            for entry in directory.ranked(for: wantedSize(options)).prefix(Self.maximumAttempts) {
                do {
                    try options.limits.check(entry.size, format: .ico)
                    var options = options
                    options.isLenient = isLenient
                    var output = try decode(entry, bytes, options: options)
                    output.warnings = warnings + output.warnings
                    return output
                } catch is ByteView.PastEnd {
                    firstError = firstError ?? ImagingError.truncated(.ico)
                    warnings.append("the \(entry.size) entry is truncated")
                } catch let error as ImagingError {
                    firstError = firstError ?? error
                    warnings.append("the \(entry.size) entry: \(error)")
                }
            }
        }
        throw firstError ?? unusable(directory)
    }

    private func wantedSize(_ options: DecodeOptions) -> PixelSize? {
        if let size = options.preferredSize { return size }
        guard let target = options.target else { return nil }
        return PixelSize(width: target.width ?? target.height ?? 1, height: target.height ?? target.width ?? 1)
    }

    private func unusable(_ directory: ICODirectory) -> ImagingError {
        directory.isTruncated ? .truncated(.ico) : .corrupt(.ico, directory.warnings.first ?? "no entry can be used")
    }

    private func decode(_ entry: ICODirectory.Entry, _ bytes: ByteView, options: DecodeOptions) throws -> DecoderOutput
    {
        // The bytes that the directory states must be there; a statement of too few is harmless.
        guard options.isLenient || entry.byteCount <= bytes.count - entry.offset else {
            throw ByteView.PastEnd(byteCount: entry.offset + entry.byteCount)
        }
        switch entry.content {
        case .bitmap(let header):
            return try ICOBitmap(image: BMPImage(bytes: bytes, header: header)).decode(entry.info, options: options)
        case .png:
            guard let decoder = ImageCodecs.standard.decoder(for: .png) else {
                throw ImagingError.unsupportedFormat("an icon that holds a PNG")
            }
            // A wrong length in the directory is harmless: a PNG has its own end.
            let output = try decoder.decode(Data(bytes.bytes[entry.offset...]), options: options)
            var info = entry.info
            info.bitDepth = output.info.bitDepth
            info.hasAlpha = output.info.hasAlpha
            info.colorSpace = output.info.colorSpace
            return DecoderOutput(
                bitmap: output.bitmap, info: info, isPartial: output.isPartial, warnings: output.warnings)
        }
    }
}

extension ICODirectory.Entry {
    var info: ImageInfo {
        switch content {
        case .bitmap(let header):
            var info = header.info
            info.format = .ico
            info.mimeType = ImageFormat.ico.mimeType
            // Every bitmap in an icon has a mask.
            info.hasAlpha = true
            return info
        case .png(let size, let bits):
            let depth = bits > 32 ? 16 : 8
            return ImageInfo(format: .ico, storedSize: size, bitDepth: depth, hasAlpha: bits == 32 || bits == 64)
        }
    }
}
