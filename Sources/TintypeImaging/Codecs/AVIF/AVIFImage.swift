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
                try convertDeep(&rgb, conversion, to: pixels)
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

        /// With 16 bits on the way, so that a profile or curve does not work on rounded samples.
        private func convertDeep(
            _ rgb: inout avifRGBImage, _ conversion: ColorConversion, to pixels: StraightPixels
        ) throws {
            rgb.depth = 16
            rgb.rowBytes = UInt32(size.width * 8)
            let wide = UnsafeMutablePointer<UInt16>.allocate(capacity: size.area * 4)
            defer { wide.deallocate() }
            rgb.pixels = UnsafeMutableRawPointer(wide).assumingMemoryBound(to: UInt8.self)
            try Self.check(avifImageYUVToRGB(image, &rgb))
            for y in 0..<size.height {
                if let row = pixels.row(y) {
                    conversion.convert(wide + y * size.width * 4, to: row, pixelCount: size.width)
                }
            }
        }

        private static func check(_ result: avifResult) throws {
            guard result == AVIF_RESULT_OK else {
                throw ImagingError.corrupt(.avif, "its planes cannot be converted to RGB")
            }
        }
    }
#endif
