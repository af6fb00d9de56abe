import Foundation
import Testing

@testable import TintypeImaging

@Suite struct GIFDisposalTests {
    private let blank = Array(repeating: "........", count: 8)

    // Scenario S17 of the conformance list.
    @Test("Background disposal clears only the frame's rectangle")
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
            try gifImages(data) == [
                Array(repeating: red, count: 8),
                [red, red, "RRGGGRRR", "RRGGGRRR", "RRGGGRRR", red, red, red],
                [red, red, "RR...RRR", "RR...RRR", "RR...RRR", red, red, "RRRRRRRB"],
            ])
    }

    // Scenario S17 of the conformance list.
    @Test("Every frame disposed to previous leaves the canvas as it was before it")
    func allPrevious() throws {
        let data = GIFBuilder(
            8, 8,
            frames: (0..<4).map { .init(x: $0 * 2, y: 0, width: 2, height: 1, fill: UInt8($0), disposal: 3) }
        ).data()
        let rest = Array(repeating: "........", count: 7)
        #expect(
            try gifImages(data) == [["RR......"] + rest, ["..GG...."] + rest, ["....BB.."] + rest, ["......WW"] + rest])
    }

    // Scenario S17 of the conformance list.
    @Test("Previous is the canvas before the frame, not the image of the frame before")
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
        #expect(try gifImages(data) == [["RRRR"], ["GGRR"], [".BBR"], ["..RW"], ["B.RW"], ["..GW"]])
    }

    // Scenario S17 of the conformance list.
    @Test("A transparent index that is also the background index shows what is below")
    func transparentBackground() throws {
        var see = GIFBuilder.Frame(width: 4, height: 1, transparent: 0)
        see.pixels = [0, 1, 0, 2]
        var builder = GIFBuilder(4, 1, frames: [.init(width: 4, height: 1, fill: 3), see])
        builder.background = 0
        #expect(try gifImages(builder.data()) == [["WWWW"], ["WGWB"]])
    }

    // Scenario S17 of the conformance list.
    @Test("The canvas is cleared at the start of each loop, in any order of asking")
    func loopWrap() throws {
        let builder = GIFBuilder(
            4, 1,
            frames: [
                .init(x: 0, y: 0, width: 1, height: 1, fill: 0), .init(x: 1, y: 0, width: 1, height: 1, fill: 1),
                .init(x: 2, y: 0, width: 1, height: 1, fill: 2, disposal: 2),
                .init(x: 3, y: 0, width: 1, height: 1, fill: 3, disposal: 3),
            ])
        let right = [["R..."], ["RG.."], ["RGB."], ["RG.W"]]
        #expect(try gifImages(builder.data()) == right)
        let source = try #require(try GIFDecoder().frames(builder.data(), options: .init()))
        for index in [0, 1, 2, 3, 0, 3, 2, 1, 0, 0, 3, 3, 1, 2] {
            #expect(image(try source.frame(at: index)) == right[index], "frame \(index)")
        }
        _ = try source.frame(at: 2)
        source.dropState()
        #expect(image(try source.frame(at: 3)) == right[3])
    }

    // Scenario S17 of the conformance list.
    @Test("Random mixtures of disposals equal a painter that keeps every canvas")
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
