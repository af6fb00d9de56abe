#if TIFF
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// TIFF 6.0 and BigTIFF through libtiff: the first page, in strips or tiles, with every compression that the library
    /// was built with.
    ///
    /// Grey, RGB, CMYK and palettes of 1 to 32 bits and Lab are converted here, with their profiles, and floating point
    /// numbers, which are linear light from 0 to 1 unless a profile says more; what is brighter is white. Lab is relative
    /// to D50. The rest (YCbCr, signed numbers) is left to libtiff's own conversion.
    public struct TIFFDecoder: ImageDecoder {
        public init() {}

        public var format: ImageFormat { .tiff }

        /// Needs the first directory, which many writers put at the end of the file.
        public func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
            try data.withUnsafeBytes { try TIFFDirectory($0, isComplete: isComplete, limits: limits).info }
        }

        public func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
            try data.withUnsafeBytes { bytes in
                let directory = try TIFFDirectory(bytes, isComplete: true, limits: options.limits)
                let samples = TIFFSamples(directory)
                let result =
                    try samples.isSupported
                    ? samples.decode(options) : TIFFConvertedPixels(directory).decode(options)
                return DecoderOutput(
                    bitmap: result.bitmap, info: directory.info, isPartial: result.isPartial,
                    warnings: directory.warnings + result.warnings)
            }
        }
    }

    /// What both ways of reading pixels give.
    struct TIFFResult {
        var bitmap: Bitmap
        var isPartial: Bool
        var warnings: [String]
    }
#endif
