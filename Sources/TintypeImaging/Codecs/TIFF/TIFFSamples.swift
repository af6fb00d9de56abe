#if TIFF
    import CTIFF

    /// The decoding of strips and tiles whose samples are converted here: grey, RGB, CMYK and palettes of 1 to 32 bits, Lab of
    /// 8 and 16 bits, grey and RGB as floating point numbers, with or without alpha, contiguous or in planes.
    struct TIFFSamples {
        private let directory: TIFFDirectory
        private let layout: TIFFSampleLayout?

        init(_ directory: TIFFDirectory) {
            self.directory = directory
            layout = TIFFSampleLayout(directory)
        }

        var isSupported: Bool { layout != nil }

        func decode(_ options: DecodeOptions) throws -> DecoderOutput {
            guard let layout else { throw ImagingError.unsupportedFormat("a TIFF with unknown samples") }
            var warnings: [String] = []
            let converter = try TIFFRowConverter(directory, layout, warnings: &warnings)
            let output = try TIFFOutput(directory, options)
            do {
                try TIFFBands(directory, layout).read { rows in
                    for row in rows {
                        try output.write(isPremultiplied: converter.keepsPremultiplied) {
                            converter.convert(row, to: $0, width: directory.size.width)
                        }
                    }
                }
            } catch let error as ImagingError {
                guard options.isLenient, output.rowCount > 0 else { throw error }
            }
            return try output.finish(warnings: warnings)
        }
    }

    /// The samples of a pixel.
    struct TIFFSampleLayout {
        enum Colors { case gray, rgb, cmyk, palette, lab }

        let colors: Colors
        let colorCount: Int
        /// Number of samples that are read: the colours, and alpha if there is one.
        let usedSamples: Int
        let storedBits: Int
        /// Bits of a sample once unpacked: 8, 16, or those of a floating point number.
        let bits: Int
        let isFloat: Bool

        /// Returns nil for samples that libtiff converts.
        init?(_ directory: TIFFDirectory) {
            switch Int32(directory.photometric) {
            case PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_MINISBLACK: (colors, colorCount) = (.gray, 1)
            case PHOTOMETRIC_RGB: (colors, colorCount) = (.rgb, 3)
            case PHOTOMETRIC_SEPARATED: (colors, colorCount) = (.cmyk, 4)
            case PHOTOMETRIC_PALETTE: (colors, colorCount) = (.palette, 1)
            case PHOTOMETRIC_CIELAB, PHOTOMETRIC_ICCLAB, PHOTOMETRIC_ITULAB: (colors, colorCount) = (.lab, 3)
            default: return nil
            }
            guard directory.samplesPerPixel >= colorCount else { return nil }
            usedSamples = colorCount + (directory.alpha == .none ? 0 : 1)
            storedBits = directory.bitsPerSample
            isFloat = directory.isFloat
            if isFloat {
                guard colors == .gray || colors == .rgb, [16, 32, 64].contains(storedBits) else { return nil }
                bits = storedBits
                return
            }
            bits = storedBits <= 8 ? 8 : 16
            switch colors {
            case .lab:
                guard storedBits == 8 || storedBits == 16 else { return nil }
            case .palette:
                guard (1...16).contains(storedBits) else { return nil }
            default:
                let isUnsigned = directory.sampleFormat == Int(SAMPLEFORMAT_UINT) || directory.sampleFormat == 4
                guard isUnsigned, (1...32).contains(storedBits) else { return nil }
            }
        }

        var bytesPerSample: Int { bits / 8 }
        /// True if samples of libtiff need no unpacking.
        var isUnpacked: Bool { isFloat || storedBits == bits }

        /// Unpacks samples that do not fill bytes, most significant bit first, and those of 24 and 32 bits, in the byte order
        /// of the CPU.
        ///
        /// - Parameters:
        ///   - first: the index of the row's first sample to unpack.
        ///   - step: from one sample to unpack to the next.
        ///   - target: gets a sample at every `targetStep` bytes.
        ///   - isIndex: true for numbers that are not scaled to the whole range.
        func unpack(
            _ row: UnsafeRawPointer, first: Int, step: Int, count: Int, to target: UnsafeMutableRawPointer,
            targetStep: Int, isIndex: Bool
        ) {
            let largest = UInt64(1) << UInt64(storedBits) - 1
            let range: UInt64 = bits == 8 ? 255 : 65535
            for index in 0..<count {
                let sample = sample(row, first + index * step)
                let value = isIndex ? sample : (sample * range + largest / 2) / largest
                if bits == 8 {
                    target.storeBytes(
                        of: UInt8(truncatingIfNeeded: value), toByteOffset: index * targetStep, as: UInt8.self)
                } else {
                    target.storeBytes(
                        of: UInt16(truncatingIfNeeded: value), toByteOffset: index * targetStep, as: UInt16.self)
                }
            }
        }

        private func sample(_ row: UnsafeRawPointer, _ index: Int) -> UInt64 {
            switch storedBits {
            case 8: return UInt64(row.load(fromByteOffset: index, as: UInt8.self))
            case 16: return UInt64(row.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
            case 32: return UInt64(row.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
            case 24:
                let first = UInt64(row.load(fromByteOffset: index * 3, as: UInt8.self))
                let middle = UInt64(row.load(fromByteOffset: index * 3 + 1, as: UInt8.self))
                let last = UInt64(row.load(fromByteOffset: index * 3 + 2, as: UInt8.self))
                #if _endian(big)
                    return first << 16 | middle << 8 | last
                #else
                    return last << 16 | middle << 8 | first
                #endif
            default:
                var position = index * storedBits
                var left = storedBits
                var value: UInt64 = 0
                while left > 0 {
                    let byte = UInt64(row.load(fromByteOffset: position / 8, as: UInt8.self))
                    let available = 8 - position % 8
                    let taken = min(available, left)
                    value = value << UInt64(taken) | byte >> UInt64(available - taken) & (1 << UInt64(taken) - 1)
                    position += taken
                    left -= taken
                }
                return value
            }
        }
    }
#endif
