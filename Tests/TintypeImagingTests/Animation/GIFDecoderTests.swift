import Foundation
import Testing

@testable import TintypeImaging

/// Every frame of a file as letters, asked for in order.
private func images(_ data: Data, isLenient: Bool = false) throws -> [[String]] {
    var options = DecodeOptions()
    options.isLenient = isLenient
    guard let source = try GIFDecoder().frames(data, options: options) else {
        return [image(try GIFDecoder().decode(data, options: options).bitmap)]
    }
    return try (0..<source.info.frameCount).map { image(try source.frame(at: $0)) }
}

private func lenient(frame: Int? = nil) -> DecodeOptions {
    var options = DecodeOptions()
    options.isLenient = true
    options.frame = frame
    return options
}

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
            #expect(try images(interlaced) == images(plain), "height \(height)")
        }
    }

    @Test func `Local colours win over global ones; without any, codes are shades of grey`() throws {
        var local = GIFBuilder.Frame(width: 1, height: 1, fill: 1)
        local.palette = [GIFBuilder.white, GIFBuilder.blue]
        let both = GIFBuilder(1, 1, frames: [.init(width: 1, height: 1, fill: 1), local]).data()
        #expect(try images(both) == [["G"], ["B"]])

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
        #expect(try images(GIFBuilder(2, 1, frames: [frame]).data()) == [["WK"]])
    }

    @Test func `Frames are clipped to the canvas on every side`() throws {
        var wide = GIFBuilder.Frame(x: 1, y: 1, width: 4, height: 4)
        wide.pixels = (0..<16).map { UInt8($0 % 4) }
        let data = GIFBuilder(
            3, 3,
            frames: [wide, .init(x: 9, y: 9, width: 2, height: 2, fill: 1), .init(x: 0, y: 2, width: 9, height: 1)]
        ).data()
        #expect(
            try images(data) == [
                ["...", ".RG", ".RG"], ["...", ".RG", ".RG"], ["...", ".RG", "RRR"],
            ])
    }

    @Test func `A screen of size 0 takes that of the first frame`() throws {
        let data = GIFBuilder(0, 0, frames: [.init(x: 1, y: 0, width: 2, height: 2, fill: 1)]).data()
        #expect(try images(data) == [[".GG", ".GG"]])
        #expect(throws: ImagingError.corrupt(.gif, "its size is 0x0")) {
            try GIFDecoder().info(
                GIFBuilder(0, 0, frames: [.init(width: 0, height: 0)]).data(), isComplete: true, limits: .init())
        }
    }

    @Test func `An empty frame draws nothing and keeps its place`() throws {
        let data = GIFBuilder(
            2, 1, frames: [.init(width: 2, height: 1, fill: 1), .init(width: 0, height: 0), .init(width: 1, height: 1)]
        ).data()
        #expect(try images(data) == [["GG"], ["GG"], ["RG"]])
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
        #expect(try images(Data(bytes)) == [["G"], ["G"]])
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
        #expect(try images(slice) == images(data))
    }
}

@Suite struct GIFDelayTests {
    @Test("S15: delays of 0 and 1 hundredths play as 100 ms, longer ones as written")
    func delays() throws {
        let raw = [0, 1, 2, 3, 5, 10, 65535]
        let data = GIFBuilder(1, 1, frames: raw.map { .init(width: 1, height: 1, delay: $0) }).data()
        let info = try GIFDecoder().info(data, isComplete: true, limits: .init())
        #expect(info.frames.map(\.rawDuration) == [0, 0.01, 0.02, 0.03, 0.05, 0.1, 655.35])
        #expect(info.frames.map(\.duration) == [0.1, 0.1, 0.02, 0.03, 0.05, 0.1, 655.35])
    }
}

@Suite struct GIFDisposalTests {
    private let blank = Array(repeating: "........", count: 8)

