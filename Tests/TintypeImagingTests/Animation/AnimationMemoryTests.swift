import Foundation
import Testing

@testable import TintypeImaging

/// A long animation of a large image, from a file of less than a megabyte.
@Suite struct AnimationMemoryTests {
    /// 1600×900, 400 frames, of which each paints a part of the canvas in another colour.
    private static func movie() -> Data {
        var builder = GIFBuilder(1600, 900)
        builder.loop = 0
        // The codes of all frames are the same; only their place and colours differ.
        builder.frames = [GIFBuilder.Frame(width: 1600, height: 900)]
        builder.hasTrailer = false
        var frame = GIFBuilder.Frame(width: 200, height: 200, fill: 1, delay: 4)
        frame.palette = [0, 0]
        let block = builder.block(frame)
        var data = builder.data()
        for number in 0..<399 {
            // Behind the control extension of 8 bytes: the place, the size, flags, two colours.
            var copy = block
            for (offset, value) in [(9, number * 3), (11, number)] {
                copy[offset] = UInt8(value & 255)
                copy[offset + 1] = UInt8(value >> 8)
            }
            copy[21] = UInt8(number * 7 & 255)
            copy[22] = UInt8(number & 255)
            data.append(contentsOf: copy)
        }
        data.append(0x3B)
        return data
    }

    @Test("400 frames of 1600×900 from less than a megabyte: two loops in 80 MB, played in a process of its own")
    func playingTakesLittleMemory() throws {
        let data = Self.movie()
        #expect(data.count < 1_000_000)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tintype-\(UUID().uuidString).gif")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let child = try AnimationChild.run([file.path, "2"])
        try #require(child.status == 0)
        let numbers = try #require(try JSONSerialization.jsonObject(with: child.output) as? [String: Int])
        let (baseline, peak) = (try #require(numbers["baseline"]), try #require(numbers["peak"]))
        #expect(numbers["frames"] == 800)
        // A sanitizer needs memory of its own, and keeps what has been freed for a while.
        let environment = ProcessInfo.processInfo.environment
        let isSanitized = environment["TSAN_OPTIONS"] != nil || environment["ASAN_OPTIONS"] != nil
        #expect(
            peak - baseline <= 80_000_000 || isSanitized, "\((peak - baseline) >> 20) MiB over \(baseline >> 20) MiB")
        // All frames together would be 2.3 GB; some are kept.
        #expect(peak - baseline > 8 << 20)
    }

    @Test("As a still, one frame of it is decoded")
    func stillsDecodeOneFrame() throws {
        var builder = GIFBuilder(8, 8)
        builder.frames = (0..<400).map { GIFBuilder.Frame(width: 8, height: 8, fill: UInt8($0 % 4)) }
        let source = try #require(
            try GIFDecoder().frames(builder.data(), options: DecodeOptions()) as? CompositedFrameSource)
        _ = try source.frame(at: 0)
        #expect(source.decodedFrameCount == 1)
        // Through the facade: were another frame looked at, its codes that were never defined would be an error.
        var bytes = builder.data()
        let first = builder.block(builder.frames[0]).count
        let second = 13 + 12 + first
        for index in (second + 20)..<(second + builder.block(builder.frames[1]).count - 1) { bytes[index] = 0xFF }
        #expect(throws: ImagingError.self) {
            let image = try #require(try ImageCodecs.standard.animation(bytes))
            _ = try image.frame(at: 1)
        }
        #expect(try ImageCodecs.standard.decode(bytes).bitmap.channels(3, 3) == [255, 0, 0, 255])
    }
}
