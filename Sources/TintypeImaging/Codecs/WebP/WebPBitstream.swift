import CWebP

/// Decodes one VP8 or VP8L image with its alpha.
enum WebPBitstream {
    /// Decodes to memory of the caller, and scales the image down to `size` if that is smaller. Missing rows become
    /// transparent.
    ///
    /// - Parameters:
    ///   - storedSize: that of the container, which the image must have.
    ///   - size: of the result.
    ///   - target: `size.height` rows.
    ///   - isPremultiplied: true multiplies colours by alpha.
    /// - Returns: the number of complete rows.
    /// - Throws: `truncated` if the bytes end early and `isLenient` is false; `corrupt`.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, storedSize: PixelSize, size: PixelSize, to target: UnsafeMutableRawPointer,
        bytesPerRow: Int, isPremultiplied: Bool, isLenient: Bool
    ) throws -> Int {
        var config = WebPDecoderConfig()
        guard WebPInitDecoderConfig(&config) != 0 else {
            throw ImagingError.processorFailed("libwebp is of another version than its header")
        }
        try readFeatures(bytes, &config)
        guard config.input.width == storedSize.width, config.input.height == storedSize.height else {
            throw ImagingError.corrupt(.webp, "the image is not of the size that its header says")
        }
        if size != storedSize {
            config.options.use_scaling = 1
            config.options.scaled_width = Int32(size.width)
            config.options.scaled_height = Int32(size.height)
        }
        config.output.colorspace = isPremultiplied ? MODE_rgbA : MODE_RGBA
        config.output.is_external_memory = 1
        config.output.u.RGBA.rgba = target.assumingMemoryBound(to: UInt8.self)
        config.output.u.RGBA.stride = Int32(bytesPerRow)
        config.output.u.RGBA.size = bytesPerRow * (size.height - 1) + size.width * 4
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        defer { WebPFreeDecBuffer(&config.output) }
        guard isLenient else {
            try check(WebPDecode(start, bytes.count, &config))
            return size.height
        }
        let rows = try decodeRows(start, bytes.count, &config, size)
        for y in rows..<size.height {
            (target + y * bytesPerRow).initializeMemory(as: UInt8.self, repeating: 0, count: size.width * 4)
        }
        return rows
    }

    private static func readFeatures(_ bytes: UnsafeRawBufferPointer, _ config: inout WebPDecoderConfig) throws {
        try check(WebPGetFeatures(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &config.input))
    }

    /// Decodes leniently: the incremental decoder keeps the rows before the end of the bytes.
    private static func decodeRows(
        _ start: UnsafePointer<UInt8>?, _ count: Int, _ config: inout WebPDecoderConfig, _ size: PixelSize
    ) throws -> Int {
        try withUnsafeMutablePointer(to: &config) { config in
            guard let decoder = WebPIDecode(nil, 0, config) else {
                throw ImagingError.outOfMemory(byteCount: nil)
            }
            defer { WebPIDelete(decoder) }
            let status = WebPIUpdate(decoder, start, count)
            if status == VP8_STATUS_OK { return size.height }
            var lastRow: Int32 = 0
            let isStarted = WebPIDecGetRGB(decoder, &lastRow, nil, nil, nil) != nil
            let rows = isStarted ? max(0, min(Int(lastRow), size.height)) : 0
            // The rows above damaged data are intact.
            if rows == 0, status != VP8_STATUS_SUSPENDED { try check(status) }
            return rows
        }
    }

    private static func check(_ status: VP8StatusCode) throws {
        switch status {
        case VP8_STATUS_OK: return
        case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED: throw ImagingError.truncated(.webp)
        case VP8_STATUS_OUT_OF_MEMORY: throw ImagingError.outOfMemory(byteCount: nil)
        default: throw ImagingError.corrupt(.webp, "libwebp says \(name(status))")
        }
    }

    private static func name(_ status: VP8StatusCode) -> String {
        switch status {
        case VP8_STATUS_BITSTREAM_ERROR: "bitstream error"
        case VP8_STATUS_UNSUPPORTED_FEATURE: "unsupported feature"
        case VP8_STATUS_INVALID_PARAM: "invalid parameter"
        default: "error \(status.rawValue)"
        }
    }
}