    @Test("S17: background disposal clears only the frame's rectangle")
    func partialBackground() throws {
        let data = GIFBuilder(
            8, 8,
            frames: [
                .init(width: 8, height: 8, fill: 0), .init(x: 2, y: 2, width: 3, height: 3, fill: 1, disposal: 2),
                .init(x: 7, y: 7, width: 1, height: 1, fill: 2),
            ]
        ).data()
        let red = "RRRRRRRR"
        #expect(
            try images(data) == [
                Array(repeating: red, count: 8),
                [red, red, "RRGGGRRR", "RRGGGRRR", "RRGGGRRR", red, red, red],
                [red, red, "RR...RRR", "RR...RRR", "RR...RRR", red, red, "RRRRRRRB"],
            ])
    }

    @Test("S17: every frame disposed to previous leaves the canvas as it was before it")
    func allPrevious() throws {
        let data = GIFBuilder(
            8, 8,
            frames: (0..<4).map { .init(x: $0 * 2, y: 0, width: 2, height: 1, fill: UInt8($0), disposal: 3) }
        ).data()
        let rest = Array(repeating: "........", count: 7)
        #expect(
            try images(data) == [["RR......"] + rest, ["..GG...."] + rest, ["....BB.."] + rest, ["......WW"] + rest])
    }

    @Test("S17: previous is the canvas before the frame, not the image of the frame before")
    func previousAfterBackground() throws {
        let data = GIFBuilder(
            4, 1,
            frames: [
                .init(width: 4, height: 1, fill: 0), .init(x: 0, y: 0, width: 2, height: 1, fill: 1, disposal: 2),
                .init(x: 1, y: 0, width: 2, height: 1, fill: 2, disposal: 3),
                .init(x: 3, y: 0, width: 1, height: 1, fill: 3, disposal: 1),
                .init(x: 0, y: 0, width: 1, height: 1, fill: 2, disposal: 3),
                .init(x: 2, y: 0, width: 1, height: 1, fill: 1),
            ]
        ).data()
        #expect(try images(data) == [["RRRR"], ["GGRR"], [".BBR"], ["..RW"], ["B.RW"], ["..GW"]])
    }

    @Test("S17: a transparent index that is also the background index shows what is below")
    func transparentBackground() throws {
        var see = GIFBuilder.Frame(width: 4, height: 1, transparent: 0)
        see.pixels = [0, 1, 0, 2]
        var builder = GIFBuilder(4, 1, frames: [.init(width: 4, height: 1, fill: 3), see])
        builder.background = 0
        #expect(try images(builder.data()) == [["WWWW"], ["WGWB"]])
    }

    @Test("S17: the canvas is cleared at the start of each loop, in any order of asking")
    func loopWrap() throws {
        let builder = GIFBuilder(
            4, 1,
            frames: [
                .init(x: 0, y: 0, width: 1, height: 1, fill: 0), .init(x: 1, y: 0, width: 1, height: 1, fill: 1),
                .init(x: 2, y: 0, width: 1, height: 1, fill: 2, disposal: 2),
                .init(x: 3, y: 0, width: 1, height: 1, fill: 3, disposal: 3),
            ])
        let right = [["R..."], ["RG.."], ["RGB."], ["RG.W"]]
        #expect(try images(builder.data()) == right)
        let source = try #require(try GIFDecoder().frames(builder.data(), options: .init()))
        for index in [0, 1, 2, 3, 0, 3, 2, 1, 0, 0, 3, 3, 1, 2] {
            #expect(image(try source.frame(at: index)) == right[index], "frame \(index)")
        }
        _ = try source.frame(at: 2)
        source.dropState()
        #expect(image(try source.frame(at: 3)) == right[3])
    }

    @Test("S17: random mixtures of disposals equal a painter that keeps every canvas")
    func randomMixtures() throws {
        var generator = Sequence32(seed: 20)
        for round in 0..<100 {
            let builder = GIFBuilder(
                6, 5,
                frames: (0..<12).map { _ in
                    var frame = GIFBuilder.Frame(
                        x: generator.next(4), y: generator.next(4), width: 1 + generator.next(6),
                        height: 1 + generator.next(5), disposal: generator.next(4),
                        transparent: generator.next(3) == 0 ? nil : 3)
                    if generator.next(4) == 0 { (frame.x, frame.y, frame.width, frame.height) = (0, 0, 6, 5) }
                    frame.pixels = (0..<frame.width * frame.height).map { _ in UInt8(generator.next(4)) }
                    return frame
                })
            let right = painted(builder)
            let source = try #require(try GIFDecoder().frames(builder.data(), options: .init()))
            for index in 0..<12 {
                #expect(image(try source.frame(at: index)) == right[index], "round \(round), frame \(index)")
            }
            for _ in 0..<24 {
                let index = generator.next(12)
                #expect(image(try source.frame(at: index)) == right[index], "round \(round), again \(index)")
            }
        }
    }

    /// The specification, word for word and without any economy.
    private func painted(_ builder: GIFBuilder) -> [[String]] {
        let letters: [Character] = ["R", "G", "B", "W"]
        var canvas = Array(repeating: Array(repeating: Character("."), count: builder.width), count: builder.height)
        return builder.frames.map { frame in
            let before = canvas
            for y in 0..<frame.height where frame.y + y < builder.height {
                for x in 0..<frame.width where frame.x + x < builder.width {
                    let index = frame.pixels[y * frame.width + x]
                    if index != frame.transparent { canvas[frame.y + y][frame.x + x] = letters[Int(index)] }
                }
            }
            let shown = canvas.map { String($0) }
            if frame.disposal == 3 { canvas = before }
            if frame.disposal == 2 {
                for y in 0..<frame.height where frame.y + y < builder.height {
                    for x in 0..<frame.width where frame.x + x < builder.width {
                        canvas[frame.y + y][frame.x + x] = "."
                    }
                }
            }
            return shown
        }
    }
}

