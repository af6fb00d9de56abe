import Foundation
import Testing

@testable import TintypeImaging

/// Frames that go by once, counting how many of them are alive.
private struct Movie: Sequence {
    var frames: [EncodableFrame]
    func makeIterator() -> IndexingIterator<[EncodableFrame]> { frames.makeIterator() }
}

@Suite struct AnimationEncodingTests {
    /// A movie with moving opaque and transparent parts and an equal frame.
    private func movie(opaque: Bool, count: Int = 12) throws -> [EncodableFrame] {
        try (0..<count).map { number in
            let number = number == 5 ? 4 : number
            let bitmap = try painted(24, 16) { x, y in
                if (x - number * 2) * (x - number * 2) + (y - 8) * (y - 8) < 16 { return 0xFF00_00FF }
                if y == number % 16 { return 0x0000_FFFF }
                return opaque ? rgba(x * 10, y * 15, 0x40) : 0
            }
            return EncodableFrame(bitmap: bitmap, duration: [0.04, 0.1, 0.25, 1.5][number % 4])
        }
    }

    private func played(_ data: Data) throws -> (ImageInfo, [Bitmap]) {
        let image = try #require(try ImageCodecs.standard.animation(data))
        return (image.info, try (0..<image.frameCount).map { try image.frame(at: $0) })
    }

    @Test(arguments: [ImageFormat.gif, .png], [true, false])
    func `What was encoded without loss comes back, frame by frame`(format: ImageFormat, opaque: Bool) throws {
        let frames = try movie(opaque: opaque)
        let encoder = try #require(ImageCodecs.standard.encoder(for: format))
        #expect(encoder.canAnimate)
        for loops in [0, 1, 7] {
            let data = try encoder.encode(frames: Movie(frames: frames), loopCount: loops, options: .init())
            let (info, bitmaps) = try played(data)
            #expect(info.frameCount == frames.count && info.loopCount == loops)
            #expect(info.frames.map(\.duration) == frames.map(\.duration))
            if format == .gif, opaque { continue }
            for (index, bitmap) in bitmaps.enumerated() {
                #expect(bitmap.words == frames[index].bitmap.words, "frame \(index)")
            }
        }
    }

    @Test func `APNG keeps every alpha`() throws {
        let frames = try (0..<6).map { number in
            EncodableFrame(
                bitmap: try painted(9, 7) { x, y in rgba(x * 28, y * 36, number * 40, x * y * 6 + number * 43) },
                duration: 0.033)
        }
        let data = try PNGEncoder().encode(frames: frames, loopCount: 0, options: .init())
        let (info, bitmaps) = try played(data)
        #expect(info.mimeType == "image/apng" && info.frames[0].rawDuration == 0.033)
        for (index, bitmap) in bitmaps.enumerated() {
            #expect(bitmap.words == frames[index].bitmap.words, "frame \(index)")
        }
    }

    @Test func `WebP keeps pixels without loss, and times`() throws {
        let frames = try movie(opaque: true)
        var options = EncodeOptions()
        options.isLossless = true
        let data = try WebPEncoder().encode(frames: frames, loopCount: 3, options: options)
        let (info, bitmaps) = try played(data)
        // The equal frame is merged into the one before.
        #expect(info.frameCount == 11 && info.loopCount == 3)
        let (written, meant) = (info.frames.map(\.rawDuration).reduce(0, +), frames.map(\.duration).reduce(0, +))
        #expect(abs(written - meant) < 0.002)
        let distinct = frames.indices.filter { $0 != 5 }
        for (index, bitmap) in bitmaps.enumerated() {
            #expect(bitmap.words == frames[distinct[index]].bitmap.words, "frame \(index)")
        }
    }

    @Test func `Any frame of an encoded WebP is reached by decoding at most 13`() throws {
        let frames = try movie(opaque: true, count: 60)
        let data = try WebPEncoder().encode(frames: frames, loopCount: 0, options: .init())
        for index in [0, 12, 25, 41, 57] {
            let source = try #require(try WebPDecoder().frames(data, options: .init()) as? CompositedFrameSource)
            _ = try source.frame(at: index)
            #expect(source.decodedFrameCount <= 13, "frame \(index)")
        }
    }

    @Test func `GIF writes only what changed`() throws {
        let still = try painted(200, 200) { x, _ in rgba(x, 0x80, 0) }
        let frames = try (0..<10).map { number in
            let bitmap = try painted(200, 200) { x, y in
                x / 10 == number && y < 10 ? 0xFF00_00FF : rgba(x, 0x80, 0)
            }
            return EncodableFrame(bitmap: bitmap, duration: 0.1)
        }
        let one = try GIFEncoder().encode(still, options: .init()).count
        let all = try GIFEncoder().encode(frames: frames, loopCount: 0, options: .init()).count
        #expect(all < one * 3 / 2, "\(one) for a still, \(all) for ten frames")
    }

    @Test func `A GIF with too many colours gets good ones`() throws {
        let image = try painted(128, 128) { x, y in
            rgba(x * 2, y * 2, x + y)
        }
        let data = try GIFEncoder().encode(image, options: .init())
        let got = try GIFDecoder().decode(data, options: .init()).bitmap
        #expect(got.isOpaque)
        // Means over 8x8 pixels: what the eye sees of a dithered image.
        var worst = 0.0
        for top in stride(from: 0, to: 128, by: 8) {
            for left in stride(from: 0, to: 128, by: 8) {
                var (red, green, blue) = (0, 0, 0)
                for y in top..<top + 8 {
                    for x in left..<left + 8 {
                        let (a, b) = (got[x: x, y: y], image[x: x, y: y])
                        red += Int(a.red) - Int(b.red)
                        green += Int(a.green) - Int(b.green)
                        blue += Int(a.blue) - Int(b.blue)
                    }
                }
                for sum in [red, green, blue] { worst = max(worst, Double(abs(sum)) / 64) }
            }
        }
        #expect(worst < 6, "\(worst)")
    }

