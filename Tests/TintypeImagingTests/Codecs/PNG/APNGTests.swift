import Foundation
import Testing

@testable import TintypeImaging

private let red: UInt32 = 0xFF00_00FF
private let green: UInt32 = 0x00FF_00FF
private let blue: UInt32 = 0x0000_FFFF
private let clear: UInt32 = 0

@Suite struct APNGTests {
    private func letters(_ data: Data, isLenient: Bool = false) throws -> [[String]] {
        var options = DecodeOptions()
        options.isLenient = isLenient
        let source = try #require(try PNGDecoder().frames(data, options: options))
        return try (0..<source.info.frameCount).map { image(try source.frame(at: $0)) }
    }

    private func poster(_ data: Data) throws -> [String] {
        image(try PNGDecoder().decode(data, options: .init()).bitmap)
    }

    private func frame(_ color: UInt32, _ side: Int = 2) throws -> APNGBuilder.Frame {
        .init(bitmap: try solid(side, side, color))
    }

    // Scenario S13 of the conformance list.
    @Test("A default image that is not a frame is the poster and is not counted")
    func defaultImageIsNoFrame() throws {
        for announced in [nil, 9, 1, 0] {
            var builder = APNGBuilder(
                2, 2, defaultImage: try solid(2, 2, red), frames: [try frame(green), try frame(blue)])
            builder.announced = announced
            let data = try builder.data()
            let info = try ImageCodecs.standard.info(data)
            #expect(info.frameCount == 2 && info.mimeType == "image/apng", "announced \(announced ?? 2)")
            #expect(try letters(data).map { $0[0] } == ["GG", "BB"])
            #expect(try poster(data)[0] == "RR")
            var options = DecodeOptions()
            options.frame = 0
            #expect(image(try ImageCodecs.standard.decode(data, options: options).bitmap)[0] == "GG")
            options.frame = 2
            #expect(throws: ImagingError.noSuchFrame(2, count: 2)) {
                try ImageCodecs.standard.decode(data, options: options)
            }
        }
    }

    // Scenario S13 of the conformance list.
    @Test("A frame control before the default image makes it the first frame")
    func defaultImageIsFrame() throws {
        for announced in [nil, 7, 1] {
            var builder = APNGBuilder(2, 2, frames: [try frame(red), try frame(green), try frame(blue)])
            builder.announced = announced
            let data = try builder.data()
            #expect(try letters(data).map { $0[0] } == ["RR", "GG", "BB"])
            #expect(try poster(data)[0] == "RR")
        }
    }

    @Test func `A single frame that is not the default image can be asked for`() throws {
        let data = try APNGBuilder(2, 2, defaultImage: try solid(2, 2, red), frames: [try frame(green)]).data()
        #expect(try letters(data) == [["GG", "GG"]])
        #expect(try poster(data)[0] == "RR")
    }

    // Scenario S15 of the conformance list.
    @Test("A delay denominator of 0 means hundredths; up to 10 ms plays as 100 ms")
    func delays() throws {
        let delays = [(0, 0), (1, 0), (2, 0), (1, 100), (11, 1000), (1, 1000), (65535, 1), (3, 4)]
        let frames = try delays.map { numerator, denominator in
            var frame = try frame(red)
            (frame.numerator, frame.denominator) = (numerator, denominator)
            return frame
        }
        var builder = APNGBuilder(2, 2, frames: frames)
        builder.plays = 3
        let info = try PNGDecoder().info(try builder.data(), isComplete: true, limits: .init())
        let raw: [Double] = [0, 0.01, 0.02, 0.01, 0.011, 0.001, 65535, 0.75]
        let played: [Double] = [0.1, 0.1, 0.02, 0.1, 0.011, 0.1, 65535, 0.75]
        #expect(info.frames.map(\.rawDuration) == raw)
        #expect(info.frames.map(\.duration) == played)
        #expect(info.loopCount == 3)
    }

    // Scenario S17 of the conformance list.
    @Test("Dispose to background and to previous, only the frame's rectangle")
    func disposals() throws {
        let one = { (x: Int, color: UInt32, disposal: UInt8) in
            APNGBuilder.Frame(x: x, y: 0, bitmap: try solid(2, 1, color), disposal: disposal)
        }
        let data = try APNGBuilder(
            4, 1,
            frames: [
                .init(bitmap: try solid(4, 1, red)), try one(0, green, 1), try one(1, blue, 2), try one(2, green, 0),
                try one(0, blue, 2), try one(2, red, 0),
            ]
        ).data()
        #expect(try letters(data) == [["RRRR"], ["GGRR"], [".BBR"], ["..GG"], ["BBGG"], ["..RR"]])
        let first = try APNGBuilder(
            2, 1, frames: [.init(bitmap: try solid(2, 1, red), disposal: 2), .init(bitmap: try solid(1, 1, blue))]
        ).data()
        #expect(try letters(first) == [["RR"], ["B."]])
    }

    @Test func `Blend over mixes, blend source replaces, alpha and all`() throws {
        let half: UInt32 = 0x0000_FF80
        let data = try APNGBuilder(
            2, 1,
            frames: [
                .init(bitmap: try solid(2, 1, red)), .init(bitmap: try solid(1, 1, half), blend: 1),
                .init(x: 1, bitmap: try solid(1, 1, half), blend: 0),
                .init(bitmap: try solid(2, 1, clear), blend: 1), .init(bitmap: try solid(2, 1, clear), blend: 0),
            ]
        ).data()
        let source = try #require(try PNGDecoder().frames(data, options: .init()))
        let frames = try (0..<5).map { try source.frame(at: $0) }
        #expect(frames[1].words == [0x7F00_80FF, 0xFF00_00FF])
        #expect(frames[2].words[1] == 0x0000_8080)
        #expect(frames[3].words == frames[2].words)
        #expect(frames[4].words == [0, 0])
    }

    @Test func `Random mixtures of disposal and blend equal a painter, at random too`() throws {
        var random = Sequence32(seed: 77)
        for round in 0..<40 {
            let frames = try (0..<10).map { index in
                let isFull = index == 0 || random.next(4) == 0
                let (x, y) = isFull ? (0, 0) : (random.next(4), random.next(3))
                let (width, height) = isFull ? (6, 5) : (1 + random.next(6 - x), 1 + random.next(5 - y))
                let bitmap = try painted(width, height) { _, _ in [red, green, blue, clear][random.next(4)] }
                return APNGBuilder.Frame(
                    x: x, y: y, bitmap: bitmap, disposal: UInt8(random.next(3)), blend: UInt8(random.next(2)))
            }
            var builder = APNGBuilder(6, 5, frames: frames)
            builder.pieceSize = 1 + random.next(40)
            let right = composed(builder)
            let source = try #require(try PNGDecoder().frames(try builder.data(), options: .init()))
            for index in Array(0..<10) + (0..<15).map({ _ in random.next(10) }) {
                #expect(image(try source.frame(at: index)) == right[index], "round \(round), frame \(index)")
            }
        }
    }

    private func composed(_ builder: APNGBuilder) -> [[String]] {
        var canvas = Array(repeating: Array(repeating: Character("."), count: builder.width), count: builder.height)
        return builder.frames.map { frame in
            let before = canvas
            let letters = image(frame.bitmap).map(Array.init)
            for y in 0..<letters.count {
                for x in 0..<letters[y].count where frame.blend == 0 || letters[y][x] != "." {
                    canvas[frame.y + y][frame.x + x] = letters[y][x]
                }
            }
            let shown = canvas.map { String($0) }
            if frame.disposal == 2 { canvas = before }
            if frame.disposal == 1 {
                for y in 0..<letters.count {
                    for x in 0..<letters[y].count { canvas[frame.y + y][frame.x + x] = "." }
                }
            }
            return shown
        }
    }

    // Scenario S19 of the conformance list.
    @Test("A cut APNG is refused when strict, plays its whole frames when lenient")
    func cut() throws {
        let noise = try painted(8, 8) { x, y in rgba(x * 31 * y + x, 0, y * 17) }
        var builder = APNGBuilder(8, 8, frames: [try frame(red, 8), try frame(green, 8), .init(bitmap: noise)])
        builder.hasEnd = false
        let whole = try builder.data()
        #expect(try letters(whole).count == 3, "only the end chunk is missing")
        let cut = whole.dropLast(20)
        #expect(throws: ImagingError.truncated(.png)) { try PNGDecoder().frames(cut, options: .init()) }
        #expect(try letters(cut, isLenient: true).map { $0[0] } == ["RRRRRRRR", "GGGGGGGG"])
    }

    // Scenario S21 of the conformance list.
    @Test("Over a cap of 256 frames the animation is refused")
    func cap() throws {
        let data = try APNGBuilder(
            1, 1, frames: try (0..<300).map { .init(bitmap: try solid(1, 1, rgba($0 >> 8, $0, 0))) }
        ).data()
        let source = try #require(try PNGDecoder().frames(data, options: .init()))
        for index in [299, 0, 256, 255] {
            let pixel = try source.frame(at: index)[x: 0, y: 0]
            #expect(Int(pixel.red) * 256 + Int(pixel.green) == index)
        }
        var options = DecodeOptions()
        options.limits.maximumFrameCount = 256
        #expect(throws: ImagingError.tooManyFrames(.png, limit: 256)) {
            try PNGDecoder().frames(data, options: options)
        }
    }

    @Test func `Cut at every byte and with flipped bits, nothing crashes`() throws {
        var random = Sequence32(seed: 4)
        let data = try APNGBuilder(
            4, 4,
            frames: [
                try frame(red, 4), .init(x: 1, y: 1, bitmap: try solid(2, 2, 0x0000_FF80), disposal: 1, blend: 1),
                .init(x: 2, y: 0, bitmap: try solid(2, 4, green), disposal: 2),
            ]
        ).data()
        var lenient = DecodeOptions()
        lenient.isLenient = true
        func play(_ data: Data) {
            for options in [lenient, DecodeOptions()] {
                guard let source = try? PNGDecoder().frames(data, options: options) else { continue }
                for index in 0..<source.info.frameCount { _ = try? source.frame(at: index) }
            }
        }
        for count in 0..<data.count { play(data.prefix(count)) }
        for _ in 0..<1500 {
            var bad = data
            for _ in 0...random.next(4) { bad[random.next(bad.count)] ^= UInt8(1 << random.next(8)) }
            play(bad)
        }
    }
}
