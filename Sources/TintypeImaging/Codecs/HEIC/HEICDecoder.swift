#if HEIC
    import CHEIF
    import TintypeBase

    /// HEIC and other HEIF stills through libheif: grids, overlays, alpha, 8 to 12 bits. The primary image is decoded;
    /// sequences show their poster.
    ///
    /// The library applies `clap`, `irot` and `imir`, once; EXIF orientation is ignored (ISO/IEC 23008-12, §A.2), and
    /// `ImageInfo.size` is the displayed size. For a target of at most an eighth of the sides of a thumbnail in the file, the
    /// thumbnail is decoded, if it shows the same as the image.
    ///
    /// With the trait `FFmpeg`, libavcodec decodes the HEVC data: two thirds of the time in all. It is loaded with the first
    /// image of a megapixel or more; where it is not installed, libheif uses its own decoder.
    struct HEICDecoder: ImageDecoder {
        /// Set by tests and measurements.
        var library = HEVCLibrary.automatic

        var format: ImageFormat { .heic }

        /// Needs the `meta` box, which cameras put into the first kilobytes.
        func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
            try data.withUnsafeBytes { bytes in
                if isComplete { return try HEICContext(bytes).primaryImage(limits: limits).info }
                let info = try HEIFItems(ByteView(bytes), format: .heic).info(limits: limits)
                try limits.check(info.storedSize, format: .heic)
                return info
            }
        }

        func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
            try data.withUnsafeBytes { bytes in
                let image = try HEICContext(bytes, library: library).primaryImage(limits: options.limits)
                let items = try HEIFItems(ByteView(bytes), format: .heic)
                try items.checkSizes(limits: options.limits)
                if let preview = HEICThumbnails(of: image, items: items).decode(options) { return preview }
                try items.checkMemory(image.info, limits: options.limits)
                let (bitmap, size) = try image.decode(limits: options.limits, chroma: items.chroma) {
                    try options.plan(storedSize: $0, orientation: .up)
                }
                var info = image.info
                info.storedSize = size
                return DecoderOutput(bitmap: bitmap, info: info, isAtTargetSize: true, warnings: image.warnings)
            }
        }
    }

    /// One HEIF file opened by libheif; the bytes must outlive it. Used by one thread.
    final class HEICContext {
        private let pointer: OpaquePointer
        let library: HEVCLibrary

        /// Reads the boxes; decodes nothing.
        init(_ bytes: UnsafeRawBufferPointer, library: HEVCLibrary = .automatic) throws {
            HEVCLibrary.register()
            self.library = library
            guard let pointer = heif_context_alloc() else {
                throw ImagingError.outOfMemory(byteCount: nil)
            }
            self.pointer = pointer
            // From here on `deinit` frees it, also if this throws.
            try Self.check(heif_context_read_from_memory_without_copy(pointer, bytes.baseAddress, bytes.count, nil))
        }

        deinit { heif_context_free(pointer) }

        func primaryImage(limits: DecodeLimits) throws -> HEICImage {
            var handle: OpaquePointer?
            try Self.check(heif_context_get_primary_image_handle(pointer, &handle))
            guard let handle else { throw ImagingError.corrupt(.heic, "no primary image") }
            return try HEICImage(handle, of: self, limits: limits)
        }

        static func check(_ error: heif_error) throws {
            let message = error.message.map { String(cString: $0) } ?? "error \(error.code.rawValue)"
            switch (error.code, error.subcode) {
            case (heif_error_Ok, _): return
            case (_, heif_suberror_End_of_data): throw ImagingError.truncated(.heic)
            case (heif_error_Unsupported_feature, _), (heif_error_Unsupported_filetype, _):
                throw ImagingError.unsupportedFormat("libheif says: \(message)")
            case (heif_error_Memory_allocation_error, heif_suberror_Unspecified):
                throw ImagingError.outOfMemory(byteCount: nil)
            default: throw ImagingError.corrupt(.heic, message)
            }
        }
    }
#endif
