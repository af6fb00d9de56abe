#if TIFF
    import CTIFF

    /// Pixels that libtiff converts to RGBA, premultiplied, 8 bits. For rare kinds.
    struct TIFFConvertedPixels {
        private let directory: TIFFDirectory

        init(_ directory: TIFFDirectory) { self.directory = directory }

        func decode(_ options: DecodeOptions) throws -> DecoderOutput {
            // Writers that store other weights in the tag still convert with these (see Documentation/decisions.md).
            if directory.photometric == Int(PHOTOMETRIC_YCBCR) { ta_tiff_use_bt601(directory.handle) }
            var reader = TIFFRGBAImage()
            var message = [CChar](repeating: 0, count: 1024)
            guard TIFFRGBAImageOK(directory.handle, &message) != 0,
                TIFFRGBAImageBegin(&reader, directory.handle, options.isLenient ? 0 : 1, &message) != 0
            else {
                if directory.isTruncated { throw directory.error() }
                throw ImagingError.unsupportedFormat("a TIFF that libtiff cannot convert: \(Self.text(message))")
            }
            defer { TIFFRGBAImageEnd(&reader) }
            // `ImageCodecs` applies the orientation; libtiff must not.
            reader.req_orientation = reader.orientation
            var warnings: [String] = []
            // A CMYK profile does not apply to the RGB of libtiff.
            let profile = directory.photometric == Int(PHOTOMETRIC_SEPARATED) ? nil : directory.profile
            let isGray =
                [Int(PHOTOMETRIC_MINISBLACK), Int(PHOTOMETRIC_MINISWHITE)].contains(directory.photometric)
            let conversion = ColorConversion(profile: profile, isWide: false, isGray: isGray, warnings: &warnings)
            let output = try TIFFOutput(directory, options)
            let width = directory.size.width
            // The rows of a strip, or of a row of tiles.
            let step = max(1, rowsPerRead)
            let raster = try KernelBuffer<UInt32>(count: width * step)
            defer { withExtendedLifetime(raster) {} }
            let base = raster.base
            for start in stride(from: 0, to: directory.size.height, by: step) {
                let count = min(step, directory.size.height - start)
                base.update(repeating: 0, count: raster.count)
                reader.row_offset = Int32(start)
                let isRead = TIFFRGBAImageGet(&reader, base, UInt32(width), UInt32(count)) != 0
                guard isRead, !directory.isTruncated else {
                    guard options.isLenient else { throw directory.error() }
                    break
                }
                for y in 0..<count {
                    try output.write(isPremultiplied: conversion.isIdentity) { row in
                        let source = base + y * width
                        for x in 0..<width {
                            // Red is in the lowest bits.
                            UnsafeMutableRawPointer(row).storeBytes(
                                of: source[x].littleEndian, toByteOffset: x * 4, as: UInt32.self)
                        }
                        guard !conversion.isIdentity else { return }
                        StraightPixels.unpremultiply(row, width: width)
                        conversion.convert(row, pixelCount: width)
                    }
                }
            }
            return try output.finish(warnings: warnings)
        }

        private var rowsPerRead: Int {
            let tag = TIFFIsTiled(directory.handle) != 0 ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP
            let rows = Int(ta_tiff_u32(directory.handle, UInt32(tag), UInt32(directory.size.height)))
            return min(rows, directory.size.height)
        }

        private static func text(_ message: [CChar]) -> String {
            String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
#endif
