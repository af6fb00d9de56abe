import Foundation
import Testing

@testable import TintypeImaging

@Suite("PNG colours") struct PNGColorTests {
    private func image(type: Int, depth: Int = 8, _ sample: Int..., chunks: (inout PNGBuilder) -> Void) throws
        -> DecoderOutput
    {
        let samples = PNGSamples(width: 2, height: 2, colorType: type, depth: depth) { _, _, channel in sample[channel]
        }
        return try PNGDecoder().decode(samples.file(before: chunks), options: DecodeOptions())
    }

    private func addProfile(_ profile: Data, to builder: inout PNGBuilder) {
        builder.chunk("iCCP", Array("name".utf8) + [0, 0] + PNGBuilder.zlib([UInt8](profile)))
    }

    private static func encode(_ light: Double) -> Double {
        (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055) * 255
    }

    @Test("gAMA of 1: samples are light; 1/2.2 and an sRGB chunk change nothing", arguments: [8, 16])
    func gamma(depth: Int) throws {
        let maximum = (1 << depth) - 1
        let half = maximum / 2
        let linear = try image(type: 2, depth: depth, half, half / 2, 0) {
            $0.chunk("gAMA", PNGBuilder.big32(100_000))
        }
        let expected = [0.5, 0.25, 0].map { UInt8(Self.encode($0).rounded()) }
        #expect(linear.bitmap.pixel(0, 0).distance(to: Pixel(expected[0], expected[1], expected[2])) <= 1)
        for chunks in [[("gAMA", PNGBuilder.big32(45_455))], [("sRGB", [0]), ("gAMA", PNGBuilder.big32(100_000))]] {
            let same = try image(type: 2, depth: depth, half, half / 2, 0) { builder in
                for (name, contents) in chunks { builder.chunk(name, contents) }
            }
            #expect(same.bitmap.pixel(0, 0).distance(to: Pixel(127, 63, 0)) <= 1)
        }
        let absurd = try image(type: 2, depth: depth, half, half, 0) { $0.chunk("gAMA", PNGBuilder.big32(1)) }
        #expect(absurd.bitmap.pixel(0, 0).distance(to: Pixel(127, 127, 0)) <= 1)
    }

    @Test(
        "An ICC profile for every kind of pixel, straight alpha kept",
        arguments: [(2, 8), (2, 16), (3, 8), (6, 8), (6, 16)])
    func profile(type: Int, depth: Int) throws {
        let swapped = ICCBuilder.rgb(red: ICCBuilder.green, green: ICCBuilder.red, gamma: 2.2)
        let factor = depth == 16 ? 257 : 1
        let sample = type == 3 ? [0] : [240 * factor, 20 * factor, 90 * factor, 255 * factor]
        let samples = PNGSamples(width: 3, height: 1, colorType: type, depth: depth) { x, _, channel in
            channel == 3 ? (x == 0 ? 0 : x == 1 ? 128 : 255) * factor : sample[channel]
        }
        let file = samples.file { builder in
            addProfile(swapped, to: &builder)
            if type == 3 { builder.chunk("PLTE", [240, 20, 90]) }
        }
        let output = try PNGDecoder().decode(file, options: DecodeOptions())
        #expect(output.bitmap.pixel(2, 0).distance(to: Pixel(20, 240, 90)) <= 10)
        #expect(output.info.colorSpace == "Test profile" && output.warnings.isEmpty)
        guard type == 6 else { return }
        #expect(output.bitmap.pixel(0, 0) == .clear)
        #expect(output.bitmap.pixel(1, 0).alpha == 128)
        #expect(output.bitmap.pixel(1, 0).distance(to: Pixel(10, 120, 45, 128)) <= 4)
    }

