import CLCMS
import CWebP
import Foundation
import Testing

@testable import TintypeImaging

/// ICC profiles and EXIF in WebP.
@Suite struct WebPColorTests {
    private enum Kind: CaseIterable { case displayP3, gray, junk }

    /// Profiles made by lcms, as bytes.
    private func profile(_ kind: Kind) throws -> [UInt8] {
        if kind == .junk { return (0..<1024).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ 7) } }
        var white = cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
        let curve = try #require(cmsBuildGamma(nil, 2.2))
        defer { cmsFreeToneCurve(curve) }
        let profile: cmsHPROFILE?
        if kind == .gray {
            profile = cmsCreateGrayProfile(&white, curve)
        } else {
            var primaries = cmsCIExyYTRIPLE(
                Red: cmsCIExyY(x: 0.680, y: 0.320, Y: 1), Green: cmsCIExyY(x: 0.265, y: 0.690, Y: 1),
                Blue: cmsCIExyY(x: 0.150, y: 0.060, Y: 1))
            var curves: [OpaquePointer?] = [curve, curve, curve]
            profile = cmsCreateRGBProfile(&white, &primaries, &curves)
        }
        let made = try #require(profile)
        defer { cmsCloseProfile(made) }
        var count: UInt32 = 0
        cmsSaveProfileToMem(made, nil, &count)
        var bytes = [UInt8](repeating: 0, count: Int(count))
        cmsSaveProfileToMem(made, &bytes, &count)
        return bytes
    }

    private func webp(_ bitmap: Bitmap, chunks: [String: [UInt8]]) throws -> Data {
        var options = EncodeOptions()
        options.isLossless = true
        let plain = try WebPEncoder().encode(bitmap, options: options)
        let mux = try #require(WebPMuxNew())
        defer { WebPMuxDelete(mux) }
        func withChunk<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<WebPData>) -> Result) -> Result {
            bytes.withUnsafeBufferPointer { buffer in
                var data = WebPData(bytes: buffer.baseAddress, size: buffer.count)
                return body(&data)
            }
        }
        #expect(withChunk([UInt8](plain)) { WebPMuxSetImage(mux, $0, 1) } == WEBP_MUX_OK)
        for (name, content) in chunks {
            #expect(withChunk(content) { WebPMuxSetChunk(mux, name, $0, 1) } == WEBP_MUX_OK)
        }
        var assembled = WebPData()
        #expect(WebPMuxAssemble(mux, &assembled) == WEBP_MUX_OK)
        defer { WebPDataClear(&assembled) }
        return Data(bytes: try #require(assembled.bytes), count: assembled.size)
    }

    // Scenario S25 of the conformance list.
    @Test("A Display P3 profile is converted to sRGB") func displayP3() throws {
        let colors = [Pixel(200, 40, 30), Pixel(20, 180, 60), Pixel(120, 120, 120), Pixel(255, 0, 0)]
        let profile = try profile(.displayP3)
        let data = try webp(try .made(4, 1, isOpaque: true) { x, _ in colors[x] }, chunks: ["ICCP": profile])
        let output = try WebPDecoder().decode(data, options: DecodeOptions())
        #expect(output.warnings.isEmpty)
        let source = try #require(cmsOpenProfileFromMem(profile, UInt32(profile.count)))
        let target = try #require(cmsCreate_sRGBProfile())
        // RGB, three channels of a byte.
        let format = UInt32(PT_RGB << 16 | 3 << 3 | 1)
        let transform = try #require(cmsCreateTransform(source, format, target, format, UInt32(INTENT_PERCEPTUAL), 0))
        for (x, color) in colors.enumerated() {
            var (from, to) = ([color.red, color.green, color.blue], [UInt8](repeating: 0, count: 3))
            cmsDoTransform(transform, &from, &to, 1)
            #expect(output.bitmap.pixel(x, 0).distance(to: Pixel(to[0], to[1], to[2])) <= 2)
        }
        // The conversion shows: P3's red is redder than sRGB can say.
        #expect(output.bitmap.pixel(0, 0).distance(to: colors[0]) > 8)
        cmsDeleteTransform(transform)
        cmsCloseProfile(source)
        cmsCloseProfile(target)
    }

    // Scenario S25 of the conformance list.
    @Test("Alpha stays and colours are converted before they are multiplied") func alpha() throws {
        let profile = try profile(.displayP3)
        let half = try Bitmap.made(2, 1) { x, _ in x == 0 ? Pixel(100, 20, 15, 128) : .clear }
        let output = try WebPDecoder().decode(try webp(half, chunks: ["ICCP": profile]), options: DecodeOptions())
        let whole = try Bitmap.made(1, 1, isOpaque: true) { _, _ in Pixel(199, 40, 30) }
        let solid = try WebPDecoder().decode(try webp(whole, chunks: ["ICCP": profile]), options: DecodeOptions())
        let multiplied: Pixel = output.bitmap.pixel(0, 0)
        let color: Pixel = solid.bitmap.pixel(0, 0)
        let red = Int(multiplied.red) * 255 / 128
        let green = Int(multiplied.green) * 255 / 128
        #expect(multiplied.alpha == 128)
        #expect(abs(red - Int(color.red)) <= 2)
        #expect(abs(green - Int(color.green)) <= 2)
        #expect(output.bitmap.pixel(1, 0) == .clear)
    }

    // Scenario S25 of the conformance list.
    @Test("A grey profile and junk are ignored with a warning") func unsuitableProfiles() throws {
        let bitmap = try Bitmap.gradient(8, 8)
        for kind in [Kind.gray, .junk] {
            let data = try webp(bitmap, chunks: ["ICCP": try profile(kind)])
            let output = try WebPDecoder().decode(data, options: DecodeOptions())
            #expect(output.bitmap.distance(to: bitmap) == 0)
            #expect(output.warnings.count == 1 && output.warnings[0].contains("ICC"))
        }
    }

    @Test func profileOverTheMetadataLimitIsIgnored() throws {
        var options = DecodeOptions()
        options.limits.maximumMetadataByteCount = 100
        let bitmap = try Bitmap.gradient(8, 8)
        let data = try webp(bitmap, chunks: ["ICCP": try profile(.displayP3)])
        let output = try WebPDecoder().decode(data, options: options)
        #expect(output.bitmap.distance(to: bitmap) == 0 && output.warnings.count == 1)
    }

    /// A TIFF header with one entry: Orientation.
    private func exif(_ value: Int) -> [UInt8] {
        var bytes = ByteBuilder()
        bytes.ascii("II")
        bytes.u16(42)
        bytes.u32(8)
        bytes.u16(1, 0x0112, 3)
        bytes.u32(1)
        bytes.u16(value, 0)
        bytes.u32(0)
        return bytes.bytes
    }

    // Scenario S01 of the conformance list.
    @Test("EXIF orientation in WebP", arguments: 0...9) func orientation(value: Int) throws {
        let bitmap = try Bitmap.gradient(20, 10)
        let data = try webp(bitmap, chunks: ["EXIF": exif(value)])
        let expected = ImageOrientation(rawValue: value) ?? .up
        let decoded = try ImageCodecs.standard.decode(data)
        #expect(decoded.info.orientation == expected)
        #expect(decoded.bitmap.distance(to: try bitmap.oriented(expected)) == 0)
        // The chunk is behind the image: a prefix cannot tell.
        #expect(throws: ImagingError.needsMoreData(.webp, byteCount: data.count)) {
            try WebPDecoder().info(data.prefix(100), isComplete: false, limits: DecodeLimits())
        }
    }
}
