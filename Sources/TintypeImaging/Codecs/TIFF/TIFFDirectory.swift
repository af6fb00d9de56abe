#if TIFF
    import CTIFF
    import TintypeBase

    /// The first directory of a TIFF, opened by libtiff. Used by one thread.
    final class TIFFDirectory {
        enum Alpha { case none, associated, unassociated }

        let handle: OpaquePointer
        private let source: TIFFSource
        private let report: UnsafeMutablePointer<ta_tiff_report>
        private let isComplete: Bool

        let size: PixelSize
        let orientation: ImageOrientation
        let bitsPerSample: Int
        let samplesPerPixel: Int
        let photometric: Int
        let compression: Int
        let sampleFormat: Int
        let isPlanar: Bool
        let alpha: Alpha
        let profile: Data?
        private(set) var warnings: [String] = []

        init(_ bytes: UnsafeRawBufferPointer, isComplete: Bool, limits: DecodeLimits) throws {
            self.isComplete = isComplete
            source = TIFFSource(bytes)
            report = .allocate(capacity: 1)
            report.initialize(to: ta_tiff_report())
            var callbacks = source.callbacks
            // The limit of one strip, tile or directory; the image itself is checked below.
            let largest = max(limits.maximumPixelCount.multipliedReportingOverflow(by: 16).partialValue, 1 << 26)
            guard let handle = ta_tiff_open(&callbacks, report, largest) else {
                let error = Self.error(source, report, isComplete: isComplete)
                report.deallocate()
                throw error
            }
            self.handle = handle
            size = PixelSize(
                width: Int(ta_tiff_u32(handle, UInt32(TIFFTAG_IMAGEWIDTH), 0)),
                height: Int(ta_tiff_u32(handle, UInt32(TIFFTAG_IMAGELENGTH), 0)))
            orientation =
                ImageOrientation(rawValue: Int(ta_tiff_u16(handle, UInt32(TIFFTAG_ORIENTATION), 1))) ?? .up
            bitsPerSample = Int(ta_tiff_u16(handle, UInt32(TIFFTAG_BITSPERSAMPLE), 1))
            samplesPerPixel = Int(ta_tiff_u16(handle, UInt32(TIFFTAG_SAMPLESPERPIXEL), 1))
            compression = Int(ta_tiff_u16(handle, UInt32(TIFFTAG_COMPRESSION), 1))
            sampleFormat = Int(ta_tiff_u16(handle, UInt32(TIFFTAG_SAMPLEFORMAT), 1))
            isPlanar = ta_tiff_u16(handle, UInt32(TIFFTAG_PLANARCONFIG), 1) == UInt16(PLANARCONFIG_SEPARATE)
            // Old writers leave the tag out; three samples can only be colours.
            let guess = samplesPerPixel >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK
            photometric = Int(ta_tiff_u16(handle, UInt32(TIFFTAG_PHOTOMETRIC), UInt16(guess)))
            alpha = Self.alpha(handle, photometric: photometric, samplesPerPixel: samplesPerPixel)
            var profileLength: UInt32 = 0
            if let bytes = ta_tiff_profile(handle, &profileLength), profileLength > 0,
                limits.acceptsProfile(byteCount: Int(profileLength), warnings: &warnings)
            {
                profile = Data(bytes: bytes, count: Int(profileLength))
            } else {
                profile = nil
            }
            // libtiff leaves out tags whose values are missing, such as a profile after the pixels.
            if !isComplete, source.missingByteCount > 0 {
                throw ImagingError.needsMoreData(.tiff, byteCount: source.missingByteCount)
            }
            try limits.check(size, format: .tiff)
            try checkShape(limits)
        }

        /// True if samples are IEEE floating point numbers: light from 0 to 1.
        var isFloat: Bool { sampleFormat == Int(SAMPLEFORMAT_IEEEFP) }

        deinit {
            TIFFClose(handle)
            report.deallocate()
        }

        private static func alpha(_ handle: OpaquePointer, photometric: Int, samplesPerPixel: Int) -> Alpha {
            let colors =
                switch Int32(photometric) {
                case PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_PALETTE: 1
                case PHOTOMETRIC_SEPARATED: 4
                default: 3
                }
            guard samplesPerPixel > colors else { return .none }
            switch ta_tiff_extra_sample(handle) {
            case Int32(EXTRASAMPLE_ASSOCALPHA): return .associated
            case Int32(EXTRASAMPLE_UNASSALPHA): return .unassociated
            // Without the tag a fourth sample can only be alpha; with "unspecified" it is anything but.
            case -1: return samplesPerPixel == colors + 1 && colors != 4 ? .unassociated : .none
            default: return .none
            }
        }

        /// Checks tiles, which may be far larger than the image, and the number of samples of a pixel.
        private func checkShape(_ limits: DecodeLimits) throws {
            guard samplesPerPixel >= 1, samplesPerPixel <= 64 else {
                throw ImagingError.unsupportedFormat("a TIFF with \(samplesPerPixel) samples per pixel")
            }
            guard TIFFIsTiled(handle) != 0 else { return }
            let tile = PixelSize(
                width: Int(ta_tiff_u32(handle, UInt32(TIFFTAG_TILEWIDTH), 0)),
                height: Int(ta_tiff_u32(handle, UInt32(TIFFTAG_TILELENGTH), 0)))
            // A tile may be larger than a small image.
            guard tile.width > 0, tile.height > 0, tile.area <= max(limits.maximumPixelCount, 1 << 20) else {
                throw ImagingError.imageTooLarge(
                    width: tile.width, height: tile.height, limit: limits.maximumPixelCount)
            }
        }

        /// Returns the error for the last report and reads of libtiff.
        func error() -> ImagingError { Self.error(source, report, isComplete: isComplete) }

        /// True if a read went beyond the end of the bytes.
        var isTruncated: Bool { source.missingByteCount > 0 }

        private static func error(
            _ source: TIFFSource, _ report: UnsafeMutablePointer<ta_tiff_report>, isComplete: Bool
        ) -> ImagingError {
            if source.missingByteCount > 0 {
                return isComplete
                    ? .truncated(.tiff) : .needsMoreData(.tiff, byteCount: source.missingByteCount)
            }
            let message = withUnsafeBytes(of: report.pointee.message) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            return .corrupt(.tiff, message.isEmpty ? "libtiff cannot read it" : message)
        }

        var info: ImageInfo {
            let space: String =
                switch Int32(photometric) {
                case PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_MINISBLACK: "Gray"
                case PHOTOMETRIC_PALETTE: "Indexed"
                case PHOTOMETRIC_SEPARATED: "CMYK"
                case PHOTOMETRIC_CIELAB, PHOTOMETRIC_ICCLAB, PHOTOMETRIC_ITULAB: "Lab"
                default: "sRGB"
                }
            return ImageInfo(
                format: .tiff, storedSize: size, orientation: orientation, bitDepth: bitsPerSample,
                hasAlpha: alpha != .none, colorSpace: profile.flatMap(ICCHeader.describe) ?? space)
        }
    }
#endif
