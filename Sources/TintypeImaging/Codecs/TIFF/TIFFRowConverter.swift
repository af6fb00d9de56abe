#if TIFF
    import CPixelKernels
    import CTIFF

    /// The conversion of interleaved samples to straight RGBA8 in sRGB, or to premultiplied RGBA8 if the file stores that and
    /// needs no conversion of colours.
    final class TIFFRowConverter {
        private let colors: TIFFSampleLayout.Colors
        private let colorCount: Int
        private let usedSamples: Int
        private let isWide: Bool
        private let isInverted: Bool
        private let isAssociated: Bool
        private let conversion: ColorConversion
        private let cmyk: ColorTransform?
        private let palette: TIFFPalette?
        private let lab: TIFFLab
        private let wideRow: KernelBuffer<UInt16>
        private var wide: UnsafeMutablePointer<UInt16> { wideRow.base }
        /// Bits of a floating point number; 0 for integers.
        private let floatBits: Int
        private let narrowedRow: KernelBuffer<UInt16>
        private var narrowed: UnsafeMutablePointer<UInt16> { narrowedRow.base }

        /// - Throws: `corrupt` if a palette is missing.
        init(_ directory: TIFFDirectory, _ layout: TIFFSampleLayout, warnings: inout [String]) throws {
            colors = layout.colors
            colorCount = layout.colorCount
            usedSamples = layout.usedSamples
            floatBits = layout.isFloat ? layout.bits : 0
            isWide = layout.bits == 16 || layout.isFloat
            isInverted = directory.photometric == Int(PHOTOMETRIC_MINISWHITE)
            isAssociated = directory.alpha == .associated
            palette = colors == .palette ? try TIFFPalette(directory) : nil
            lab = TIFFLab(photometric: directory.photometric, isWide: isWide)
            cmyk =
                colors == .cmyk
                ? ColorManagement.transform(
                    profile: directory.profile, model: .cmyk, layout: .cmyk8, warnings: &warnings) : nil
            // A profile of inks or of Lab does not apply to the converted RGB.
            let profile = colors == .cmyk || colors == .lab ? nil : directory.profile
            // Without a profile floating point numbers are linear light.
            let light = CodingIndependentCodePoints(primaries: 1, transfer: 8, matrix: 0, isFullRange: true)
            conversion = ColorConversion(
                profile: profile, codePoints: floatBits > 0 ? light : nil,
                isWide: isWide && (colors == .gray || colors == .rgb), isGray: colors == .gray, warnings: &warnings)
            wideRow = try KernelBuffer(count: isWide ? directory.size.width * 4 : 1)
            narrowedRow = try KernelBuffer(count: floatBits > 0 ? directory.size.width * usedSamples : 1)
        }

        /// True if converted rows are premultiplied.
        var keepsPremultiplied: Bool {
            isAssociated && conversion.isIdentity && (colors == .gray || colors == .rgb)
        }

        func convert(_ row: UnsafeRawPointer, to target: UnsafeMutablePointer<UInt8>, width: Int) {
            if colors == .cmyk {
                convertCMYK(row, to: target, width: width)
            } else if colors == .palette || colors == .lab {
                convertIndirect(row, to: target, width: width)
            } else if floatBits > 0 {
                narrow(row, count: width * usedSamples)
                expand(narrowed, to: wide, width: width, opaque: .max)
                if isAssociated, !keepsPremultiplied { WideSamples.unpremultiply(wide, pixelCount: width) }
                conversion.convert(wide, to: target, pixelCount: width)
            } else if isWide {
                expand(row.assumingMemoryBound(to: UInt16.self), to: wide, width: width, opaque: .max)
                if isAssociated, !keepsPremultiplied { WideSamples.unpremultiply(wide, pixelCount: width) }
                conversion.convert(wide, to: target, pixelCount: width)
            } else {
                expand(row.assumingMemoryBound(to: UInt8.self), to: target, width: width, opaque: .max)
                if isAssociated, !keepsPremultiplied { StraightPixels.unpremultiply(target, width: width) }
                conversion.convert(target, pixelCount: width)
            }
        }

        /// Converts numbers from 0 to 1 to 16 bits; a NaN becomes black.
        private func narrow(_ row: UnsafeRawPointer, count: Int) {
            for index in 0..<count {
                let value: Double =
                    switch floatBits {
                    case 16: Self.half(row.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
                    case 32: Double(row.loadUnaligned(fromByteOffset: index * 4, as: Float.self))
                    default: row.loadUnaligned(fromByteOffset: index * 8, as: Double.self)
                    }
                narrowed[index] = value > 0 ? UInt16(min(value, 1) * 65535 + 0.5) : 0
            }
        }

        /// Converts IEEE 754 binary16, which not every machine has.
        private static func half(_ bits: UInt16) -> Double {
            let (exponent, fraction) = (Int(bits >> 10 & 31), Double(bits & 1023))
            let size =
                switch exponent {
                case 0: fraction * 0x1p-24
                case 31: fraction == 0 ? Double.infinity : .nan
                default: Double(sign: .plus, exponent: exponent - 15, significand: 1 + fraction / 1024)
                }
            return bits >> 15 == 0 ? size : -size
        }

        private func expand<Sample: FixedWidthInteger>(
            _ row: UnsafePointer<Sample>, to target: UnsafeMutablePointer<Sample>, width: Int, opaque: Sample
        ) {
            let hasAlpha = usedSamples > colorCount
            for x in 0..<width {
                let (source, pixel) = (row + x * usedSamples, target + x * 4)
                if colorCount == 1 {
                    let gray = isInverted ? opaque - source[0] : source[0]
                    pixel[0] = gray
                    pixel[1] = gray
                    pixel[2] = gray
                } else {
                    for channel in 0..<3 { pixel[channel] = source[channel] }
                }
                pixel[3] = hasAlpha ? source[colorCount] : opaque
            }
        }

        /// Converts palettes and Lab, whose colours are never premultiplied.
        private func convertIndirect(_ row: UnsafeRawPointer, to target: UnsafeMutablePointer<UInt8>, width: Int) {
            if let palette {
                for x in 0..<width {
                    let index = x * usedSamples
                    palette.write(
                        isWide
                            ? Int(row.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
                            : Int(row.load(fromByteOffset: index, as: UInt8.self)),
                        to: target + x * 4)
                }
            } else {
                lab.convert(row, samplesPerPixel: usedSamples, to: target, width: width)
            }
            for x in 0..<width {
                target[x * 4 + 3] = usedSamples > colorCount ? sample(row, x * usedSamples + colorCount) : 255
            }
            conversion.convert(target, pixelCount: width)
        }

        /// Converts CMYK through 8 bits, and keeps alpha.
        private func convertCMYK(_ row: UnsafeRawPointer, to target: UnsafeMutablePointer<UInt8>, width: Int) {
            for x in 0..<width {
                for ink in 0..<4 { target[x * 4 + ink] = sample(row, x * usedSamples + ink) }
            }
            if let cmyk {
                cmyk.convert(from: target, to: target, pixelCount: width)
            } else {
                ck_cmyk_to_rgba(target, target, width, 0)
            }
            guard usedSamples > 4 else { return }
            for x in 0..<width { target[x * 4 + 3] = sample(row, x * usedSamples + 4) }
        }

        private func sample(_ row: UnsafeRawPointer, _ index: Int) -> UInt8 {
            guard isWide else { return row.load(fromByteOffset: index, as: UInt8.self) }
            let value = UInt32(row.load(fromByteOffset: index * 2, as: UInt16.self))
            return UInt8((value * 255 + 32_895) >> 16)
        }
    }

    /// The colours of a palette as RGB of 8 bits.
    private struct TIFFPalette {
        private let colors: [(UInt8, UInt8, UInt8)]

        init(_ directory: TIFFDirectory) throws {
            var (red, green, blue): (UnsafePointer<UInt16>?, UnsafePointer<UInt16>?, UnsafePointer<UInt16>?)
            guard ta_tiff_palette(directory.handle, &red, &green, &blue) != 0, let red, let green, let blue else {
                throw ImagingError.corrupt(.tiff, "it has no palette")
            }
            let columns = [red, green, blue].map {
                UnsafeBufferPointer(start: $0, count: 1 << directory.bitsPerSample)
            }
            // Old writers store 8 bits where the specification has 16.
            let isNarrow = columns.allSatisfy { $0.allSatisfy { $0 < 256 } }
            // The upper byte is right for writers that repeat 8 bits and for those that shift them.
            func narrow(_ value: UInt16) -> UInt8 { UInt8(truncatingIfNeeded: isNarrow ? value : value >> 8) }
            colors = (0..<columns[0].count).map { index in
                (narrow(columns[0][index]), narrow(columns[1][index]), narrow(columns[2][index]))
            }
        }

        /// - Parameter target: gets RGB; alpha is not written.
        func write(_ index: Int, to target: UnsafeMutablePointer<UInt8>) {
            (target[0], target[1], target[2]) = colors.indices.contains(index) ? colors[index] : (0, 0, 0)
        }
    }
#endif
