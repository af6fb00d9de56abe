import TintypeBase

/// Windows and OS/2 bitmaps: every header version, 1 to 32 bits, run lengths, bit masks, embedded JPEG and PNG.
///
/// Alpha is used only where a mask defines it, as in browsers: the fourth byte of a plain 32 bit bitmap is padding. An
/// alpha channel that is zero everywhere is ignored.
struct BMPDecoder: ImageDecoder {
    var format: ImageFormat { .bmp }

    /// The header and palette are at most 1.2 KiB, unless a JPEG or PNG is embedded.
    func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
        try ByteView.read(data, as: .bmp, isComplete: isComplete) { bytes in
            let header = try readHeader(bytes)
            if let embedded = try embedded(header, bytes) {
                var info = try embedded.decoder.info(embedded.data, isComplete: isComplete, limits: limits)
                info.format = .bmp
                info.mimeType = ImageFormat.bmp.mimeType
                return info
            }
            try limits.check(header.size, format: .bmp)
            return header.info
        }
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        try ByteView.read(data, as: .bmp, isComplete: true) { bytes in
            let header = try readHeader(bytes)
            if let embedded = try embedded(header, bytes) {
                var output = try embedded.decoder.decode(embedded.data, options: options)
                output.info.format = .bmp
                output.info.mimeType = ImageFormat.bmp.mimeType
                return output
            }
            try options.limits.check(header.size, format: .bmp)
            return try decode(BMPImage(bytes: bytes, header: header), options: options)
        }
    }

    private func decode(_ image: BMPImage, options: DecodeOptions) throws -> DecoderOutput {
        let header = image.header
        // Checked before memory for many megapixels is allocated for a small file.
        if let needed = image.neededByteCount, needed > image.bytes.count, !options.isLenient {
            throw ImagingError.truncated(.bmp)
        }
        let pixels = try StraightPixels(size: header.size)
        let result = try image.draw(to: pixels, isLenient: options.isLenient)
        var warnings: [String] = []
        let conversion = ColorConversion(
            profile: image.profileData(limits: options.limits, warnings: &warnings), isWide: false,
            warnings: &warnings)
        pixels.convert(conversion)
        return DecoderOutput(
            bitmap: pixels.bitmap(isOpaque: result.isOpaque), info: header.info, isPartial: result.isPartial,
            warnings: warnings)
    }

    private func readHeader(_ bytes: ByteView) throws -> BMPHeader {
        guard try bytes.u8(0) == UInt8(ascii: "B"), try bytes.u8(1) == UInt8(ascii: "M") else {
            throw ImagingError.corrupt(.bmp, "it does not start with BM")
        }
        return try BMPHeader(bytes, at: 14, pixelOffset: Int(try bytes.u32(10)))
    }

    private func embedded(_ header: BMPHeader, _ bytes: ByteView) throws -> (decoder: any ImageDecoder, data: Data)? {
        let format: ImageFormat
        switch header.compression {
        case .jpeg: format = .jpeg
        case .png: format = .png
        default: return nil
        }
        guard let decoder = ImageCodecs.standard.decoder(for: format) else {
            throw ImagingError.unsupportedFormat("a bitmap that holds \(format) data")
        }
        guard header.pixelOffset < bytes.count else { throw ByteView.PastEnd(byteCount: header.pixelOffset + 1) }
        return (decoder, Data(bytes.bytes[header.pixelOffset...]))
    }
}

extension BMPHeader {
    var info: ImageInfo {
        ImageInfo(
            format: .bmp, storedSize: size, bitDepth: bitCount == 16 || bitCount == 32 ? masks.bitDepth : 8,
            hasAlpha: masks.alpha != 0, colorSpace: bitCount <= 8 ? "Indexed" : "sRGB")
    }
}
