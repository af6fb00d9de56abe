import CLCMS
import CPixelKernels

/// The conversion of RGB with three curves and a matrix to sRGB, for most profiles of screens and cameras (ICC.1:2010,
/// §8.3): four times as fast as lcms, and rounded only at the end. Immutable.
final class MatrixConversion: @unchecked Sendable {
    // Written in `init` only.
    private let products: UnsafeMutablePointer<(Float, Float, Float, Float)>
    private let light: UnsafeMutablePointer<Float>
    private let columns: UnsafeMutablePointer<(Float, Float, Float, Float)>

    private static let steps = 4096

    /// - Parameters:
    ///   - curves: three, from the sample of a channel, 0…1, to light.
    ///   - matrix: from light to the light of the primaries of sRGB, row by row.
    init(curves: [(Double) -> Double], matrix: [Double]) {
        // Vectors must be aligned to their size.
        func vectors(_ count: Int) -> UnsafeMutablePointer<(Float, Float, Float, Float)> {
            UnsafeMutableRawPointer.allocate(byteCount: count * 16, alignment: 16)
                .bindMemory(to: (Float, Float, Float, Float).self, capacity: count)
        }
        products = vectors(3 * 256)
        columns = vectors(3)
        light = .allocate(capacity: 3 * (Self.steps + 1))
        for channel in 0..<3 {
            let column = (0..<3).map { matrix[$0 * 3 + channel] * 65535 }
            (columns + channel).initialize(to: (Float(column[0]), Float(column[1]), Float(column[2]), 0))
            let half = channel == 0 ? 0.5 : 0
            for number in 0..<256 {
                let value = curves[channel](Double(number) / 255)
                (products + channel * 256 + number).initialize(
                    to: (
                        Float(column[0] * value + half), Float(column[1] * value + half),
                        Float(column[2] * value + half), 0
                    ))
            }
            for step in 0...Self.steps {
                (light + channel * (Self.steps + 1) + step).initialize(
                    to: Float(curves[channel](Double(step) / Double(Self.steps))))
            }
        }
    }

    deinit {
        UnsafeMutableRawPointer(products).deallocate()
        UnsafeMutableRawPointer(columns).deallocate()
        light.deallocate()
    }

    /// Converts straight RGBA8; the target may be the source.
    func convert(_ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        SRGBTransfer.numbers.withUnsafeBufferPointer { numbers in
            ck_convert_matrix8(source, target, pixelCount, products, numbers.baseAddress)
        }
    }

    /// Converts straight RGBA16 in the byte order of the CPU to straight RGBA8.
    func convert(_ source: UnsafePointer<UInt16>, to target: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        SRGBTransfer.numbers.withUnsafeBufferPointer { numbers in
            ck_convert_matrix16(source, target, pixelCount, light, columns, numbers.baseAddress)
        }
    }
}

extension MatrixConversion {
    /// Creates the conversion for a profile with only curves and a matrix; nil if the floating-point transform of lcms
    /// differs.
    convenience init?(profile: cmsHPROFILE, sRGB: cmsHPROFILE) {
        // lcms prefers a table of colours in the profile.
        let tables = [cmsSigAToB0Tag, cmsSigAToB1Tag, cmsSigAToB2Tag, cmsSigDToB0Tag, cmsSigDToB1Tag, cmsSigDToB2Tag]
        guard cmsIsMatrixShaper(profile) != 0, tables.allSatisfy({ cmsIsTag(profile, $0) == 0 }),
            let source = Self.colorants(profile), let target = Self.colorants(sRGB),
            let inverse = Matrix3.inverse(target)
        else { return nil }
        let curves = [cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag].compactMap { tag in
            cmsReadTag(profile, tag).map { OpaquePointer($0) }
        }
        guard curves.count == 3 else { return nil }
        self.init(
            curves: curves.map { curve in { Double(cmsEvalToneCurveFloat(curve, Float($0))) } },
            matrix: Matrix3.product(inverse, source))
        guard agrees(profile: profile, sRGB: sRGB) else { return nil }
    }

    /// Returns the primaries as columns, row by row.
    private static func colorants(_ profile: cmsHPROFILE) -> [Double]? {
        let columns = [cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag].compactMap { tag in
            cmsReadTag(profile, tag).map { $0.load(as: cmsCIEXYZ.self) }
        }
        guard columns.count == 3 else { return nil }
        return columns.map(\.X) + columns.map(\.Y) + columns.map(\.Z)
    }

    /// Returns whether samples from the whole cube are converted within one step of the result of lcms.
    private func agrees(profile: cmsHPROFILE, sRGB: cmsHPROFILE) -> Bool {
        guard
            let transform = cmsCreateTransform(
                profile, LCMSFormat.rgbFloat, sRGB, LCMSFormat.rgbFloat, UInt32(INTENT_PERCEPTUAL),
                UInt32(cmsFLAGS_NOOPTIMIZE))
        else { return false }
        defer { cmsDeleteTransform(transform) }
        let levels: [UInt8] = [0, 1, 4, 12, 30, 64, 110, 160, 208, 240, 255]
        var samples: [UInt8] = []
        for red in levels {
            for green in levels { for blue in levels { samples += [red, green, blue, 255] } }
        }
        for level in 0...255 { samples += [UInt8(level), UInt8(level), UInt8(level), 255] }
        let count = samples.count / 4
        var expected = [Float](repeating: 0, count: count * 3)
        let inputs = (0..<count * 3).map { Float(samples[$0 / 3 * 4 + $0 % 3]) / 255 }
        cmsDoTransform(transform, inputs, &expected, UInt32(count))
        let wide = samples.map { UInt16($0) * 257 }
        var (narrowed, results) = (samples, samples)
        convert(samples, to: &results, pixelCount: count)
        convert(wide, to: &narrowed, pixelCount: count)
        return (0..<count * 3).allSatisfy { index in
            let value = min(max(Double(expected[index]), 0), 1) * 255
            let place = index / 3 * 4 + index % 3
            return abs(Double(results[place]) - value) <= 1 && abs(Double(narrowed[place]) - value) <= 1
        }
    }
}