/// Numbers that are the same in every run.
struct Sequence32 {
    private var state: UInt32
    init(seed: UInt32) { state = seed }
    mutating func next(_ bound: Int) -> Int {
        state = state &* 1_664_525 &+ 1_013_904_223
        return Int(state >> 8) % bound
    }
}

@Suite struct GIFDamageTests {
    private func animation(_ count: Int = 5) -> GIFBuilder {
        GIFBuilder(
            4, 4, frames: (0..<count).map { .init(width: 4, height: 4, fill: UInt8($0 % 4)) })
    }

    @Test("S19: a single frame cut at 90 % is shown when lenient, refused when strict")
    func cutStill() throws {
        var frame = GIFBuilder.Frame(width: 40, height: 40)
        frame.pixels = (0..<1600).map { UInt8($0 * 7 % 11 % 4) }
        let data = GIFBuilder(40, 40, frames: [frame]).data()
        let cut = data.prefix(data.count * 9 / 10)
        #expect(throws: ImagingError.truncated(.gif)) { try GIFDecoder().decode(cut, options: .init()) }
        let whole = try GIFDecoder().decode(data, options: .init()).bitmap
        let output = try GIFDecoder().decode(cut, options: lenient())
        #expect(output.isPartial && !output.bitmap.isOpaque)
        let got = image(output.bitmap)
        let wanted = image(whole)
        #expect(got[..<30] == wanted[..<30])
        #expect(got[39] == String(repeating: ".", count: 40))
    }

    @Test("S19: five frames cut inside the third play the first two when lenient")
    func cutThirdFrame() throws {
        let builder = animation()
        let head = builder.data().count - builder.frames.map { builder.block($0).count }.reduce(1, +)
        let end = head + builder.block(builder.frames[0]).count * 2 + builder.block(builder.frames[2]).count - 3
        let cut = builder.data().prefix(end)
        #expect(throws: ImagingError.truncated(.gif)) { try GIFDecoder().decode(cut, options: .init()) }
        #expect(throws: ImagingError.truncated(.gif)) { try GIFDecoder().frames(cut, options: .init()) }
        let source = try #require(try GIFDecoder().frames(cut, options: lenient()))
        #expect(source.info.frameCount == 2 && source.info.frames.count == 2)
        #expect(!source.info.isFrameListComplete)
        #expect(try images(cut, isLenient: true).map { $0[0] } == ["RRRR", "GGGG"])
        #expect(try GIFDecoder().decode(cut, options: lenient(frame: 1)).isPartial)
        #expect(try GIFDecoder().info(cut, isComplete: true, limits: .init()).frameCount == 2)
    }

    @Test("S19: a missing trailer alone is fine")
    func missingTrailer() throws {
        var builder = animation(3)
        builder.hasTrailer = false
        #expect(try images(builder.data()).map { $0[0] } == ["RRRR", "GGGG", "BBBB"])
        #expect(try !GIFDecoder().decode(builder.data(), options: .init()).isPartial)
    }

