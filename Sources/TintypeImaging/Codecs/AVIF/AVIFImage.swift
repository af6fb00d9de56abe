#if AVIF
    import CAVIF
    import TintypeBase

    /// One decoded image in the planes of libavif.
    struct AVIFImage {
        let image: UnsafeMutablePointer<avifImage>
        let profile: Data?

        private var size: PixelSize {
            PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height))
        }

        static func profile(_ image: avifImage, limits: DecodeLimits, warnings: inout [String]) -> Data? {
            guard image.icc.size > 0, let bytes = image.icc.data,
                limits.acceptsProfile(byteCount: image.icc.size, warnings: &warnings)
            else { return nil }
            return Data(bytes: bytes, count: image.icc.size)
        }

        private var codePoints: CodingIndependentCodePoints {
            CodingIndependentCodePoints(
                primaries: Int(image.pointee.colorPrimaries), transfer: Int(image.pointee.transferCharacteristics),
                matrix: Int(image.pointee.matrixCoefficients), isFullRange: image.pointee.yuvRange == AVIF_RANGE_FULL)
        }

        /// Returns the info with the displayed size: the transforms are a part of the format.
        func info(hasAlpha: Bool) -> ImageInfo {
            let isGray = image.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV400
            let name = profile.flatMap(ICCHeader.describe) ?? (isGray ? "Gray" : codePoints.name ?? "sRGB")
            return ImageInfo(
                format: .avif, storedSize: AVIFTransform(image.pointee).shownSize(size),
                bitDepth: Int(image.pointee.depth), hasAlpha: hasAlpha, colorSpace: name,
                isHDR: profile == nil && codePoints.isHDR)
        }

        /// - Parameter wholeRows: the number of complete rows of a truncated image; nil is all.
        func bitmap(wholeRows: Int?, warnings: inout [String]) throws -> Bitmap {
            let hasAlpha = image.pointee.alphaPlane != nil
            let isDeep = image.pointee.depth > 8
            let conversion = ColorConversion(
                profile: profile, codePoints: codePoints, isWide: isDeep,
                isGray: image.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV400, warnings: &warnings)
            let isPremultiplied = hasAlpha && image.pointee.alphaPremultiplied != 0 && conversion.isIdentity
            let pixels = try StraightPixels(size: size)
            var rgb = avifRGBImage()
            avifRGBImageSetDefaults(&rgb, image)
            rgb.format = AVIF_RGB_FORMAT_RGBA
            // libavif removes premultiplication, or keeps the colours as stored.
            rgb.alphaPremultiplied = isPremultiplied ? AVIF_TRUE : AVIF_FALSE
            if isDeep, !conversion.isIdentity {
                try convertDeep(rgb, conversion, to: pixels)
            } else {
                rgb.depth = 8
                rgb.pixels = pixels.bytes.bindMemory(to: UInt8.self).baseAddress
                rgb.rowBytes = UInt32(pixels.bytesPerRow)
                try Self.check(avifImageYUVToRGB(image, &rgb))
                pixels.convert(conversion)
            }
            if let wholeRows { pixels.clear(from: wholeRows) }
            let bitmap = pixels.bitmap(isOpaque: !hasAlpha && wholeRows == nil, isPremultiplied: isPremultiplied)
            return try AVIFTransform(image.pointee).apply(to: bitmap, warnings: &warnings)
        }

        private static let rowsPerStrip = 64
        /// Rows on either side for the interpolation of chroma; even, so that strips start with a row of chroma.
        private static let marginRowCount = 4

        /// Converts through 16 bits, a few rows at a time, so that a profile or curve applies to samples without rounding.
        private func convertDeep(
            _ settings: avifRGBImage, _ conversion: ColorConversion, to pixels: StraightPixels
        ) throws {
            let buffer = try KernelBuffer<UInt16>(
                count: size.width * 4 * (Self.rowsPerStrip + 2 * Self.marginRowCount))
            defer { withExtendedLifetime(buffer) {} }
            let wide = buffer.base
            for first in stride(from: 0, to: size.height, by: Self.rowsPerStrip) {
                let last = min(first + Self.rowsPerStrip, size.height)
                let top = max(0, first - Self.marginRowCount)
                let bottom = min(size.height, last + Self.marginRowCount)
                guard let strip = avifImageCreateEmpty() else {
                    throw ImagingError.outOfMemory(byteCount: nil)
                }
                defer { avifImageDestroy(strip) }
                var rect = avifCropRect(
                    x: 0, y: UInt32(top), width: UInt32(size.width), height: UInt32(bottom - top))
                try Self.check(avifImageSetViewRect(strip, image, &rect))
                var rgb = settings
                rgb.width = UInt32(size.width)
                rgb.height = UInt32(bottom - top)
                rgb.depth = 16
                rgb.rowBytes = UInt32(size.width * 8)
                rgb.pixels = UnsafeMutableRawPointer(wide).assumingMemoryBound(to: UInt8.self)
                try Self.check(avifImageYUVToRGB(strip, &rgb))
                for y in first..<last {
                    if let row = pixels.row(y) {
                        conversion.convert(wide + (y - top) * size.width * 4, to: row, pixelCount: size.width)
                    }
                }
            }
        }

        /// Refuses an image whose planes, in memory twice during decoding, and RGB take more than 1 GB.
        func checkMemory(hasAlpha: Bool) throws {
            let image = image.pointee
            // Halves of a sample for each pixel.
            var halves =
                switch image.yuvFormat {
                case AVIF_PIXEL_FORMAT_YUV400: 2
                case AVIF_PIXEL_FORMAT_YUV420: 3
                case AVIF_PIXEL_FORMAT_YUV422: 4
                default: 6
                }
            if hasAlpha { halves += 2 }
            let limit = 1_000_000_000 / (halves * (image.depth > 8 ? 2 : 1) + 4)
            guard size.area <= limit else {
                throw ImagingError.imageTooLarge(width: size.width, height: size.height, limit: limit)
            }
        }

        private static func check(_ result: avifResult) throws {
            guard result != AVIF_RESULT_OUT_OF_MEMORY else { throw ImagingError.outOfMemory(byteCount: nil) }
            guard result == AVIF_RESULT_OK else {
                throw ImagingError.corrupt(.avif, "its planes cannot be converted to RGB")
            }
        }
    }
#endif
