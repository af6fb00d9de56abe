#if TIFF
    import CTIFF

    /// The conversion of CIE L*a*b* relative to D50, in the three encodings of TIFF, to sRGB.
    struct TIFFLab {
        private let photometric: Int32
        private let isWide: Bool

        init(photometric: Int, isWide: Bool) {
            self.photometric = Int32(photometric)
            self.isWide = isWide
        }

        /// - Parameters:
        ///   - row: samples of 8 or 16 bits, `samplesPerPixel` to the pixel.
        ///   - target: gets RGBA; alpha is not written.
        func convert(
            _ row: UnsafeRawPointer, samplesPerPixel: Int, to target: UnsafeMutablePointer<UInt8>, width: Int
        ) {
            for x in 0..<width {
                let index = x * samplesPerPixel
                let (lightness, a, b) = lab(sample(row, index), sample(row, index + 1), sample(row, index + 2))
                Self.convert(lightness, a, b, to: target + x * 4)
            }
        }

        private func sample(_ row: UnsafeRawPointer, _ index: Int) -> Int {
            isWide
                ? Int(row.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
                : Int(row.load(fromByteOffset: index, as: UInt8.self))
        }

        private func lab(_ lightness: Int, _ a: Int, _ b: Int) -> (Float, Float, Float) {
            let unit: Float = isWide ? 256 : 1
            switch photometric {
            case PHOTOMETRIC_ICCLAB:
                // 16 bits as in version 2 of the ICC specification: FF00 is 100.
                return (
                    Float(lightness) * 100 / (isWide ? 65280 : 255), Float(a) / unit - 128, Float(b) / unit - 128
                )
            case PHOTOMETRIC_ITULAB:
                // The ranges of ITU-T T.42 for files without a `Decode` tag.
                let largest: Float = isWide ? 65535 : 255
                return (
                    Float(lightness) * 100 / largest, (Float(a) / unit - 128) * 170 * unit / largest,
                    (Float(b) / unit - 96) * 200 * unit / largest
                )
            default:
                func signed(_ value: Int) -> Float {
                    isWide ? Float(Int16(truncatingIfNeeded: value)) / 256 : Float(Int8(truncatingIfNeeded: value))
                }
                return (Float(lightness) * 100 / (isWide ? 65535 : 255), signed(a), signed(b))
            }
        }

        private static func convert(_ lightness: Float, _ a: Float, _ b: Float, to pixel: UnsafeMutablePointer<UInt8>) {
            func inverse(_ value: Float) -> Float {
                value > 6 / 29 ? value * value * value : (value - 16 / 116) * 108 / 841
            }
            let middle = (lightness + 16) / 116
            // The white point of D50.
            let x = 0.96422 * inverse(middle + a / 500)
            let y = inverse(middle)
            let z = 0.82521 * inverse(middle - b / 200)
            // To linear sRGB, with the Bradford adaptation to D65.
            pixel[0] = step(3.1338561 * x - 1.6168667 * y - 0.4906146 * z)
            pixel[1] = step(-0.9787684 * x + 1.9161415 * y + 0.0334540 * z)
            pixel[2] = step(0.0719453 * x - 0.2289914 * y + 1.4052427 * z)
        }

        private static let stepCount: Float = 16383
        /// The curve of sRGB.
        private static let steps: [UInt8] = (0...Int(stepCount)).map { index in
            UInt8((SRGBTransfer.fromLinear(Double(index) / Double(stepCount)) * 255).rounded())
        }

        private static func step(_ light: Float) -> UInt8 {
            steps[Int(min(max(light, 0), 1) * stepCount + 0.5)]
        }
    }
#endif
