#if HEIC
    import CHEIF
    import CPixelKernels

    extension HEICImage {
        /// One plane of samples that libheif decoded.
        struct Plane {
            var pixels: UnsafePointer<UInt8>
            var bytesPerRow: Int
            var size: PixelSize

            func row(_ y: Int) -> UnsafePointer<UInt8> { pixels + y * bytesPerRow }
        }

        /// Decodes the image and resizes it during conversion, so that its rows are not in memory a second time.
        ///
        /// - Parameters:
        ///   - hevcChroma: that of the HEVC data, because libheif converts some images to RGB unless it is given.
        ///   - plan: returns the plan for the size of the decoded data, which may differ from that of the header.
        /// - Returns: the bitmap, and that size.
        func decode(
            limits: DecodeLimits, chroma hevcChroma: heif_chroma = heif_chroma_undefined,
            plan: (PixelSize) throws -> ResizePlan?
        ) throws -> (bitmap: Bitmap, size: PixelSize) {
            let isWide = info.bitDepth > 8
            if isWide, let result = try decodeWide(hevcChroma, limits: limits, plan: plan) { return result }
            // libheif converts the HEVC planes to planes of red, green and blue; reading these saves a pass.
            let isPlanar = !isWide && !info.hasAlpha
            let chroma =
                isPlanar
                ? heif_chroma_444
                : isWide ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RGBA
            let decoded = try decode(heif_colorspace_RGB, chroma)
            defer { heif_image_release(decoded) }
            return isPlanar
                ? try planar(decoded, limits: limits, plan: plan) : try interleaved(decoded, limits: limits, plan: plan)
        }

        /// - Returns: an image, which the caller releases.
        func decode(_ space: heif_colorspace, _ chroma: heif_chroma) throws -> OpaquePointer {
            guard let settings = heif_decoding_options_alloc() else {
                throw ImagingError.outOfMemory(byteCount: nil)
            }
            defer { heif_decoding_options_free(settings) }
            settings.pointee.ignore_transformations = 0
            var decoded: OpaquePointer?
            if let decoder = context.library.decoder(forPixelCount: info.storedSize.area) {
                settings.pointee.decoder_id = decoder
                let error = heif_decode_image(handle, &decoded, space, chroma, settings)
                if error.code == heif_error_Ok, let decoded { return decoded }
                // The decoder of libheif may accept the data; otherwise it reports the error.
                settings.pointee.decoder_id = nil
            }
            try HEICContext.check(heif_decode_image(handle, &decoded, space, chroma, settings))
            guard let decoded else { throw ImagingError.corrupt(.heic, "no pixels came out of it") }
            return decoded
        }

        func plane(
            _ image: OpaquePointer, _ channel: heif_channel, bytesPerPixel: Int, limits: DecodeLimits
        ) throws -> Plane {
            var bytesPerRow: Int32 = 0
            guard let plane = heif_image_get_plane_readonly(image, channel, &bytesPerRow) else {
                throw ImagingError.corrupt(.heic, "no pixels came out of it")
            }
            let size = PixelSize(
                width: Int(heif_image_get_width(image, channel)), height: Int(heif_image_get_height(image, channel)))
            // Some writers store the turned size in the header of a turned image: the decoded size is right.
            try limits.check(size, format: .heic)
            guard Int(bytesPerRow) >= size.width * bytesPerPixel else {
                throw ImagingError.corrupt(.heic, "libheif gave rows of \(bytesPerRow) bytes")
            }
            return Plane(pixels: plane, bytesPerRow: Int(bytesPerRow), size: size)
        }

        private func planar(
            _ image: OpaquePointer, limits: DecodeLimits, plan: (PixelSize) throws -> ResizePlan?
        ) throws -> (bitmap: Bitmap, size: PixelSize) {
            let channels = [heif_channel_R, heif_channel_G, heif_channel_B]
            let planes = try channels.map { try plane(image, $0, bytesPerPixel: 1, limits: limits) }
            let size = planes[0].size
            guard planes.allSatisfy({ $0.size == size }),
                channels.allSatisfy({ heif_image_get_bits_per_pixel_range(image, $0) == 8 })
            else { throw ImagingError.corrupt(.heic, "its planes are not alike") }
            let conversion = ColorConversion(
                profile: profile, codePoints: codePoints, isWide: false, warnings: &warnings)
            return try write(size, plan: plan(size)) { y, row in
                ck_interleave_rgb(row, planes[0].row(y), planes[1].row(y), planes[2].row(y), size.width)
                conversion.convert(row, pixelCount: size.width)
                return 255
            }
        }

        private func interleaved(
            _ image: OpaquePointer, limits: DecodeLimits, plan: (PixelSize) throws -> ResizePlan?
        ) throws -> (bitmap: Bitmap, size: PixelSize) {
            let isWide = info.bitDepth > 8
            let plane = try plane(
                image, heif_channel_interleaved, bytesPerPixel: isWide ? 8 : 4, limits: limits)
            let bits = isWide ? Int(heif_image_get_bits_per_pixel_range(image, heif_channel_interleaved)) : 8
            let size = plane.size
            let hasAlpha = info.hasAlpha
            let isPremultiplied = hasAlpha && heif_image_handle_is_premultiplied_alpha(handle) != 0
            let conversion = ColorConversion(
                profile: profile, codePoints: codePoints, isWide: bits > 8, warnings: &warnings)
            let mustUnpremultiply = isPremultiplied && !conversion.isIdentity
            let buffer = try KernelBuffer<UInt16>(count: bits > 8 ? size.width * 4 : 1)
            defer { withExtendedLifetime(buffer) {} }
            let wide = buffer.base
            return try write(size, plan: plan(size)) { y, row in
                if bits > 8 {
                    WideSamples.scale(UnsafeRawPointer(plane.row(y)), bits: bits, to: wide, count: size.width * 4)
                    if mustUnpremultiply { WideSamples.unpremultiply(wide, pixelCount: size.width) }
                    conversion.convert(wide, to: row, pixelCount: size.width)
                } else {
                    row.update(from: plane.row(y), count: size.width * 4)
                    if mustUnpremultiply { StraightPixels.unpremultiply(row, width: size.width) }
                    conversion.convert(row, pixelCount: size.width)
                }
                guard hasAlpha else { return 255 }
                return StraightPixels.premultiply(
                    row, width: size.width, isPremultiplied: isPremultiplied && conversion.isIdentity)
            }
        }

        /// - Parameter makeRow: writes one row of premultiplied sRGB; returns all its alphas, combined by "and".
        func write(
            _ size: PixelSize, plan: ResizePlan?, makeRow: (_ y: Int, _ row: UnsafeMutablePointer<UInt8>) -> UInt8
        ) throws -> (bitmap: Bitmap, size: PixelSize) {
            let destination = plan.makeSink()
            // Alpha values are known only at the end.
            try destination.begin(size: size, isOpaque: !info.hasAlpha)
            var alphas: UInt8 = 255
            var y = 0
            while y < size.height {
                let count = min(destination.maximumRowCount, 16)
                let (bytes, bytesPerRow) = try destination.rows(count)
                for row in 0..<count {
                    alphas &= makeRow(y + row, (bytes + row * bytesPerRow).assumingMemoryBound(to: UInt8.self))
                }
                try destination.commit(count)
                y += count
            }
            return (try destination.finish(isOpaque: alphas == 255), size)
        }
    }
#endif
