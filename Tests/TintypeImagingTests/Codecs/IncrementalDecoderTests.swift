import Foundation
import Testing
import TintypeBase

@testable import TintypeImaging

@Suite struct IncrementalDecoderTests {
    private func noise(_ width: Int, _ height: Int, colors: Int = 1 << 24) throws -> Bitmap {
        var random = Sequence32(seed: 12)
        return try painted(width, height) { _, _ in
            let color = random.next(colors)
            return rgba(color >> 16, color >> 8, color)
        }
    }

    /// Feeds the bytes in pieces and gives each preview with the bytes that were there.
    private func previews(_ data: Data, _ decoder: any IncrementalDecoder, piece: Int) throws -> [(Int, DecoderOutput)]
    {
        var result: [(Int, DecoderOutput)] = []
        for start in stride(from: 0, to: data.count, by: piece) {
            let end = min(start + piece, data.count)
            // A slice, whose indices do not start at 0.
            try decoder.append(data[data.startIndex + start..<data.startIndex + end])
            if let preview = try decoder.preview() { result.append((end, preview)) }
        }
        return result
    }

    private func rowsShown(_ bitmap: Bitmap) -> Int {
        (0..<bitmap.height).filter { y in (0..<bitmap.width).allSatisfy { bitmap[x: $0, y: y].alpha == 255 } }.count
    }

    @Test func `GIF rows appear as they come, and end as the whole image`() throws {
        let data = try GIFEncoder().encode(noise(60, 60, colors: 200), options: .init())
        let whole = try GIFDecoder().decode(data, options: .init()).bitmap
        for piece in [1, 37, 500] {
            let decoder = try #require(GIFDecoder().incrementalDecoder(options: .init()))
            let got = try previews(data, decoder, piece: piece)
            #expect(got.count > 3)
            var rows = 0
            for (_, output) in got {
                #expect(rowsShown(output.bitmap) >= rows)
                rows = rowsShown(output.bitmap)
                #expect(output.info.size == whole.size)
                // What is there is right.
                for y in 0..<rows { #expect(output.bitmap[x: 59, y: y] == whole[x: 59, y: y]) }
            }
            #expect(got.last?.1.bitmap.words == whole.words && got.last?.1.isPartial == false)
            #expect(try decoder.preview() == nil)
        }
    }

    @Test func `An interlaced GIF covers the whole frame early`() throws {
        var frame = GIFBuilder.Frame(width: 16, height: 64)
        frame.isInterlaced = true
        var random = Sequence32(seed: 1)
        frame.pixels = (0..<16 * 64).map { _ in UInt8(random.next(4)) }
        let data = GIFBuilder(16, 64, frames: [frame, frame]).data()
        let whole = try GIFDecoder().decode(data, options: .init()).bitmap
        let decoder = try #require(GIFDecoder().incrementalDecoder(options: .init()))
        let got = try previews(data, decoder, piece: 8)
        let first = try #require(got.first { rowsShown($0.1.bitmap) == 64 })
        #expect(first.0 < data.count / 4 && first.1.isPartial)
        #expect(got.last?.1.bitmap.words == whole.words)
    }

    @Test(arguments: [true, false], [true, false])
    func `WebP rows appear as they come`(isLossless: Bool, hasAlpha: Bool) throws {
        var options = EncodeOptions()
        options.isLossless = isLossless
        var random = Sequence32(seed: 9)
        let image = try painted(120, 160) { x, y in
            rgba(x * 2, y, random.next(90), hasAlpha && (x + y) % 20 == 0 ? 128 : 255)
        }
        let data = try WebPEncoder().encode(image, options: options)
        let whole = try WebPDecoder().decode(data, options: .init()).bitmap
        let decoder = try #require(WebPDecoder().incrementalDecoder(options: .init()))
        let got = try previews(data, decoder, piece: data.count / 20)
        #expect(got.count > 3 && got.first?.1.isPartial == true)
        for (_, output) in got where output.isPartial {
            #expect(output.bitmap[x: 3, y: 159] == (0, 0, 0, 0))
            #expect(output.bitmap[x: 3, y: 0] == whole[x: 3, y: 0])
        }
        #expect(got.last?.1.bitmap.words == whole.words && got.last?.1.isPartial == false)
    }

    @Test func `The first frame of an animated WebP is shown when it is whole`() throws {
        let frames = try [0xFF00_00FF, 0x00FF_00FF, 0x0000_FFFF].map {
            WebPBuilder.Frame(x: 2, y: 2, bitmap: try solid(4, 4, $0))
        }
        let data = try WebPBuilder(8, 8, frames: frames).data()
        let decoder = try #require(WebPDecoder().incrementalDecoder(options: .init()))
        let got = try previews(data, decoder, piece: 3)
        #expect(got.count == 1 && got[0].0 < data.count * 2 / 3)
        #expect(got.first.map { image($0.1.bitmap)[2] } == "..RRRR..")
    }

    @Test func `Previews of damaged data end in an error or in nothing, and never crash`() throws {
        var random = Sequence32(seed: 31)
        let gif = try GIFEncoder().encode(noise(20, 20, colors: 90), options: .init())
        let webp = try WebPEncoder().encode(noise(20, 20), options: .init())
        for (data, source) in [(gif, GIFDecoder() as any ImageDecoder), (webp, WebPDecoder())] {
            for _ in 0..<400 {
                var bad = data
                for _ in 0...random.next(4) { bad[random.next(bad.count)] ^= UInt8(1 << random.next(8)) }
                var options = DecodeOptions()
                options.limits.maximumPixelCount = 1 << 16
                guard let decoder = source.incrementalDecoder(options: options) else { continue }
                _ = try? previews(bad, decoder, piece: 1 + random.next(60))
            }
        }
    }
}
