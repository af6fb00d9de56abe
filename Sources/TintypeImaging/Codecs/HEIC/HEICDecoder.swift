#if HEIC
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// HEIC and other HEIF stills through libheif: grids, overlays, alpha, 8 to 12 bits. The primary image counts;
    /// sequences show their poster.
    ///
    /// `clap`, `irot` and `imir` are applied by the library, once; EXIF orientation does not count (ISO/IEC 23008-12,
    /// §A.2), and `ImageInfo.size` is the size as shown. For a target of at most an eighth of a thumbnail's sides the
    /// thumbnail in the file is decoded, if it shows the same as the image does.
    ///
    /// With the trait `FFmpeg` the HEVC inside is decoded by libavcodec: two thirds of the time in all. It is loaded with the
    /// first image of a megapixel or more; where it is not installed, libheif uses the decoder that it brings along.
    public struct HEICDecoder: ImageDecoder {
        public init() {}

        /// For tests and measurements.
        init(library: HEVCLibrary) { self.library = library }

        private var library = HEVCLibrary.automatic

        public var format: ImageFormat { .heic }

        /// Needs the `meta` box, which cameras put into the first kilobytes.
        public func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
            try data.withUnsafeBytes { bytes in
                if isComplete { return try HEICContext(bytes).primaryImage(limits: limits).info }
                let info = try HEIFItems(ByteView(bytes), format: .heic).info(limits: limits)
                try limits.check(info.storedSize, format: .heic)
                return info
            }
        }

        public func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
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
                return DecoderOutput(bitmap: bitmap, info: info, warnings: image.warnings)
            }
        }
    }
#endif
