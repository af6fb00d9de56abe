#if AVIF
    import CAVIF

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// One decoded image in libavif's planes, and what its boxes say about showing it.
    struct AVIFImage {
        let image: UnsafeMutablePointer<avifImage>
        let profile: Data?

        private var size: PixelSize {
            PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height))
        }

        static func profile(_ image: avifImage, limits: DecodeLimits, warnings: inout [String]) -> Data? {
            guard image.icc.size > 0, let bytes = image.icc.data else { return nil }
            guard image.icc.size <= limits.maximumMetadataByteCount else {
                warnings.append("the ICC profile was ignored: it is \(image.icc.size) bytes long")
                return nil
            }
            return Data(bytes: bytes, count: image.icc.size)
        }

        private var codePoints: CodingIndependentCodePoints {
            CodingIndependentCodePoints(
                primaries: Int(image.pointee.colorPrimaries), transfer: Int(image.pointee.transferCharacteristics),
                matrix: Int(image.pointee.matrixCoefficients), isFullRange: image.pointee.yuvRange == AVIF_RANGE_FULL)
        }

        /// The size is that of the image as shown: the transforms are part of the format.
        func info(hasAlpha: Bool) -> ImageInfo {
            let isGray = image.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV400
            let name = profile.flatMap(ICCHeader.describe) ?? (isGray ? "Gray" : codePoints.name ?? "sRGB")
            return ImageInfo(
                format: .avif, storedSize: AVIFTransform(image.pointee).shownSize(size),
                bitDepth: Int(image.pointee.depth), hasAlpha: hasAlpha, colorSpace: name,
                isHDR: profile == nil && codePoints.isHDR)
        }

        /// - Parameter wholeRows: how many rows of a cut image are there; nil means all.
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
            // libavif takes the alpha out of the colours, or leaves them as they are stored.
            rgb.alphaPremultiplied = isPremultiplied ? AVIF_TRUE : AVIF_FALSE
            if isDeep, !conversion.isIdentity {
                try convertDeep(rgb, conversion, to: pixels)
            } else {
                rgb.depth = 8
                rgb.pixels = pixels.bytes.bindMemory(to: UInt8.self).baseAddress
                rgb.rowBytes = UInt32(pixels.bytesPerRow)
                try Self.check(avifImageYUVToRGB(image, &rgb))
                if !conversion.isIdentity {
                    for y in 0..<size.height {
                        if let row = pixels.row(y) { conversion.convert(row, pixelCount: size.width) }
                    }
                }
            }
            if let wholeRows { pixels.clear(from: wholeRows) }
            let bitmap = pixels.bitmap(isOpaque: !hasAlpha && wholeRows == nil, isPremultiplied: isPremultiplied)
            return try AVIFTransform(image.pointee).apply(to: bitmap, warnings: &warnings)
        }

        private static let rowsPerStrip = 64
        /// Rows on either side that chroma is interpolated from; even, so that strips begin with a row of chroma.
        private static let marginRowCount = 4

        /// With 16 bits on the way, so that a profile or curve does not work on rounded samples; a few rows at a time.
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

        /// Refuses an image whose planes, held twice while they are decoded, and RGB take more than 1 GB.
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
