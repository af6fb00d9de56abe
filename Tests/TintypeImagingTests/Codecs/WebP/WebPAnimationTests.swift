import CWebP
import Foundation
import Testing

@testable import TintypeImaging

private let red: UInt32 = 0xFF00_00FF
private let green: UInt32 = 0x00FF_00FF
private let blue: UInt32 = 0x0000_FFFF

/// Every frame as libwebp's own animation decoder composes it.
private func framesOfLibwebp(_ data: Data) throws -> [[UInt8]] {
    try data.withUnsafeBytes { bytes in
        var input = WebPData(bytes: bytes.bindMemory(to: UInt8.self).baseAddress, size: bytes.count)
        var options = WebPAnimDecoderOptions()
        try #require(WebPAnimDecoderOptionsInit(&options) != 0)
        options.color_mode = MODE_rgbA
        let decoder = try #require(WebPAnimDecoderNew(&input, &options))
        defer { WebPAnimDecoderDelete(decoder) }
        var info = WebPAnimInfo()
        try #require(WebPAnimDecoderGetInfo(decoder, &info) != 0)
        var frames: [[UInt8]] = []
        while WebPAnimDecoderHasMoreFrames(decoder) != 0 {
            var buffer: UnsafeMutablePointer<UInt8>?
            var timestamp: Int32 = 0
            try #require(WebPAnimDecoderGetNext(decoder, &buffer, &timestamp) != 0)
            frames.append(
                Array(UnsafeBufferPointer(start: buffer, count: Int(info.canvas_width * info.canvas_height) * 4)))
        }
        return frames
    }
}

private func bytes(_ bitmap: Bitmap) -> [UInt8] {
    bitmap.withUnsafeBytes { bytes in
        (0..<bitmap.height).flatMap {
            Array(bytes[$0 * bitmap.bytesPerRow..<$0 * bitmap.bytesPerRow + bitmap.width * 4])
        }
    }
}

@Suite struct WebPAnimationTests {
    private func letters(_ data: Data, options: DecodeOptions = .init()) throws -> [[String]] {
        let source = try #require(try WebPDecoder().frames(data, options: options))
        return try (0..<source.info.frameCount).map { image(try source.frame(at: $0)) }
    }

