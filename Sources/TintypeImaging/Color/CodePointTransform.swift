import TintypeBase

/// The transform from colours with code points (ITU-T H.273) to sRGB: wide gamuts, other curves, and PQ and HLG, whose
/// light is mapped to the range of an SDR screen.
struct CodePointTransform {
    private let curve: TransferCurve
    private let light: [Float]
    private let matrix: [Float]
    /// Used where no light has to be mapped.
    private let simple: MatrixConversion?

    /// Returns nil if the samples are sRGB already, or if the primaries are unknown: converters that copy only one field
    /// leave a curve without primaries.
    init?(_ points: CodingIndependentCodePoints) {
        curve = TransferCurve(codePoint: points.transfer)
        let matrix = PrimariesMatrix(codePoint: points.primaries)
        guard points.primaries == 1 || matrix != nil else { return nil }
        guard matrix != nil || curve != .sRGB else { return nil }
        light = curve.light
        let values = matrix?.values ?? [1, 0, 0, 0, 1, 0, 0, 0, 1]
        self.matrix = values
        guard curve != .hlg, curve != .pq else {
            simple = nil
            return
        }
        let table = light
        let interpolated: (Double) -> Double = { sample in
            let place = min(max(sample, 0), 1) * 65535
            let lower = min(Int(place), 65534)
            return Double(table[lower]) + Double(table[lower + 1] - table[lower]) * (place - Double(lower))
        }
        simple = MatrixConversion(
            curves: [interpolated, interpolated, interpolated], matrix: values.map { Double($0) })
    }

    /// Converts straight RGBA of 8 or 16 bits to straight RGBA8. For 8 bits the target may be the source.
    /// - Parameter scale: the factor from samples of the source to 16 bits: 257 or 1.
    func convert<Sample: UnsignedInteger>(
        _ source: UnsafePointer<Sample>, to target: UnsafeMutablePointer<UInt8>, scale: Int, pixelCount: Int
    ) {
        if let simple {
            if let bytes = source as? UnsafePointer<UInt8> {
                return simple.convert(bytes, to: target, pixelCount: pixelCount)
            }
            if let words = source as? UnsafePointer<UInt16>, scale == 1 {
                return simple.convert(words, to: target, pixelCount: pixelCount)
            }
        }
        light.withUnsafeBufferPointer { light in
            for index in 0..<pixelCount {
                let from = source + index * 4
                let alpha = Int(from[3]) * scale
                var color = SIMD3(
                    light[Int(from[0]) * scale], light[Int(from[1]) * scale], light[Int(from[2]) * scale])
                if curve == .hlg { color *= Self.systemGain(color) }
                if curve == .hlg || curve == .pq { color *= ToneCurve.factor(color.max()) }
                let to = target + index * 4
                for channel in 0..<3 {
                    let row = channel * 3
                    let value = matrix[row] * color.x + matrix[row + 1] * color.y + matrix[row + 2] * color.z
                    to[channel] = SRGBTransfer.numbers[Int(min(max(value, 0), 1) * 65535 + 0.5)]
                }
                to[3] = UInt8((alpha * 255 + 32_895) >> 16)
            }
        }
    }

    /// Returns the factor from light at an HLG camera to light on a screen of 1,000 cd/m² (ITU-R BT.2100-2, table 5, the
    /// OOTF with gamma 1.2), in units of the reference white.
    private static func systemGain(_ color: SIMD3<Float>) -> Float {
        let luminance = 0.2627 * color.x + 0.6780 * color.y + 0.0593 * color.z
        return Float(1000 / TransferCurve.referenceWhite) * powf(max(luminance, 0), 0.2)
    }
}
