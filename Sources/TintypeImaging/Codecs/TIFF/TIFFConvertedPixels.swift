#if TIFF
    import CTIFF

    /// Pixels as libtiff's own conversion to RGBA gives them: premultiplied, 8 bits. For the kinds that are rare, and
    /// those that only it knows.
    struct TIFFConvertedPixels {
        private let directory: TIFFDirectory

        init(_ directory: TIFFDirectory) { self.directory = directory }

        func decode(isLenient: Bool) throws -> TIFFResult {
            // Writers that put other weights into the tag still convert with these (see Documentation/decisions.md).
            if directory.photometric == Int(PHOTOMETRIC_YCBCR) { ta_tiff_use_bt601(directory.handle) }
            var reader = TIFFRGBAImage()
            var message = [CChar](repeating: 0, count: 1024)
            guard TIFFRGBAImageOK(directory.handle, &message) != 0,
                TIFFRGBAImageBegin(&reader, directory.handle, isLenient ? 0 : 1, &message) != 0
            else {
                if directory.isCut { throw directory.error() }
                throw ImagingError.unsupportedFormat("a TIFF that libtiff cannot convert: \(Self.text(message))")
            }
            defer { TIFFRGBAImageEnd(&reader) }
            // The facade turns the image; libtiff shall leave the rows where they are.
            reader.req_orientation = reader.orientation
            let pixels = try StraightPixels(size: directory.size)
            pixels.clear()
            // Rows at a time: a strip, or a row of tiles.
            let step = max(1, rowsPerRead)
            var isPartial = false
            for start in stride(from: 0, to: directory.size.height, by: step) {
                let count = min(step, directory.size.height - start)
                guard let row = pixels.row(start) else { break }
                reader.row_offset = Int32(start)
                let raster = UnsafeMutableRawPointer(row).assumingMemoryBound(to: UInt32.self)
                let isRead = TIFFRGBAImageGet(&reader, raster, UInt32(directory.size.width), UInt32(count)) != 0
                if isRead, !directory.isCut { continue }
                guard isLenient else { throw directory.error() }
                isPartial = true
                pixels.clear(from: start)
                break
            }
            #if _endian(big)
                for word in pixels.bytes.bindMemory(to: UInt32.self).indices {
                    let value = pixels.bytes.load(fromByteOffset: word * 4, as: UInt32.self)
                    pixels.bytes.storeBytes(of: value.byteSwapped, toByteOffset: word * 4, as: UInt32.self)
                }
            #endif
            return finish(pixels, isPartial: isPartial)
        }

        private func finish(_ pixels: StraightPixels, isPartial: Bool) -> TIFFResult {
            var warnings: [String] = []
            // A CMYK profile does not fit what libtiff has made of the samples.
            let profile = directory.photometric == Int(PHOTOMETRIC_SEPARATED) ? nil : directory.profile
            let isGray =
                [Int(PHOTOMETRIC_MINISBLACK), Int(PHOTOMETRIC_MINISWHITE)].contains(directory.photometric)
            let conversion = ColorConversion(profile: profile, isWide: false, isGray: isGray, warnings: &warnings)
            if !conversion.isIdentity {
                for y in 0..<pixels.size.height {
                    guard let row = pixels.row(y) else { break }
                    StraightPixels.unpremultiply(row, width: pixels.size.width)
                    conversion.convert(row, pixelCount: pixels.size.width)
                }
            }
            let bitmap = pixels.bitmap(
                isOpaque: directory.alpha == .none && !isPartial, isPremultiplied: conversion.isIdentity)
            return TIFFResult(bitmap: bitmap, isPartial: isPartial, warnings: warnings)
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
