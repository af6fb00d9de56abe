import Foundation
import Testing

@testable import TintypeImaging

@Suite struct GIFDamageTests {
    private func animation(_ count: Int = 5) -> GIFBuilder {
        GIFBuilder(
            4, 4, frames: (0..<count).map { .init(width: 4, height: 4, fill: UInt8($0 % 4)) })
    }

    // Scenario S19 of the conformance list.
    @Test("A single frame cut at 90 % is shown when lenient, refused when strict")
    func cutStill() throws {
        var frame = GIFBuilder.Frame(width: 40, height: 40)
        frame.pixels = (0..<1600).map { UInt8($0 * 7 % 11 % 4) }
        let data = GIFBuilder(40, 40, frames: [frame]).data()
        let cut = data.prefix(data.count * 9 / 10)
        #expect(throws: ImagingError.truncated(.gif)) { try GIFDecoder().decode(cut, options: .init()) }
        let whole = try GIFDecoder().decode(data, options: .init()).bitmap
        let output = try GIFDecoder().decode(cut, options: lenientOptions())
        #expect(output.isPartial && !output.bitmap.isOpaque)
        let got = image(output.bitmap)
        let wanted = image(whole)
        #expect(got[..<30] == wanted[..<30])
        #expect(got[39] == String(repeating: ".", count: 40))
    }

    // Scenario S19 of the conformance list.
    @Test("Five frames cut inside the third play the first two when lenient")
    func cutThirdFrame() throws {
        let builder = animation()
        let head = builder.data().count - builder.frames.map { builder.block($0).count }.reduce(1, +)
        let end = head + builder.block(builder.frames[0]).count * 2 + builder.block(builder.frames[2]).count - 3
        let cut = builder.data().prefix(end)
        #expect(throws: ImagingError.truncated(.gif)) { try GIFDecoder().decode(cut, options: .init()) }
        #expect(throws: ImagingError.truncated(.gif)) { try GIFDecoder().frames(cut, options: .init()) }
        let source = try #require(try GIFDecoder().frames(cut, options: lenientOptions()))
        #expect(source.info.frameCount == 2 && source.info.frames.count == 2)
        #expect(!source.info.isFrameListComplete)
        #expect(try gifImages(cut, isLenient: true).map { $0[0] } == ["RRRR", "GGGG"])
        #expect(try GIFDecoder().decode(cut, options: lenientOptions(frame: 1)).isPartial)
        #expect(try GIFDecoder().info(cut, isComplete: true, limits: .init()).frameCount == 2)
    }

    // Scenario S19 of the conformance list.
    @Test("A missing trailer alone is fine")
    func missingTrailer() throws {
        var builder = animation(3)
        builder.hasTrailer = false
        #expect(try gifImages(builder.data()).map { $0[0] } == ["RRRR", "GGGG", "BBBB"])
        #expect(try !GIFDecoder().decode(builder.data(), options: .init()).isPartial)
    }

    // Scenario S19 of the conformance list.
    @Test("An invalid block size in the fourth frame leaves the first three")
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
            let played = try gifImages(data, isLenient: true).map { $0[0] }
            #expect(played.prefix(3) == ["RRRR", "GGGG", "BBBB"], "\(wrong)")
        }
    }

    @Test func `Bytes behind the trailer are ignored, stray terminators too`() throws {
        let builder = animation(2)
        var data = builder.data() + Data("<html>".utf8)
        #expect(try gifImages(data).count == 2)
        data = builder.data().dropLast() + Data([0, 0, 0]) + Data(builder.block(builder.frames[0])) + Data([0, 0x3B])
        #expect(try gifImages(data).count == 3)
    }

    @Test func `Pixels that never come are transparent, whatever was in the memory`() throws {
        let builder = GIFBuilder(4, 4)
        var short = builder.block(.init(width: 4, height: 4, fill: 1))
        short.replaceSubrange(
            19..., with: builder.subBlocks(builder.lzw(Array(repeating: 1, count: 6), minimumCodeSize: 2)))
        let first = builder.block(.init(width: 4, height: 4, fill: 3))
        let data = Data(builder.data().dropLast() + first + short + [0x3B])
        #expect(try gifImages(data) == [Array(repeating: "WWWW", count: 4), ["GGGG", "GG..", "....", "...."]])
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
        let output = try GIFDecoder().decode(data, options: lenientOptions())
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

    // Scenario S19 of the conformance list.
    @Test("Cut at every byte, nothing crashes and whole frames stay right")
    func cutEverywhere() throws {
        let builder = animation(4)
        let data = builder.data()
        let right = try gifImages(data)
        for count in 0..<data.count {
            let cut = data.prefix(count)
            _ = try? GIFDecoder().info(cut, isComplete: false, limits: .init())
            _ = try? GIFDecoder().decode(cut, options: .init())
            guard let source = try? GIFDecoder().frames(cut, options: lenientOptions()) else { continue }
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