    // Scenario S23 of the conformance list.
    @Test("A first frame smaller than the canvas, offsets, durations and the rule for 0")
    func smallFirstFrame() throws {
        let builder = WebPBuilder(
            10, 10,
            frames: [
                .init(x: 2, y: 4, bitmap: try solid(4, 4, red), milliseconds: 40),
                .init(x: 6, y: 0, bitmap: try solid(2, 2, green), milliseconds: 80, clears: true),
                .init(x: 0, y: 8, bitmap: try solid(10, 2, blue), milliseconds: 120),
                .init(x: 0, y: 0, bitmap: try solid(1, 1, blue), milliseconds: 0),
                .init(x: 0, y: 0, bitmap: try solid(1, 1, blue), milliseconds: 10),
                .init(x: 0, y: 0, bitmap: try solid(1, 1, blue), milliseconds: 11),
            ])
        let data = try builder.data()
        let info = try WebPDecoder().info(data, isComplete: true, limits: .init())
        #expect(info.size == PixelSize(width: 10, height: 10) && info.frameCount == 6 && info.loopCount == 0)
        #expect(info.frames.map(\.rawDuration) == [0.04, 0.08, 0.12, 0, 0.01, 0.011])
        #expect(info.frames.map(\.duration) == [0.04, 0.08, 0.12, 0.1, 0.1, 0.011])
        let empty = ".........."
        let frames = try letters(data)
        #expect(frames[0] == [empty, empty, empty, empty] + Array(repeating: "..RRRR....", count: 4) + [empty, empty])
        #expect(frames[1][0] == "......GG.." && frames[1][1] == frames[1][0] && frames[1][4] == "..RRRR....")
        #expect(
            frames[2] == [empty, empty, empty, empty] + Array(repeating: "..RRRR....", count: 4)
                + Array(repeating: "BBBBBBBBBB", count: 2))
        #expect(frames[3][0] == "B.........")
    }

    @Test func `Loop counts are plays in total`() throws {
        for plays in [0, 1, 2, 65535] {
            var builder = WebPBuilder(
                2, 2, frames: [.init(bitmap: try solid(2, 2, red)), .init(bitmap: try solid(2, 2, blue))])
            builder.loopCount = plays
            #expect(try WebPDecoder().info(try builder.data(), isComplete: true, limits: .init()).loopCount == plays)
        }
    }

    @Test func `An animation of one frame is a still`() throws {
        let data = try WebPBuilder(4, 4, frames: [.init(x: 2, y: 2, bitmap: try solid(2, 2, red))]).data()
        let info = try WebPDecoder().info(data, isComplete: true, limits: .init())
        #expect(info.frameCount == 1 && info.loopCount == nil && info.frames.isEmpty)
        #expect(try WebPDecoder().frames(data, options: .init()) == nil)
        let output = try WebPDecoder().decode(data, options: .init())
        #expect(image(output.bitmap) == ["....", "....", "..RR", "..RR"])
    }

    @Test func `Blending and replacing, with alpha`() throws {
        let half: UInt32 = 0x0000_FF80
        let builder = WebPBuilder(
            4, 2,
            frames: [
                .init(bitmap: try solid(4, 2, red)), .init(bitmap: try solid(2, 2, half)),
                .init(x: 2, bitmap: try solid(2, 2, half), replaces: true),
            ])
        let source = try #require(try WebPDecoder().frames(try builder.data(), options: .init()))
        let first = try source.frame(at: 0)
        let second = try source.frame(at: 1)
        let third = try source.frame(at: 2)
        #expect(first.isOpaque && second.isOpaque && !third.isOpaque)
        #expect(second[x: 0, y: 0] == (127, 0, 128, 255))
        #expect(second[x: 3, y: 0] == (255, 0, 0, 255))
        #expect(third[x: 0, y: 0] == (127, 0, 128, 255))
        #expect(third[x: 3, y: 0] == (0, 0, 128, 128))
        // What was handed out has not changed since.
        #expect(first[x: 0, y: 0] == (255, 0, 0, 255) && second[x: 3, y: 1] == (255, 0, 0, 255))
    }

    // Scenario S23 of the conformance list.
    @Test("Every frame equals libwebp's own animation decoder, in order and at random")
    func equalsLibwebp() throws {
        var random = Sequence32(seed: 5)
        for round in 0..<24 {
            let isLossless = round % 3 != 0
            var frames: [WebPBuilder.Frame] = []
            for _ in 0..<10 {
                let isFull = random.next(4) == 0
                let width = isFull ? 26 : 1 + random.next(16)
                let height = isFull ? 20 : 1 + random.next(12)
                let kind = random.next(3)
                let base = random.next(1 << 24)
                let bitmap = try painted(width, height) { x, y in
                    let alpha = kind == 0 ? 255 : kind == 1 ? (x + y) % 2 * 255 : x * 9 + y
                    return rgba(base >> 16 + x * 5, base >> 8 + y * 7, base, alpha)
                }
                frames.append(
                    .init(
                        x: isFull ? 0 : random.next(5) * 2, y: isFull ? 0 : random.next(4) * 2, bitmap: bitmap,
                        milliseconds: 20, replaces: random.next(2) == 0, clears: random.next(3) == 0,
                        isLossless: isLossless))
            }
            let data = try WebPBuilder(26, 20, frames: frames).data()
            let right = try framesOfLibwebp(data)
            let source = try #require(try WebPDecoder().frames(data, options: .init()))
            #expect(right.count == 10)
            for index in 0..<10 {
                #expect(bytes(try source.frame(at: index)) == right[index], "round \(round), frame \(index)")
            }
            for _ in 0..<20 {
                let index = random.next(10)
                #expect(bytes(try source.frame(at: index)) == right[index], "round \(round), again \(index)")
            }
        }
    }

    // Scenario S21 of the conformance list.
    @Test("Frame k of 300 shows number k; over the cap it is refused in words")
    func manyFrames() throws {
        let frames = try (0..<300).map { number in
            WebPBuilder.Frame(bitmap: try solid(1, 1, rgba(number, number >> 8, 0)))
        }
        let data = try WebPBuilder(1, 1, frames: frames).data()
        let source = try #require(try WebPDecoder().frames(data, options: .init()))
        for index in [299, 0, 256, 257] + Array(0..<300) {
            let pixel = try source.frame(at: index)[x: 0, y: 0]
            #expect(Int(pixel.red) + Int(pixel.green) * 256 == index)
        }
        var options = DecodeOptions()
        options.limits.maximumFrameCount = 256
        #expect(throws: ImagingError.tooManyFrames(.webp, limit: 256)) {
            try WebPDecoder().frames(data, options: options)
        }
    }

    @Test func `A seek decodes no more frames than it must`() throws {
        // Every tenth frame covers the canvas.
        let frames = try (0..<40).map { number in
            number % 10 == 0
                ? WebPBuilder.Frame(bitmap: try solid(8, 8, red))
                : WebPBuilder.Frame(x: 2, y: 2, bitmap: try solid(2, 2, rgba(0, 0, number, 0x80)))
        }
        let source = try #require(
            try WebPDecoder().frames(try WebPBuilder(8, 8, frames: frames).data(), options: .init())
                as? CompositedFrameSource)
        _ = try source.frame(at: 35)
        #expect(source.decodedFrameCount == 6)
        _ = try source.frame(at: 36)
        #expect(source.decodedFrameCount == 7)
        _ = try source.frame(at: 20)
        #expect(source.decodedFrameCount == 8)
        _ = try source.frame(at: 31)
        #expect(source.decodedFrameCount == 10)
    }

    // Scenario S19 of the conformance list.
    @Test("A cut animation is refused when strict, plays its whole frames when lenient")
    func cut() throws {
        let data = try WebPBuilder(
            4, 4, frames: [red, green, blue].map { .init(bitmap: try solid(4, 4, $0)) }
        ).data()
        var lenient = DecodeOptions()
        lenient.isLenient = true
        let cut = data.prefix(data.count - 8)
        #expect(throws: ImagingError.truncated(.webp)) { try WebPDecoder().frames(cut, options: .init()) }
        #expect(throws: ImagingError.truncated(.webp)) { try WebPDecoder().decode(cut, options: .init()) }
        #expect(try letters(cut, options: lenient).map { $0[0] } == ["RRRR", "GGGG"])
        let poster = try WebPDecoder().decode(cut, options: lenient)
        #expect(poster.isPartial && poster.info.frameCount == 2)
        #expect(try WebPDecoder().info(cut, isComplete: true, limits: .init()).frameCount == 2)
    }

    @Test func `Cut at every byte and with flipped bits, nothing crashes`() throws {
        var random = Sequence32(seed: 3)
        let noise = try painted(16, 16) { _, _ in
            let color = random.next(1 << 24)
            return rgba(color >> 16, color >> 8, color, random.next(256))
        }
        let data = try WebPBuilder(
            20, 20,
            frames: [
                .init(bitmap: noise, isLossless: false), .init(x: 4, y: 4, bitmap: noise, clears: true),
                .init(x: 2, bitmap: noise, replaces: true),
            ]
        ).data()
        var lenient = DecodeOptions()
        lenient.isLenient = true
        lenient.limits.maximumPixelCount = 1 << 20
        func play(_ data: Data) {
            _ = try? WebPDecoder().info(data, isComplete: false, limits: .init())
            _ = try? WebPDecoder().decode(data, options: lenient)
            guard let source = try? WebPDecoder().frames(data, options: lenient) else { return }
            for index in 0..<source.info.frameCount { _ = try? source.frame(at: index) }
        }
        for count in 0..<data.count { play(data.prefix(count)) }
        for _ in 0..<600 {
            var bad = data
            for _ in 0...random.next(4) { bad[random.next(bad.count)] ^= UInt8(1 << random.next(8)) }
            play(bad)
        }
    }
}
