import CLCMS
import Foundation
import Testing

@testable import TintypeImaging

/// Profiles of curves and a matrix, against the formula in double precision.
@Suite struct MatrixConversionTests {
    /// Display P3 and Adobe RGB, adapted to D50 as their profiles carry them.
    enum Space: CaseIterable {
        case displayP3, adobeRGB

        var columns: [[Double]] {
            switch self {
            case .displayP3: [[0.5151, 0.2412, -0.0011], [0.2920, 0.6922, 0.0419], [0.1571, 0.0666, 0.7841]]
            case .adobeRGB: [[0.6097, 0.3111, 0.0195], [0.2053, 0.6257, 0.0609], [0.1492, 0.0632, 0.7446]]
            }
        }

        var gamma: Double { self == .adobeRGB ? 563.0 / 256 : 2.2 }

        var profile: Data {
            ICCBuilder.rgb(red: columns[0], green: columns[1], blue: columns[2], gamma: (gamma * 256).rounded() / 256)
        }

        /// To sRGB, 0…255, not rounded.
        func expected(_ sample: [Double]) -> [Double] {
            let exponent = (gamma * 256).rounded() / 256
            let light = sample.map { pow($0, exponent) }
            let columns = columns
            let xyz = (0..<3).map { (row: Int) -> Double in
                columns[0][row] * light[0] + columns[1][row] * light[1] + columns[2][row] * light[2]
            }
            // XYZ (D50) to linear sRGB, the inverse of what the standard's profile says.
            let inverse: [Double] = [
                3.1338561, -1.6168667, -0.4906146, -0.9787684, 1.9161415, 0.0334540, 0.0719453, -0.2289914, 1.4052427,
            ]
            return [0, 3, 6].map { (row: Int) -> Double in
                let sum = inverse[row] * xyz[0] + inverse[row + 1] * xyz[1] + inverse[row + 2] * xyz[2]
                let value = min(max(sum, 0), 1)
                return (value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055) * 255
            }
        }
    }

    private func conversion(_ profile: Data) throws -> MatrixConversion? {
        let opened = try #require(ColorSource.profile(profile).openProfile())
        let sRGB = try #require(cmsCreate_sRGBProfile())
        defer {
            cmsCloseProfile(opened)
            cmsCloseProfile(sRGB)
        }
        return MatrixConversion(profile: opened, sRGB: sRGB)
    }

    /// Every third number of each channel, with alphas that must come through.
    private func samples() -> [UInt8] {
        var samples: [UInt8] = []
        let levels = Array(stride(from: UInt8(0), through: 252, by: 12)) + [1, 2, 3, 5, 255]
        for red in levels {
            for green in levels { for blue in levels { samples += [red, green, blue, red ^ blue] } }
        }
        return samples
    }

    @Test("Wide gamuts are within one step of the formula, 8 and 16 bits", arguments: Space.allCases)
    func formula(space: Space) throws {
        let conversion = try #require(try conversion(space.profile))
        let samples = samples()
        let count = samples.count / 4
        var (narrow, fromWide) = (samples, samples)
        conversion.convert(samples, to: &narrow, pixelCount: count)
        conversion.convert(samples.map { UInt16($0) * 257 }, to: &fromWide, pixelCount: count)
        var worst = 0.0
        for pixel in 0..<count {
            let expected = space.expected((0..<3).map { Double(samples[pixel * 4 + $0]) / 255 })
            for channel in 0..<3 {
                worst = max(worst, abs(Double(narrow[pixel * 4 + channel]) - expected[channel]))
                worst = max(worst, abs(Double(fromWide[pixel * 4 + channel]) - expected[channel]))
            }
            #expect(
                narrow[pixel * 4 + 3] == samples[pixel * 4 + 3] && fromWide[pixel * 4 + 3] == samples[pixel * 4 + 3])
        }
        #expect(worst <= 1)
        // The formula itself is off by less than that, so the bound means something: not even one step is the rule.
        #expect(worst > 0.3)
    }

    @Test("16 bits keep what 8 bits cannot hold") func wideSamples() throws {
        let conversion = try #require(try conversion(Space.adobeRGB.profile))
        for value in stride(from: 0, through: 65535, by: 111) {
            let source = [UInt16(value), UInt16(65535 - value), UInt16(value / 2), 65535]
            var result = [UInt8](repeating: 0, count: 4)
            conversion.convert(source, to: &result, pixelCount: 1)
            let expected = Space.adobeRGB.expected(source.prefix(3).map { Double($0) / 65535 })
            for channel in 0..<3 { #expect(abs(Double(result[channel]) - expected[channel]) <= 1) }
        }
    }

    @Test("In place and through the facade it is the same") func inPlace() throws {
        var warnings: [String] = []
        let transform = try #require(
            ColorManagement.transform(
                profile: Space.displayP3.profile, model: .rgb, layout: .rgba8, warnings: &warnings))
        let conversion = try #require(try conversion(Space.displayP3.profile))
        var (direct, inPlace) = (samples(), samples())
        conversion.convert(samples(), to: &direct, pixelCount: direct.count / 4)
        inPlace.withUnsafeMutableBytes {
            guard let base = $0.baseAddress else { return }
            transform.convert(from: base, to: base, pixelCount: $0.count / 4)
        }
        #expect(direct == inPlace && warnings.isEmpty)
    }

    @Test("Profiles with tables, grey ones and damaged ones are left to lcms") func others() throws {
        let gray = try #require(ColorSource.profile(ICCBuilder.gray(gamma: 2.2)).openProfile())
        let sRGB = try #require(cmsCreate_sRGBProfile())
        let lab = try #require(cmsCreateLab4Profile(nil))
        defer { for profile in [gray, sRGB, lab] { cmsCloseProfile(profile) } }
        #expect(MatrixConversion(profile: gray, sRGB: sRGB) == nil)
        #expect(MatrixConversion(profile: lab, sRGB: sRGB) == nil)
        // Primaries on one line have no inverse, and make no difference to the direction that is used.
        let flat = ICCBuilder.rgb(red: [0.3, 0.3, 0.3], green: [0.3, 0.3, 0.3], blue: [0.3, 0.3, 0.3], gamma: 2.2)
        _ = try conversion(flat)
        // A table in the profile is what counts for lcms, whatever the matrix says.
        let opened = try #require(ColorSource.profile(Space.displayP3.profile).openProfile())
        defer { cmsCloseProfile(opened) }
        let pipeline = try #require(cmsPipelineAlloc(nil, 3, 3))
        defer { cmsPipelineFree(pipeline) }
        #expect(cmsWriteTag(opened, cmsSigAToB0Tag, UnsafeRawPointer(pipeline)) != 0)
        #expect(MatrixConversion(profile: opened, sRGB: sRGB) == nil)
    }
}
