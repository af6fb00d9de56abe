import CWebP
import CWebPAlpha
import Foundation
import Testing

@testable import TintypeImaging

/// Our own decoder of ALPH chunks against libwebp's.
@Suite("WebP alpha") struct WebPAlphaTests {
    private struct Sample {
        var data: Data
        var alpha: [UInt8]
        var size: PixelSize
        var name: String
    }

    private static let shapes:
        [(name: String, alpha: @Sendable (Int, Int, PixelSize, inout SeededGenerator) -> UInt8)] = [
            ("noise", { _, _, _, random in UInt8.random(in: 0...255, using: &random) }),
            ("ramp", { x, _, size, _ in UInt8(x * 255 / size.width) }),
            ("diagonal", { x, y, size, _ in UInt8((x + y) * 255 / (size.width + size.height)) }),
            (
                "disc",
                { x, y, size, _ in
                    let (dx, dy) = (Double(x) - Double(size.width) / 2, Double(y) - Double(size.height) / 2)
                    return UInt8(
                        max(0, min(255, (Double(size.width) / 2 - (dx * dx + dy * dy).squareRoot()) * 20 + 128)))
                }
            ),
            ("squares", { x, y, _, _ in (x / 8 + y / 8) % 2 == 0 ? 0 : 255 }),
            ("few values", { _, _, _, random in UInt8.random(in: 0...6, using: &random) * 40 }),
            ("holes", { _, _, _, random in UInt8.random(in: 0...40, using: &random) == 0 ? 9 : 255 }),
            ("waves", { x, y, _, _ in UInt8(128 + 60 * sin(Double(x) * 0.1) + 50 * cos(Double(y) * 0.13)) }),
        ]

    private func sample(shape: Int, method: Int, _ random: inout SeededGenerator) throws -> Sample {
        let size = PixelSize(
            width: .random(in: 1...150, using: &random), height: .random(in: 1...90, using: &random))
        var alphas: [UInt8] = []
        var pixels: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let alpha = Self.shapes[shape].alpha(x, y, size, &random)
                alphas.append(alpha)
                pixels += [UInt8(x & 255), UInt8(y * 2 & 255), UInt8((x ^ y) & 255), alpha]
            }
        }
        var options = EncodeOptions()
        options.quality = 70
        var config = try WebPEncoder.configuration(options)
        config.method = Int32(method)
        config.alpha_filtering = .random(in: 0...2, using: &random)
        config.alpha_compression = Int.random(in: 0...5, using: &random) == 0 ? 0 : 1
        var image = WebPPicture()
        try #require(WebPPictureInit(&image) != 0)
        defer { WebPPictureFree(&image) }
        (image.width, image.height) = (Int32(size.width), Int32(size.height))
        try #require(WebPPictureImportRGBA(&image, pixels, Int32(size.width * 4)) != 0)
        var writer = WebPMemoryWriter()
        WebPMemoryWriterInit(&writer)
        defer { WebPMemoryWriterClear(&writer) }
        let isEncoded = withUnsafeMutablePointer(to: &writer) { writer in
            image.custom_ptr = UnsafeMutableRawPointer(writer)
            image.writer = { WebPMemoryWrite($0, $1, $2) }
            return WebPEncode(&config, &image) != 0
        }
        try #require(isEncoded)
        let data = Data(bytes: try #require(writer.mem), count: writer.size)
        return Sample(
            data: data, alpha: alphas, size: size, name: "\(Self.shapes[shape].name), method \(method), \(size)")
    }

    /// What libwebp makes of the whole file; nil if it refuses it.
    private func reference(_ data: Data) -> [UInt8]? {
        var (width, height) = (Int32(0), Int32(0))
        return data.withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: UInt8.self).baseAddress
            guard let pixels = WebPDecodeRGBA(start, bytes.count, &width, &height) else { return nil }
            defer { WebPFree(pixels) }
            return Array(UnsafeBufferPointer(start: pixels, count: Int(width * height) * 4))
        }
    }

    private func premultiplied(_ straight: [UInt8], _ size: PixelSize) throws -> [[Pixel]] {
        let pixels = try StraightPixels(size: size)
        pixels.bytes.copyBytes(from: straight)
        return pixels.bitmap(isOpaque: false).pixels
    }

    @Test("Every shape, filter and method gives libwebp's pixels", arguments: 0..<8)
    func wholeFiles(shape: Int) throws {
        var random = SeededGenerator(state: UInt64(shape) + 40)
        var (handled, count) = (0, 0)
        for method in 0...6 {
            for _ in 0..<6 {
                let sample = try sample(shape: shape, method: method, &random)
                let expected = try premultiplied(try #require(reference(sample.data)), sample.size)
                let output = try WebPDecoder().decode(sample.data, options: DecodeOptions())
                #expect(output.bitmap.pixels == expected, "\(sample.name)")
                let container = try sample.data.withUnsafeBytes {
                    try WebPContainer(ByteView($0), limits: DecodeLimits())
                }
                guard let chunk = container.separateAlpha?.alpha else { continue }
                var alpha = [UInt8](repeating: 0, count: sample.size.area)
                count += 1
                let isDone = wa_decode(
                    Array(sample.data[chunk]), chunk.count, UInt32(sample.size.width), UInt32(sample.size.height),
                    &alpha)
                guard isDone != 0 else { continue }
                handled += 1
                #expect(alpha == sample.alpha, "\(sample.name)")
            }
        }
        // The rest, with several groups of codes, is left to libwebp.
        #expect(handled * 10 >= count * 7 && count > 30)
    }

    @Test("Damaged alpha gives what libwebp gives, or its refusal", arguments: 0..<8)
    func damage(shape: Int) throws {
        var random = SeededGenerator(state: UInt64(shape) + 90)
        for _ in 0..<12 {
            let sample = try sample(shape: shape, method: 4, &random)
            let chunk = try sample.data.withUnsafeBytes {
                try WebPContainer(ByteView($0), limits: DecodeLimits()).separateAlpha?.alpha
            }
            guard let chunk, chunk.count > 1 else { continue }
            for _ in 0..<12 {
                var data = sample.data
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let near = Bool.random(using: &random) ? min(chunk.count, 24) : chunk.count
                    data[chunk.lowerBound + .random(in: 0..<near, using: &random)] ^=
                        1 << UInt8.random(in: 0...7, using: &random)
                }
                let expected = try reference(data).map { try premultiplied($0, sample.size) }
                let output = try? WebPDecoder().decode(data, options: DecodeOptions())
                #expect(output?.bitmap.pixels == expected, "\(sample.name)")
            }
        }
    }

    @Test("Chunks that end early are not taken")
    func cut() throws {
        var random = SeededGenerator(state: 3)
        let sample = try sample(shape: 3, method: 4, &random)
        let container = try sample.data.withUnsafeBytes { try WebPContainer(ByteView($0), limits: DecodeLimits()) }
        let chunk = Array(sample.data[try #require(container.separateAlpha).alpha])
        var alpha = [UInt8](repeating: 0, count: sample.size.area)
        for count in 0..<chunk.count - 2 {
            let part = Array(chunk[..<count])
            #expect(
                wa_decode(part + [0], count, UInt32(sample.size.width), UInt32(sample.size.height), &alpha) == 0,
                "\(count) of \(chunk.count)")
        }
    }
}
