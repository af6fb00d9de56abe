import Foundation
import Testing

@testable import TintypeImaging

@Suite struct GIFDecoderTests {
    @Test func `A still is frame 0 on a transparent canvas`() throws {
        let data = GIFBuilder(4, 3, frames: [.init(x: 1, y: 1, width: 2, height: 1, fill: 2)]).data()
        let output = try GIFDecoder().decode(data, options: DecodeOptions())
        #expect(image(output.bitmap) == ["....", ".BB.", "...."])
        #expect(!output.bitmap.isOpaque)
        #expect(output.info.frameCount == 1 && output.info.loopCount == nil && output.info.frames.isEmpty)
        #expect(output.info.hasAlpha && output.info.size == PixelSize(width: 4, height: 3))
        #expect(try GIFDecoder().frames(data, options: DecodeOptions()) == nil)
    }

    @Test func `An opaque still is known to be opaque`() throws {
        let output = try GIFDecoder().decode(
            GIFBuilder(2, 2, frames: [.init(width: 2, height: 2, fill: 1)]).data(), options: DecodeOptions())
        #expect(output.bitmap.isOpaque && !output.info.hasAlpha)
        #expect(image(output.bitmap) == ["GG", "GG"])
    }

    @Test func `Interlaced rows land where they belong, for every height`() throws {
        for height in 1...20 {
            var frame = GIFBuilder.Frame(width: 3, height: height)
            frame.pixels = (0..<height).flatMap { [UInt8($0 % 4), UInt8($0 / 4 % 4), 1] }
            let plain = GIFBuilder(3, height, frames: [frame]).data()
            frame.isInterlaced = true
            let interlaced = GIFBuilder(3, height, frames: [frame]).data()
            #expect(plain != interlaced || height < 3)
            #expect(try gifImages(interlaced) == gifImages(plain), "height \(height)")
        }
    }

    @Test func `Local colours win over global ones; without any, codes are shades of grey`() throws {
        var local = GIFBuilder.Frame(width: 1, height: 1, fill: 1)
        local.palette = [GIFBuilder.white, GIFBuilder.blue]
        let both = GIFBuilder(1, 1, frames: [.init(width: 1, height: 1, fill: 1), local]).data()
        #expect(try gifImages(both) == [["G"], ["B"]])

        var grey = GIFBuilder.Frame(width: 3, height: 1)
        grey.pixels = [0, 128, 255]
        let bitmap = try GIFDecoder().decode(
            GIFBuilder(3, 1, palette: nil, frames: [grey]).data(), options: DecodeOptions()
        ).bitmap
        #expect(bitmap.words == [0x0000_00FF, 0x8080_80FF, 0xFFFF_FFFF])
    }

    @Test func `An index behind the end of the colour table is black`() throws {
        var frame = GIFBuilder.Frame(width: 2, height: 1)
        frame.pixels = [3, 9]
        #expect(try gifImages(GIFBuilder(2, 1, frames: [frame]).data()) == [["WK"]])
    }

