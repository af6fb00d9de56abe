#if HEIC
    import CHEIF
    import CPixelKernels

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// One HEIF file opened by libheif, whose bytes outlive it. Used by one thread.
    final class HEICSession {
        private let context: OpaquePointer
        private let handle: OpaquePointer
        private(set) var warnings: [String] = []
        let info: ImageInfo
        private let colors: (profile: Data?, codePoints: CodingIndependentCodePoints?)

        /// Reads the boxes and finds the primary picture; decodes nothing.
        init(_ bytes: UnsafeRawBufferPointer, limits: DecodeLimits) throws {
            guard let context = heif_context_alloc() else {
                throw ImagingError.processorFailed("libheif has no memory for a context")
            }
            self.context = context
            var handle: OpaquePointer?
            do {
                try Self.check(
                    heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil))
                try Self.check(heif_context_get_primary_image_handle(context, &handle))
                guard let handle else { throw ImagingError.corrupt(.heic, "no primary picture") }
                self.handle = handle
                let size = PixelSize(
                    width: Int(heif_image_handle_get_width(handle)), height: Int(heif_image_handle_get_height(handle)))
                try limits.check(size, format: .heic)
                colors = (
                    Self.profile(handle, limits: limits, warnings: &warnings), Self.codePoints(handle)
                )
                let name = colors.profile.flatMap(ICCHeader.describe) ?? colors.codePoints?.name ?? "sRGB"
                info = ImageInfo(
                    format: .heic, storedSize: size,
                    bitDepth: max(8, Int(heif_image_handle_get_luma_bits_per_pixel(handle))),
                    hasAlpha: heif_image_handle_has_alpha_channel(handle) != 0, colorSpace: name,
                    isHDR: colors.profile == nil && colors.codePoints?.isHDR ?? false)
            } catch {
                if let handle { heif_image_handle_release(handle) }
                heif_context_free(context)
                throw error
            }
        }

        deinit {
            heif_image_handle_release(handle)
            heif_context_free(context)
        }

        func bitmap(limits: DecodeLimits) throws -> Bitmap {
            guard let options = heif_decoding_options_alloc() else {
                throw ImagingError.processorFailed("libheif has no memory for its options")
            }
            defer { heif_decoding_options_free(options) }
            options.pointee.ignore_transformations = 0
            let isWide = info.bitDepth > 8
            // What libheif makes of the HEVC planes are planes of red, green and blue; one pass less if they are taken.
            let isPlanar = !isWide && !info.hasAlpha
            let chroma =
                isPlanar
                ? heif_chroma_444
                : isWide ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RGBA
            var decoded: OpaquePointer?
            defer { if let decoded { heif_image_release(decoded) } }
            try Self.check(heif_decode_image(handle, &decoded, heif_colorspace_RGB, chroma, options))
            guard let decoded else { throw ImagingError.corrupt(.heic, "no pixels came out of it") }
            if isPlanar { return try planarBitmap(decoded, limits: limits) }
            let (plane, bytesPerRow, size) = try Self.plane(
                decoded, heif_channel_interleaved, bytesPerPixel: isWide ? 8 : 4, limits: limits)
            let bits = isWide ? Int(heif_image_get_bits_per_pixel_range(decoded, heif_channel_interleaved)) : 8
            return try convert(plane, bytesPerRow: bytesPerRow, bits: bits, size: size)
        }

        private static func plane(
            _ image: OpaquePointer, _ channel: heif_channel, bytesPerPixel: Int, limits: DecodeLimits
        ) throws -> (pixels: UnsafePointer<UInt8>, bytesPerRow: Int, size: PixelSize) {
            var bytesPerRow: Int32 = 0
            guard let plane = heif_image_get_plane_readonly(image, channel, &bytesPerRow) else {
                throw ImagingError.corrupt(.heic, "no pixels came out of it")
            }
            let size = PixelSize(
                width: Int(heif_image_get_width(image, channel)), height: Int(heif_image_get_height(image, channel)))
            // Some writers put the turned size into the header of a turned picture: what comes out counts.
            try limits.check(size, format: .heic)
            guard Int(bytesPerRow) >= size.width * bytesPerPixel else {
                throw ImagingError.corrupt(.heic, "libheif gave rows of \(bytesPerRow) bytes")
            }
            return (plane, Int(bytesPerRow), size)
        }

        private func planarBitmap(_ image: OpaquePointer, limits: DecodeLimits) throws -> Bitmap {
            let channels = [heif_channel_R, heif_channel_G, heif_channel_B]
            let planes = try channels.map { try Self.plane(image, $0, bytesPerPixel: 1, limits: limits) }
            let size = planes[0].size
            guard planes.allSatisfy({ $0.size == size }),
                channels.allSatisfy({ heif_image_get_bits_per_pixel_range(image, $0) == 8 })
            else { throw ImagingError.corrupt(.heic, "its planes are not alike") }
            let conversion = ColorConversion(
                profile: colors.profile, codePoints: colors.codePoints, isWide: false, warnings: &warnings)
            let pixels = try StraightPixels(size: size)
            for y in 0..<size.height {
                guard let row = pixels.row(y) else { break }
                ck_interleave_rgb(
                    row, planes[0].pixels + y * planes[0].bytesPerRow, planes[1].pixels + y * planes[1].bytesPerRow,
                    planes[2].pixels + y * planes[2].bytesPerRow, size.width)
                conversion.convert(row, pixelCount: size.width)
            }
            return pixels.bitmap(isOpaque: true)
        }

        private func convert(
            _ plane: UnsafePointer<UInt8>, bytesPerRow: Int, bits: Int, size: PixelSize
        ) throws -> Bitmap {
            let isPremultiplied = info.hasAlpha && heif_image_handle_is_premultiplied_alpha(handle) != 0
            let conversion = ColorConversion(
                profile: colors.profile, codePoints: colors.codePoints, isWide: bits > 8, warnings: &warnings)
            let pixels = try StraightPixels(size: size)
            let wide = UnsafeMutablePointer<UInt16>.allocate(capacity: bits > 8 ? size.width * 4 : 1)
            defer { wide.deallocate() }
            for y in 0..<size.height {
                guard let row = pixels.row(y) else { break }
                let source = plane + y * bytesPerRow
                if bits > 8 {
                    WideSamples.scale(UnsafeRawPointer(source), bits: bits, to: wide, count: size.width * 4)
                    if isPremultiplied, !conversion.isIdentity {
                        WideSamples.unpremultiply(wide, pixelCount: size.width)
                    }
                    conversion.convert(wide, to: row, pixelCount: size.width)
                } else {
                    row.update(from: source, count: size.width * 4)
                    if isPremultiplied, !conversion.isIdentity { StraightPixels.unpremultiply(row, width: size.width) }
                    conversion.convert(row, pixelCount: size.width)
                }
            }
            return pixels.bitmap(
                isOpaque: !info.hasAlpha, isPremultiplied: isPremultiplied && conversion.isIdentity)
        }

        private static func profile(
            _ handle: OpaquePointer, limits: DecodeLimits, warnings: inout [String]
        ) -> Data? {
            let count = heif_image_handle_get_raw_color_profile_size(handle)
            guard count > 0 else { return nil }
            guard count <= limits.maximumMetadataByteCount else {
                warnings.append("the ICC profile was ignored: it is \(count) bytes long")
                return nil
            }
            var profile = Data(count: count)
            let error = profile.withUnsafeMutableBytes {
                heif_image_handle_get_raw_color_profile(handle, $0.baseAddress)
            }
            return error.code == heif_error_Ok ? profile : nil
        }

        private static func codePoints(_ handle: OpaquePointer) -> CodingIndependentCodePoints? {
            var found: UnsafeMutablePointer<heif_color_profile_nclx>?
            guard heif_image_handle_get_nclx_color_profile(handle, &found).code == heif_error_Ok, let found else {
                return nil
            }
            defer { heif_nclx_color_profile_free(found) }
            return CodingIndependentCodePoints(
                primaries: Int(found.pointee.color_primaries.rawValue),
                transfer: Int(found.pointee.transfer_characteristics.rawValue),
                matrix: Int(found.pointee.matrix_coefficients.rawValue),
                isFullRange: found.pointee.full_range_flag != 0)
        }

        private static func check(_ error: heif_error) throws {
            let message = error.message.map { String(cString: $0) } ?? "error \(error.code.rawValue)"
            switch (error.code, error.subcode) {
            case (heif_error_Ok, _): return
            case (_, heif_suberror_End_of_data): throw ImagingError.truncated(.heic)
            case (heif_error_Unsupported_feature, _), (heif_error_Unsupported_filetype, _):
                throw ImagingError.unsupportedFormat("libheif says: \(message)")
            case (heif_error_Memory_allocation_error, heif_suberror_Unspecified):
                throw ImagingError.processorFailed("libheif ran out of memory")
            default: throw ImagingError.corrupt(.heic, message)
            }
        }
    }
#endif
