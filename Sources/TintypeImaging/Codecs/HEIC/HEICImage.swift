#if HEIC
    import CHEIF
    import TintypeBase

    /// One image of a HEIF file: the primary one, or a thumbnail of it. Used by one thread.
    final class HEICImage {
        let handle: OpaquePointer
        /// Keeps the file open.
        let context: HEICContext
        var warnings: [String] = []
        let info: ImageInfo
        let profile: Data?
        let codePoints: CodingIndependentCodePoints?

        /// - Parameter handle: released by this object, also if this throws.
        init(_ handle: OpaquePointer, of context: HEICContext, limits: DecodeLimits) throws {
            self.handle = handle
            self.context = context
            profile = Self.profile(handle, limits: limits, warnings: &warnings)
            codePoints = Self.codePoints(handle)
            let size = PixelSize(
                width: Int(heif_image_handle_get_width(handle)), height: Int(heif_image_handle_get_height(handle)))
            info = ImageInfo(
                format: .heic, storedSize: size,
                bitDepth: max(8, Int(heif_image_handle_get_luma_bits_per_pixel(handle))),
                hasAlpha: heif_image_handle_has_alpha_channel(handle) != 0,
                colorSpace: profile.flatMap(ICCHeader.describe) ?? codePoints?.name ?? "sRGB",
                isHDR: profile == nil && codePoints?.isHDR ?? false)
            try limits.check(size, format: .heic)
        }

        deinit { heif_image_handle_release(handle) }

        /// The image's thumbnails with their items, in the order of the file.
        func thumbnails(limits: DecodeLimits) -> [(item: Int, image: HEICImage)] {
            let count = min(Self.maximumThumbnailCount, heif_image_handle_get_number_of_thumbnails(handle))
            guard count > 0 else { return [] }
            var items = [heif_item_id](repeating: 0, count: Int(count))
            let found = heif_image_handle_get_list_of_thumbnail_IDs(handle, &items, count)
            return items.prefix(Int(max(0, found))).compactMap { item in
                var thumbnail: OpaquePointer?
                guard heif_image_handle_get_thumbnail(handle, item, &thumbnail).code == heif_error_Ok, let thumbnail,
                    // A thumbnail that the limits refuse is skipped.
                    let image = try? HEICImage(thumbnail, of: context, limits: limits)
                else { return nil }
                return (Int(item), image)
            }
        }

        /// Cameras write one or two.
        private static let maximumThumbnailCount: Int32 = 8

        private static func profile(
            _ handle: OpaquePointer, limits: DecodeLimits, warnings: inout [String]
        ) -> Data? {
            let count = heif_image_handle_get_raw_color_profile_size(handle)
            guard count > 0, limits.acceptsProfile(byteCount: count, warnings: &warnings) else { return nil }
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
            return codePoints(found)
        }

        /// Returns the code points of a decoded image, with those in the image data itself.
        static func codePoints(ofDecoded image: OpaquePointer) -> CodingIndependentCodePoints? {
            var found: UnsafeMutablePointer<heif_color_profile_nclx>?
            guard heif_image_get_nclx_color_profile(image, &found).code == heif_error_Ok, let found else { return nil }
            return codePoints(found)
        }

        /// - Parameter found: freed here.
        private static func codePoints(
            _ found: UnsafeMutablePointer<heif_color_profile_nclx>
        ) -> CodingIndependentCodePoints {
            defer { heif_nclx_color_profile_free(found) }
            return CodingIndependentCodePoints(
                primaries: Int(found.pointee.color_primaries.rawValue),
                transfer: Int(found.pointee.transfer_characteristics.rawValue),
                matrix: Int(found.pointee.matrix_coefficients.rawValue),
                isFullRange: found.pointee.full_range_flag != 0)
        }
    }
#endif
