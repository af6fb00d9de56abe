import Foundation
import Testing

@testable import TintypeImaging

@Suite struct WebPCodecTests {
    private let decoder = WebPDecoder()
    private let encoder = WebPEncoder()

    private func encoded(_ bitmap: Bitmap, isLossless: Bool, quality: Int = 90) throws -> Data {
        var options = EncodeOptions()
        options.isLossless = isLossless
        options.quality = quality
        return try encoder.encode(bitmap, options: options)
    }

    private func decoded(_ data: Data, isLenient: Bool = false) throws -> DecoderOutput {
        var options = DecodeOptions()
        options.isLenient = isLenient
        return try decoder.decode(data, options: options)
    }

    @Test func losslessIsExact() throws {
        let bitmap = try Bitmap.gradient(37, 23)
        let output = try decoded(try encoded(bitmap, isLossless: true))
        #expect(output.bitmap.distance(to: bitmap) == 0)
        #expect(output.bitmap.isOpaque && !output.isPartial && output.warnings.isEmpty)
    }

    @Test func losslessAlphaIsExact() throws {
        // Premultiplied values that survive a round trip through straight ones.
        let bitmap = try Bitmap.made(16, 2) { x, y in
            y == 0 ? Pixel(UInt8(x * 17), 0, 0, UInt8(x * 17)) : Pixel(0, UInt8(x * 8), UInt8(x * 16), 255)
        }
        let output = try decoded(try encoded(bitmap, isLossless: true))
        #expect(output.bitmap.distance(to: bitmap) == 0)
        #expect(!output.bitmap.isOpaque && output.info.hasAlpha)
        #expect(output.bitmap.pixel(0, 0) == .clear)
    }

    @Test func lossyIsClose() throws {
        let bitmap = try Bitmap.gradient(64, 48)
        let output = try decoded(try encoded(bitmap, isLossless: false, quality: 95))
        #expect(try #require(output.bitmap.distance(to: bitmap)) <= 10)
        #expect(output.bitmap.isOpaque && !output.info.hasAlpha)
    }

    @Test func lossyAlphaIsCloseAndItsEdgesStayWhite() throws {
        let bitmap = try Bitmap.made(32, 32) { x, _ in
            let alpha = UInt8(min(255, x * 8))
            return Pixel(alpha, alpha, alpha, alpha)
        }
        let output = try decoded(try encoded(bitmap, isLossless: false, quality: 95))
        #expect(output.info.hasAlpha && !output.bitmap.isOpaque)
        #expect(try #require(output.bitmap.distance(to: bitmap)) <= 4)
    }

    @Test(arguments: [false, true]) func qualityAndEffortChangeTheFile(isLossless: Bool) throws {
        var generator = SeededGenerator(state: 7)
        let bitmap = try Bitmap.made(64, 64, isOpaque: true) { x, y in
            Pixel(UInt8(x * 3), UInt8(y * 3), UInt8.random(in: 0...63, using: &generator))
        }
        var options = EncodeOptions()
        options.isLossless = isLossless
        options.effort = 0
        let fast = try encoder.encode(bitmap, options: options)
        options.effort = 9
        let small = try encoder.encode(bitmap, options: options)
        #expect(small.count < fast.count)
        if !isLossless {
            options.quality = 10
            #expect(try encoder.encode(bitmap, options: options).count < small.count / 2)
        }
    }

