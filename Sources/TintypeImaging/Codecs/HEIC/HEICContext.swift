#if HEIC
    import CHEIF

    /// One HEIF file opened by libheif, whose bytes outlive it. Used by one thread.
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
            // From here on `deinit` frees it, also when this throws.
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