    @Test func `Frames are clipped to the canvas on every side`() throws {
        var wide = GIFBuilder.Frame(x: 1, y: 1, width: 4, height: 4)
        wide.pixels = (0..<16).map { UInt8($0 % 4) }
        let data = GIFBuilder(
            3, 3,
            frames: [wide, .init(x: 9, y: 9, width: 2, height: 2, fill: 1), .init(x: 0, y: 2, width: 9, height: 1)]
        ).data()
        #expect(
            try gifImages(data) == [
                ["...", ".RG", ".RG"], ["...", ".RG", ".RG"], ["...", ".RG", "RRR"],
            ])
    }

    @Test func `A screen of size 0 takes that of the first frame`() throws {
        let data = GIFBuilder(0, 0, frames: [.init(x: 1, y: 0, width: 2, height: 2, fill: 1)]).data()
        #expect(try gifImages(data) == [[".GG", ".GG"]])
        #expect(throws: ImagingError.corrupt(.gif, "its size is 0x0")) {
            try GIFDecoder().info(
                GIFBuilder(0, 0, frames: [.init(width: 0, height: 0)]).data(), isComplete: true, limits: .init())
        }
    }

    @Test func `An empty frame draws nothing and keeps its place`() throws {
        let data = GIFBuilder(
            2, 1, frames: [.init(width: 2, height: 1, fill: 1), .init(width: 0, height: 0), .init(width: 1, height: 1)]
        ).data()
        #expect(try gifImages(data) == [["GG"], ["GG"], ["RG"]])
    }

    @Test(arguments: [1, 3, 4, 5, 6, 7, 8]) func `Every LZW code size`(size: Int) throws {
        var builder = GIFBuilder(64, 64, palette: nil)
        builder.minimumCodeSize = size
        var frame = GIFBuilder.Frame(width: 64, height: 64)
        var state: UInt32 = 7
        frame.pixels = (0..<4096).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24) & UInt8((1 << size) - 1)
        }
        builder.frames = [frame]
        let scale = 255 / ((1 << size) - 1)
        let remainder = 255 % ((1 << size) - 1)
        let words = try GIFDecoder().decode(builder.data(), options: DecodeOptions()).bitmap.words
        guard remainder == 0 else { return }
        #expect(words.map { UInt8($0 >> 24) } == frame.pixels.map { $0 * UInt8(scale) })
    }

    @Test func `Long runs use the longest strings that the table can hold`() throws {
        let side = 300
        var frame = GIFBuilder.Frame(width: side, height: side, fill: 1)
        frame.pixels[side * side - 1] = 2
        let bitmap = try GIFDecoder().decode(
            GIFBuilder(side, side, frames: [frame]).data(), options: DecodeOptions()
        ).bitmap
        #expect(bitmap[x: side - 1, y: side - 1] == (0, 0, 255, 255))
        #expect(bitmap[x: side - 2, y: side - 1] == (0, 255, 0, 255))
        #expect(bitmap[x: 70, y: 70] == (0, 255, 0, 255))
    }

    @Test func `The last graphic control before a frame counts, and only for that frame`() throws {
        let builder = GIFBuilder(1, 1)
        var first = GIFBuilder.Frame(width: 1, height: 1, fill: 1, delay: 30)
        var bytes = [UInt8](builder.data().dropLast())
        bytes += [0x21, 0xF9, 4, 1, 99, 0, 1, 0]
        bytes += builder.block(first)
        first.hasControl = false
        bytes += builder.block(first) + [0x3B]
        let info = try GIFDecoder().info(Data(bytes), isComplete: true, limits: .init())
        #expect(info.frames.map(\.rawDuration) == [0.3, 0])
        #expect(try gifImages(Data(bytes)) == [["G"], ["G"]])
    }

    @Test func `Loop counts are plays in total`() throws {
        var builder = GIFBuilder(1, 1, frames: [.init(width: 1, height: 1), .init(width: 1, height: 1)])
        for (number, plays) in [(nil, 1), (0, 0), (1, 2), (65535, 65536)] as [(Int?, Int)] {
            builder.loop = number
            #expect(try GIFDecoder().info(builder.data(), isComplete: true, limits: .init()).loopCount == plays)
        }
    }

    @Test func `Frames of an animation that does not exist are refused by number`() throws {
        let data = GIFBuilder(1, 1, frames: [.init(width: 1, height: 1), .init(width: 1, height: 1)]).data()
        for wrong in [2, -1, Int.max] {
            var options = DecodeOptions()
            options.frame = wrong
            #expect(throws: ImagingError.noSuchFrame(wrong, count: 2)) {
                try GIFDecoder().decode(data, options: options)
            }
        }
    }

    @Test func `A canvas over the limit is refused before anything is decoded`() throws {
        var options = DecodeOptions()
        options.limits.maximumPixelCount = 1_000_000
        let data = GIFBuilder(1001, 1000, frames: [.init(width: 1, height: 1)]).data()
        #expect(throws: ImagingError.imageTooLarge(width: 1001, height: 1000, limit: 1_000_000)) {
            try GIFDecoder().decode(data, options: options)
        }
        let huge = GIFBuilder(65535, 65535, frames: [.init(width: 1, height: 1)]).data()
        #expect(throws: ImagingError.imageTooLarge(width: 65535, height: 65535, limit: 100_000_000)) {
            try GIFDecoder().info(huge, isComplete: true, limits: .init())
        }
    }

    @Test func `A header is read from a prefix, and says how far it is`() throws {
        let data = GIFBuilder(
            5, 4, frames: [.init(width: 5, height: 4), .init(width: 5, height: 4), .init(width: 5, height: 4)]
        ).data()
        let info = try GIFDecoder().info(data.prefix(60), isComplete: false, limits: .init())
        #expect(info.size == PixelSize(width: 5, height: 4) && !info.isFrameListComplete)
        #expect(throws: ImagingError.needsMoreData(.gif, byteCount: 13)) {
            try GIFDecoder().info(data.prefix(12), isComplete: false, limits: .init())
        }
        #expect(throws: ImagingError.truncated(.gif)) {
            try GIFDecoder().info(data.prefix(12), isComplete: true, limits: .init())
        }
        #expect(try GIFDecoder().info(data, isComplete: true, limits: .init()).isFrameListComplete)
        // A slice of a larger buffer, whose indices do not start at 0.
        let slice = (Data([1, 2, 3]) + data)[3...]
        #expect(try GIFDecoder().info(slice, isComplete: true, limits: .init()).frameCount == 3)
        #expect(try gifImages(slice) == gifImages(data))
    }
}