    @Test(
        "A grey profile for grey, in 8 and 16 bits and with alpha",
        arguments: [(0, 4), (0, 8), (0, 16), (4, 8), (4, 16)])
    func grayProfile(type: Int, depth: Int) throws {
        let maximum = (1 << depth) - 1
        let output = try image(type: type, depth: depth, maximum * 2 / 3, maximum) { builder in
            addProfile(ICCBuilder.gray(gamma: 1), to: &builder)
        }
        let level = UInt8(Self.encode(Double(maximum * 2 / 3) / Double(maximum)).rounded())
        #expect(output.bitmap.pixel(1, 1).distance(to: Pixel(level, level, level)) <= 2)
        #expect(output.warnings.isEmpty)
    }

    @Test("Profiles that do not fit or are damaged are ignored with a warning")
    func unsuitable() throws {
        for profile in [ICCBuilder.gray(gamma: 1), Data(repeating: 3, count: 1000)] {
            let output = try image(type: 2, 200, 100, 50) { addProfile(profile, to: &$0) }
            #expect(output.bitmap.pixel(0, 0) == Pixel(200, 100, 50) && output.warnings.count == 1)
        }
        let damaged = try image(type: 2, 200, 100, 50) { $0.chunk("iCCP", Array("name".utf8) + [0, 0, 1, 2, 3]) }
        #expect(damaged.bitmap.pixel(0, 0) == Pixel(200, 100, 50) && damaged.warnings.count == 1)
    }

    @Test("A profile that inflates beyond the limit is not inflated")
    func bomb() throws {
        var options = DecodeOptions()
        options.limits.maximumMetadataByteCount = 10_000
        let samples = PNGSamples(width: 1, height: 1, colorType: 2, depth: 8) { _, _, _ in 9 }
        let file = samples.file { builder in
            builder.chunk("iCCP", Array("name".utf8) + [0, 0] + PNGBuilder.zlib([UInt8](repeating: 0, count: 200_000)))
        }
        let output = try PNGDecoder().decode(file, options: options)
        #expect(output.bitmap.pixel(0, 0) == Pixel(9, 9, 9) && output.warnings.count == 1)
    }

    @Test("An sRGB profile is recognised by what it does")
    func recognised() throws {
        var warnings: [String] = []
        // Power 2.2 is not sRGB's curve, so this one is converted; the identity is what counts, not the name.
        let power = ICCBuilder.rgb(gamma: 2.2)
        #expect(ColorManagement.transform(profile: power, model: .rgb, layout: .rgba8, warnings: &warnings) != nil)
        #expect(ColorManagement.transform(profile: nil, model: .rgb, layout: .rgba8, warnings: &warnings) == nil)
        #expect(warnings.isEmpty)
    }

    @Test("cICP: Display P3 is converted, PQ and HLG are mapped and reported")
    func codePoints() throws {
        let wide = try image(type: 2, 255, 0, 0) { $0.chunk("cICP", [12, 13, 0, 1]) }
        #expect(wide.bitmap.pixel(0, 0) == Pixel(255, 0, 0) && !wide.info.isHDR)
        let muted = try image(type: 2, depth: 16, 0x8000, 0x6000, 0x6000) { $0.chunk("cICP", [12, 13, 0, 1]) }
        #expect(muted.bitmap.pixel(0, 0).red > 128 && muted.bitmap.pixel(0, 0).green < 96)
        let plain = try image(type: 2, 10, 20, 30) { $0.chunk("cICP", [1, 13, 0, 1]) }
        #expect(plain.bitmap.pixel(0, 0) == Pixel(10, 20, 30))
        for transfer in [UInt8(16), 18] {
            let bright = try image(type: 2, depth: 16, 0xFFFF, 0xFFFF, 0xFFFF) {
                $0.chunk("cICP", [9, transfer, 0, 1])
            }
            #expect(bright.info.isHDR)
            #expect(bright.bitmap.pixel(0, 0).distance(to: .white) <= 2)
            let black = try image(type: 2, depth: 16, 0, 0, 0) { $0.chunk("cICP", [9, transfer, 0, 1]) }
            #expect(black.bitmap.pixel(0, 0) == .black)
        }
    }
}
