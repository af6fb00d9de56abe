#if HEIC
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// HEIC and other HEIF stills through libheif: grids, overlays, alpha, 8 to 12 bits. The primary picture counts;
    /// sequences show their poster.
    ///
    /// `clap`, `irot` and `imir` are applied by the library, once; EXIF orientation does not count (ISO/IEC 23008-12,
    /// §A.2), and `ImageInfo.size` is the size as shown.
    public struct HEICDecoder: ImageDecoder {
        public init() {}

        public var format: ImageFormat { .heic }

        /// Needs the `meta` box, which cameras put into the first kilobytes.
        public func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
            try data.withUnsafeBytes { bytes in
                if isComplete { return try HEICSession(bytes, limits: limits).info }
                let info = try HEIFItems(ByteView(bytes), format: .heic).info()
                try limits.check(info.storedSize, format: .heic)
                return info
            }
        }

        public func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
            try data.withUnsafeBytes { bytes in
                let session = try HEICSession(bytes, limits: options.limits)
                try HEIFItems(ByteView(bytes), format: .heic).checkSizes(limits: options.limits)
                let bitmap = try session.bitmap(limits: options.limits)
                var info = session.info
                info.storedSize = bitmap.size
                return DecoderOutput(bitmap: bitmap, info: info, warnings: session.warnings)
            }
        }
    }
#endif