    @Test func tooLargeToEncode() throws {
        let bitmap = try Bitmap.made(16384, 1) { _, _ in .red }
        #expect {
            _ = try encoder.encode(bitmap, options: EncodeOptions())
        } throws: {
            if case ImagingError.notEncodable(let text) = $0 { text.contains("16383") } else { false }
        }
    }

    @Test func headerOfAPrefix() throws {
        let limits = DecodeLimits()
        let lossy = try encoded(try .gradient(40, 30), isLossless: false)
        let info = try decoder.info(lossy.prefix(30), isComplete: false, limits: limits)
        #expect(info.size == PixelSize(width: 40, height: 30) && !info.hasAlpha && info.frameCount == 1)
        #expect(info.loopCount == nil && info.isFrameListComplete)
        let lossless = try encoded(try .made(300, 200) { x, _ in x > 9 ? .red : .clear }, isLossless: true)
        let alpha = try decoder.info(lossless.prefix(25), isComplete: false, limits: limits)
        #expect(alpha.size == PixelSize(width: 300, height: 200) && alpha.hasAlpha)
        #expect(throws: ImagingError.needsMoreData(.webp, byteCount: 16)) {
            try decoder.info(lossy.prefix(14), isComplete: false, limits: limits)
        }
        #expect(throws: ImagingError.truncated(.webp)) {
            try decoder.info(lossy.prefix(14), isComplete: true, limits: limits)
        }
    }

    @Test(arguments: [false, true]) func cutFiles(isLossless: Bool) throws {
        var generator = SeededGenerator(state: 3)
        let noise = try Bitmap.made(64, 256, isOpaque: true) { _, y in
            Pixel(UInt8(y), UInt8.random(in: 0...40, using: &generator), 0)
        }
        let data = try encoded(noise, isLossless: isLossless)
        let whole = try decoded(data).bitmap
        let cut = data.prefix(data.count / 2)
        #expect(throws: ImagingError.truncated(.webp)) { try decoded(Data(cut)) }
        let output = try decoded(Data(cut), isLenient: true)
        #expect(output.isPartial && !output.bitmap.isOpaque)
        #expect(output.bitmap.size == whole.size)
        // What is there is right, and what is not is transparent.
        for y in 0..<20 { #expect(output.bitmap.pixel(9, y).distance(to: whole.pixel(9, y)) <= 2, "row \(y)") }
        #expect(output.bitmap.pixel(9, 255) == .clear)
        #expect(throws: ImagingError.truncated(.webp)) { try decoded(Data(data.prefix(40)), isLenient: true) }
    }

    @Test func targetIsDecodedSmallerButNeverTooSmall() throws {
        let data = try encoded(try .gradient(400, 300), isLossless: false)
        var options = DecodeOptions()
        options.target = ResizeTarget(width: 50, height: nil)
        let output = try decoder.decode(data, options: options)
        #expect(output.bitmap.width >= 100 && output.bitmap.width < 400)
        #expect(output.info.storedSize == PixelSize(width: 400, height: 300))
        let scaled = try ImageCodecs.standard.decode(data, options: options)
        #expect(scaled.bitmap.size == PixelSize(width: 50, height: 38))
        let middle: Pixel = scaled.bitmap.pixel(25, 19)
        #expect(middle.distance(to: Pixel(130, 130, 128)) <= 6)
    }

    // Scenario S27 of the conformance list.
    @Test("Alpha is scaled with its colours, so that white edges stay white") func whiteDiscs() throws {
        let disc = try Bitmap.made(64, 64) { x, y in
            let distance = ((Double(x) - 31.5) * (Double(x) - 31.5) + (Double(y) - 31.5) * (Double(y) - 31.5))
                .squareRoot()
            let alpha = UInt8(min(max((25.0 - distance) * 255, 0), 255))
            return Pixel(alpha, alpha, alpha, alpha)
        }
        for isLossless in [true, false] {
            var options = DecodeOptions()
            options.target = ResizeTarget(width: 21, height: nil)
            let small = try ImageCodecs.standard.decode(try encoded(disc, isLossless: isLossless), options: options)
            for pixel in small.bitmap.pixels.joined() where pixel.alpha > 0 {
                #expect(pixel.distance(to: Pixel(pixel.alpha, pixel.alpha, pixel.alpha, pixel.alpha)) <= 2)
            }
        }
    }

    @Test func sizeLimitIsCheckedFromTheHeader() throws {
        let data = try encoded(try .gradient(40, 30), isLossless: true)
        var options = DecodeOptions()
        options.limits.maximumPixelCount = 1199
        let expected = ImagingError.imageTooLarge(width: 40, height: 30, limit: 1199)
        #expect(throws: expected) { try decoder.decode(data, options: options) }
        #expect(throws: expected) { try decoder.info(data, isComplete: true, limits: options.limits) }
        // 16384x16384, the largest that a lossless header can say, is over the default limit.
        var huge = data
        huge.replaceSubrange(21..<25, with: [0xFF, 0xFF, 0xFF, 0x0F])
        #expect(throws: ImagingError.imageTooLarge(width: 16384, height: 16384, limit: 100_000_000)) {
            try decoded(huge)
        }
    }

    @Test func hostileBytes() throws {
        let image = try Bitmap.made(24, 24) { x, y in
            Pixel(UInt8(x * 10), UInt8(y * 10 * x / 24), 0, 255).distance(to: .clear) > 0 && x != y
                ? Pixel(UInt8(x * 10), UInt8(y * 10), 0) : .clear
        }
        for isLossless in [false, true] {
            let hostile = HostileBytes(decoder, try encoded(image, isLossless: isLossless))
            hostile.truncateEverywhere(needed: hostile.original.count - 1)
            hostile.flipBits(rounds: 1500, seed: isLossless ? 1 : 2)
        }
    }
}