    @Test("S19: an invalid block size in the fourth frame leaves the first three")
    func invalidBlockSize() throws {
        let builder = animation()
        let head = builder.data().count - builder.frames.map { builder.block($0).count }.reduce(1, +)
        let sizes = builder.frames.map { builder.block($0).count }
        let offset = head + sizes[0] + sizes[1] + sizes[2] + 8 + 10 + 1
        for wrong in [0, 1, 77, 255] as [UInt8] {
            var data = builder.data()
            data[offset] = wrong
            #expect(throws: ImagingError.self, "\(wrong)") {
                _ = try GIFDecoder().decode(data, options: .init())
                let frames = try GIFDecoder().frames(data, options: .init())
                _ = try (0..<5).map { try frames?.frame(at: $0) }
            }
            let played = try images(data, isLenient: true).map { $0[0] }
            #expect(played.prefix(3) == ["RRRR", "GGGG", "BBBB"], "\(wrong)")
        }
    }

    @Test func `Bytes behind the trailer are ignored, stray terminators too`() throws {
        let builder = animation(2)
        var data = builder.data() + Data("<html>".utf8)
        #expect(try images(data).count == 2)
        data = builder.data().dropLast() + Data([0, 0, 0]) + Data(builder.block(builder.frames[0])) + Data([0, 0x3B])
        #expect(try images(data).count == 3)
    }

    @Test func `Pixels that never come are transparent, whatever was in the memory`() throws {
        let builder = GIFBuilder(4, 4)
        var short = builder.block(.init(width: 4, height: 4, fill: 1))
        short.replaceSubrange(
            19..., with: builder.subBlocks(builder.lzw(Array(repeating: 1, count: 6), minimumCodeSize: 2)))
        let first = builder.block(.init(width: 4, height: 4, fill: 3))
        let data = Data(builder.data().dropLast() + first + short + [0x3B])
        #expect(try images(data) == [Array(repeating: "WWWW", count: 4), ["GGGG", "GG..", "....", "...."]])
    }

    @Test func `A code that was never defined is damage`() throws {
        let builder = GIFBuilder(4, 1)
        var frame = builder.block(.init(width: 4, height: 1, fill: 1))
        // Clear (4), pixel 1, then code 7, which comes one too early: 3 bits each.
        frame.replaceSubrange(19..., with: [2, 0b1100_1100, 0b0000_0001, 0])
        let data = Data(builder.data().dropLast() + frame + [0x3B])
        #expect(throws: ImagingError.corrupt(.gif, "a frame has an LZW code that was never defined")) {
            try GIFDecoder().decode(data, options: .init())
        }
        let output = try GIFDecoder().decode(data, options: lenient())
        #expect(output.isPartial)
        #expect(image(output.bitmap) == ["G..."])
    }

    @Test func `A file without frames is refused in words`() throws {
        #expect(throws: ImagingError.corrupt(.gif, "it holds no frame")) {
            try GIFDecoder().decode(GIFBuilder(4, 4).data(), options: .init())
        }
        #expect(throws: ImagingError.truncated(.gif)) {
            try GIFDecoder().decode(GIFBuilder(4, 4).data().dropLast(), options: .init())
        }
    }

    @Test("S19: cut at every byte, nothing crashes and whole frames stay right")
    func cutEverywhere() throws {
        let builder = animation(4)
        let data = builder.data()
        let right = try images(data)
        for count in 0..<data.count {
            let cut = data.prefix(count)
            _ = try? GIFDecoder().info(cut, isComplete: false, limits: .init())
            _ = try? GIFDecoder().decode(cut, options: .init())
            guard let source = try? GIFDecoder().frames(cut, options: lenient()) else { continue }
            for index in 0..<source.info.frameCount {
                #expect(image(try source.frame(at: index)) == right[index], "\(count) bytes, frame \(index)")
            }
        }
    }

    @Test func `Flipped bits never crash`() throws {
        var random = Sequence32(seed: 8)
        var builder = animation(4)
        builder.frames[1].isInterlaced = true
        builder.frames[2].transparent = 2
        builder.frames[2].disposal = 3
        let data = builder.data()
        var limits = DecodeOptions()
        limits.isLenient = true
        limits.limits.maximumPixelCount = 1 << 20
        for _ in 0..<3000 {
            var bad = data
            for _ in 0...random.next(4) { bad[random.next(bad.count)] ^= UInt8(1 << random.next(8)) }
            guard let source = try? GIFDecoder().frames(bad, options: limits) else { continue }
            for index in 0..<source.info.frameCount { _ = try? source.frame(at: index) }
        }
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

    @Test("S21: frame k of 300 and of 5,000 shows number k", arguments: [300, 5000])
    func manyFrames(count: Int) throws {
        let source = try #require(try GIFDecoder().frames(numbered(count), options: .init()))
        #expect(source.info.frameCount == count)
        for index in [0, 1, 255, 256, 257, count - 1, 17] + (0..<count) {
            let bitmap = try source.frame(at: index)
            #expect(Int(bitmap[x: 0, y: 0].red) + 128 * Int(bitmap[x: 1, y: 0].red) == index)
        }
    }

    @Test("S21: over a cap of 256 frames the animation is refused, the poster is not")
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
