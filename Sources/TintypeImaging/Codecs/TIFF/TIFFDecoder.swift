#if TIFF
    import TintypeBase

    /// TIFF 6.0 and BigTIFF through libtiff: the first page, in strips or tiles, with every compression that the library
    /// was built with.
    ///
    /// Grey, RGB, CMYK and palettes of 1 to 32 bits and Lab are converted here, with their profiles. So are floating point
    /// numbers: linear light from 0 to 1 without a profile; brighter light is white. Lab is relative to D50. Other kinds
    /// (YCbCr, signed numbers) are converted by libtiff.
    struct TIFFDecoder: ImageDecoder {
        var format: ImageFormat { .tiff }

        /// Needs the first directory, which many writers put at the end of the file.
        func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
            try data.withUnsafeBytes { try TIFFDirectory($0, isComplete: isComplete, limits: limits).info }
        }

        func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
            try data.withUnsafeBytes { bytes in
                let directory = try TIFFDirectory(bytes, isComplete: true, limits: options.limits)
                let samples = TIFFSamples(directory)
                return try samples.isSupported
                    ? samples.decode(options) : TIFFConvertedPixels(directory).decode(options)
            }
        }
    }

    /// The destination of the rows of a TIFF, which resizes if there is a target.
    final class TIFFOutput {
        private let directory: TIFFDirectory
        private let destination: any BitmapRowSink
        private var alphas: UInt8 = 255
        private(set) var rowCount = 0

        init(_ directory: TIFFDirectory, _ options: DecodeOptions) throws {
            self.directory = directory
            destination = try options.plan(storedSize: directory.size, orientation: directory.orientation).makeSink()
            try destination.begin(size: directory.size, isOpaque: directory.alpha == .none)
        }

        /// Adds one row.
        /// - Parameters:
        ///   - isPremultiplied: true if `makeRow` writes premultiplied colours.
        ///   - makeRow: writes RGBA of 8 bits in sRGB.
        func write(isPremultiplied: Bool, _ makeRow: (UnsafeMutablePointer<UInt8>) throws -> Void) throws {
            let row = try destination.rows(1).bytes.assumingMemoryBound(to: UInt8.self)
            try makeRow(row)
            if directory.alpha != .none {
                alphas &= StraightPixels.premultiply(
                    row, width: directory.size.width, isPremultiplied: isPremultiplied)
            }
            try destination.commit(1)
            rowCount += 1
        }

        /// Returns the image; missing rows are transparent.
        func finish(warnings: [String]) throws -> DecoderOutput {
            let isPartial = rowCount < directory.size.height
            return DecoderOutput(
                bitmap: try destination.finish(isOpaque: !isPartial && alphas == 255), info: directory.info,
                isPartial: isPartial, isAtTargetSize: true, warnings: directory.warnings + warnings)
        }
    }
#endif