@Suite struct GIFDelayTests {
    // Scenario S15 of the conformance list.
    @Test("Delays of 0 and 1 hundredths play as 100 ms, longer ones as written")
    func delays() throws {
        let raw = [0, 1, 2, 3, 5, 10, 65535]
        let data = GIFBuilder(1, 1, frames: raw.map { .init(width: 1, height: 1, delay: $0) }).data()
        let info = try GIFDecoder().info(data, isComplete: true, limits: .init())
        #expect(info.frames.map(\.rawDuration) == [0, 0.01, 0.02, 0.03, 0.05, 0.1, 655.35])
        #expect(info.frames.map(\.duration) == [0.1, 0.1, 0.02, 0.03, 0.05, 0.1, 655.35])
    }
}

@Suite struct GIFManyFramesTests {
    /// Frame k shows the number k in its two pixels.
    private func numbered(_ count: Int) -> Data {
        var builder = GIFBuilder(2, 1, palette: (0..<128).map { UInt32($0) * 0x01_0101 })
        builder.frames = (0..<count).map { number in
            var frame = GIFBuilder.Frame(width: 2, height: 1)
            frame.pixels = [UInt8(number % 128), UInt8(number / 128)]
            return frame
        }
        return builder.data()
    }

    // Scenario S21 of the conformance list.
    @Test("Frame k of 300 and of 5,000 shows number k", arguments: [300, 5000])
    func manyFrames(count: Int) throws {
        let source = try #require(try GIFDecoder().frames(numbered(count), options: .init()))
        #expect(source.info.frameCount == count)
        for index in [0, 1, 255, 256, 257, count - 1, 17] + (0..<count) {
            let bitmap = try source.frame(at: index)
            #expect(Int(bitmap[x: 0, y: 0].red) + 128 * Int(bitmap[x: 1, y: 0].red) == index)
        }
    }

    // Scenario S21 of the conformance list.
    @Test("Over a cap of 256 frames the animation is refused, the poster is not")
    func cap() throws {
        var options = DecodeOptions()
        options.limits.maximumFrameCount = 256
        let data = numbered(300)
        #expect(throws: ImagingError.tooManyFrames(.gif, limit: 256)) {
            try GIFDecoder().frames(data, options: options)
        }
        #expect(throws: ImagingError.tooManyFrames(.gif, limit: 256)) {
            try GIFDecoder().info(data, isComplete: true, limits: options.limits)
        }
        let poster = try GIFDecoder().decode(data, options: options)
        #expect(poster.warnings == ["only the first 256 frames were counted"])
        #expect(try GIFDecoder().frames(numbered(256), options: options)?.info.frameCount == 256)
    }
}