    @Test func `GIF delays keep the length of the whole and are never 10 ms`() throws {
        let bitmap = try solid(2, 2, 0xFF)
        let durations = [1.0 / 30, 1.0 / 30, 1.0 / 30, 1.0 / 60, 0.011, 0.004, 2, 1000]
        let frames = durations.map { EncodableFrame(bitmap: bitmap, duration: $0) }
        let info = try played(try GIFEncoder().encode(frames: frames, loopCount: 0, options: .init())).0
        let hundredths = info.frames.map { Int(($0.rawDuration * 100).rounded()) }
        #expect(Array(hundredths.prefix(3)) == [3, 4, 3])
        #expect((hundredths.min() ?? 0) >= 2)
        #expect(hundredths.last == 65535)
    }

    @Test func `Still GIFs, transparent and of one colour`() throws {
        for color in [0xFF00_00FF, 0, 0x0000_00FF, 0x8040_20FF] as [UInt32] {
            let bitmap = try solid(3, 2, color)
            let data = try GIFEncoder().encode(bitmap, options: .init())
            let output = try GIFDecoder().decode(data, options: .init())
            #expect(output.bitmap.words == bitmap.words && output.info.frameCount == 1)
        }
        let edge = try painted(4, 1) { x, _ in rgba(0x10, 0x20, 0x30, [0, 127, 128, 254][x]) }
        let words = try GIFDecoder().decode(try GIFEncoder().encode(edge, options: .init()), options: .init()).bitmap
            .words
        #expect(Array(words.prefix(2)) == [0, 0])
        #expect(words[2] & 255 == 255)
        #expect(words[3] == 0x1020_30FF)
    }

    @Test func `Random images through the LZW encoder come back`() throws {
        var random = Sequence32(seed: 99)
        for round in 0..<40 {
            let (width, height) = (1 + random.next(150), 1 + random.next(150))
            let colors = 1 + random.next(255)
            let runs = 1 + random.next(40)
            var color: UInt32 = 0
            let bitmap = try painted(width, height) { _, _ in
                if random.next(runs) == 0 { color = rgba(0, random.next(colors), 0) }
                return color
            }
            let data = try GIFEncoder().encode(bitmap, options: .init())
            #expect(try GIFDecoder().decode(data, options: .init()).bitmap.words == bitmap.words, "round \(round)")
        }
    }

    @Test(arguments: [ImageFormat.gif, .png, .webp])
    func `Frames of different sizes and no frames are refused in words`(format: ImageFormat) throws {
        let encoder = try #require(ImageCodecs.standard.encoder(for: format))
        let frames = [
            EncodableFrame(bitmap: try solid(2, 2, 255), duration: 1),
            EncodableFrame(bitmap: try solid(2, 3, 255), duration: 1),
        ]
        #expect(
            throws: ImagingError.notEncodable("frame 1 is 2x3, the first one 2x2; all must be of one size")
        ) {
            try encoder.encode(frames: frames, loopCount: 0, options: .init())
        }
        #expect(throws: ImagingError.notEncodable("an animation without frames cannot be encoded")) {
            try encoder.encode(frames: [EncodableFrame](), loopCount: 0, options: .init())
        }
    }

    @Test(arguments: [ImageFormat.gif, .png, .webp], [ImageFormat.gif, .png, .webp])
    func `Transcoding keeps an animation an animation`(from: ImageFormat, to: ImageFormat) throws {
        var options = EncodeOptions()
        options.isLossless = true
        let frames = try movie(opaque: false).filter { $0.duration != 1.5 }
        let encoder = try #require(ImageCodecs.standard.encoder(for: from))
        let data = try encoder.encode(frames: frames, loopCount: 2, options: options)
        let result = try ImageCodecs.standard.transcode(data, to: to, encoding: options)
        #expect(ImageFormat.sniff(result) == to)
        let (before, after) = (try played(data), try played(result))
        #expect(after.0.loopCount == 2)
        if to != .webp { #expect(after.0.frameCount == before.0.frameCount) }
        #expect(after.1.first?.words == before.1.first?.words)
        #expect(after.1.last?.words == before.1.last?.words)
    }

    // Scenario S13 of the conformance list.
    @Test("A default image that is not a frame survives APNG to APNG")
    func defaultImageSurvives() throws {
        let frames = try movie(opaque: false, count: 3)
        let poster = try Bitmap(width: frames[0].bitmap.width, height: frames[0].bitmap.height, isOpaque: true) {
            bytes, _ in
            for index in bytes.indices { bytes[index] = index % 4 == 1 ? 90 : 255 }
        }
        let original = try PNGEncoder().encode(
            frames: frames, poster: poster, loopCount: 2, options: EncodeOptions())
        let data = try ImageCodecs.standard.transcode(original, to: .png)
        let info = try ImageCodecs.standard.info(data)
        #expect(info.frameCount == 3 && info.loopCount == 2)
        #expect(try ImageCodecs.standard.decode(data).bitmap[x: 1, y: 1] == (255, 90, 255, 255))
        let animation = try #require(try ImageCodecs.standard.animation(data))
        for (index, frame) in frames.enumerated() {
            #expect(try animation.frame(at: index).hasSamePixels(as: frame.bitmap))
        }
    }

    @Test func `A damaged frame ends an encoding with its own error`() throws {
        let source = CountedFrames(4)
        source.damaged = [2]
        #expect(throws: ImagingError.corrupt(.gif, "frame 2")) {
            try ImageCodecs.standard.encode(AnimatedImage(source: source), as: .png)
        }
    }
}
