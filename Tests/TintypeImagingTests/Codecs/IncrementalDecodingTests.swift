import Foundation
import Testing

@testable import TintypeImaging

@Suite("Decoding while bytes arrive") struct IncrementalDecodingTests {
    /// Feeds a file in pieces and keeps every preview.
    private func previews(_ data: Data, pieceSize: Int, options: DecodeOptions = DecodeOptions()) throws
        -> [DecodedImage]
    {
        let decoder = ProgressiveImageDecoder(options: options)
        var result: [DecodedImage] = []
        for start in stride(from: 0, to: data.count, by: pieceSize) {
            try decoder.append(data[start..<min(start + pieceSize, data.count)])
            if let preview = try decoder.preview() { result.append(preview) }
        }
        #expect(try decoder.preview() == nil)
        return result
    }

    // Scenario S11 of the conformance list.
    @Test("An interlaced PNG in pieces of 500 bytes covers the whole frame early and ends equal")
    func interlacedPNG() throws {
        let samples = PNGDecoderTests.samples(300, 200, type: 2, depth: 8)
        let data = samples.file(isInterlaced: true, pieces: 5)
        let previews = try previews(data, pieceSize: 500)
        let last = try #require(previews.last)
        #expect(last.bitmap.pixels == (try PNGDecoder().decode(data, options: DecodeOptions()).bitmap.pixels))
        #expect(!last.isPartial && last.bitmap.isOpaque)
        // One pixel in 64 is the first pass: from there on nothing is empty.
        let early = try #require(previews.dropFirst(data.count / 64 / 500 + 2).first)
        #expect(early.isPartial && early.bitmap.size == PixelSize(width: 300, height: 200))
        #expect(early.bitmap.pixels.allSatisfy { $0.allSatisfy { $0.alpha == 255 } })
    }

    @Test("A plain PNG grows from the top, whatever the pieces", arguments: [1, 7, 100])
    func plainPNG(pieceSize: Int) throws {
        let samples = PNGDecoderTests.samples(20, 15, type: 6, depth: 8)
        let data = samples.file(pieces: 4)
        let whole = try PNGDecoder().decode(data, options: DecodeOptions()).bitmap
        let previews = try previews(data, pieceSize: pieceSize)
        let first = try #require(previews.first)
        #expect(first.bitmap.pixels[0] == whole.pixels[0] && first.bitmap.pixel(3, 14) == .clear)
        #expect(previews.last?.bitmap.pixels == whole.pixels && previews.last?.isPartial == false)
    }

    @Test("A baseline JPEG grows from the top", arguments: [1, 100, 5000])
    func baselineJPEG(pieceSize: Int) throws {
        let data = try JPEGFixtures.encoded(try TestImages.random(width: 96, height: 80, isOpaque: true), quality: 80)
        let whole = try JPEGDecoder().decode(data, options: DecodeOptions()).bitmap
        let previews = try previews(data, pieceSize: pieceSize)
        #expect(previews.last?.bitmap.pixels == whole.pixels && previews.last?.isPartial == false)
        guard pieceSize < 5000 else { return }
        let first = try #require(previews.first)
        #expect(first.isPartial && first.bitmap.pixel(5, 79) == .clear)
        #expect(first.bitmap.pixels[0] == whole.pixels[0])
    }

    @Test("A progressive JPEG is whole and blurred first", arguments: [1, 64, 1000])
    func progressiveJPEG(pieceSize: Int) throws {
        let data = try JPEGFixtures.encoded(try Bitmap.gradient(120, 90), quality: 85, effort: 9)
        let whole = try JPEGDecoder().decode(data, options: DecodeOptions()).bitmap
        let previews = try previews(data, pieceSize: pieceSize)
        #expect(previews.last?.bitmap.pixels == whole.pixels && previews.last?.isPartial == false)
        #expect(previews.allSatisfy { $0.bitmap.size == PixelSize(width: 120, height: 90) && $0.bitmap.isOpaque })
        guard pieceSize < 1000 else { return }
        #expect(previews.count >= 4)
        #expect(previews[0].bitmap.distance(to: whole).map { $0 < 40 } == true)
    }

    @Test("Previews are turned, and scaled to the target")
    func finishedPreviews() throws {
        let plain = try JPEGFixtures.encoded(try Bitmap.gradient(400, 200), effort: 9)
        let data = JPEGFixtures.withExif(ExifBuilder.block(orientation: 6), plain)
        var options = DecodeOptions()
        options.target = ResizeTarget(width: 50, height: 50)
        let previews = try previews(data, pieceSize: 256, options: options)
        #expect(previews.count > 2)
        #expect(previews.allSatisfy { $0.bitmap.size == PixelSize(width: 25, height: 50) })
        let whole = try ImageCodecs.standard.decode(data, options: options).bitmap
        #expect(previews.last?.bitmap.distance(to: whole).map { $0 <= 2 } == true)
    }

    @Test("Limits hold, and damage is an error, not a crash")
    func damage() throws {
        var options = DecodeOptions()
        options.limits.maximumPixelCount = 100
        let png = PNGDecoderTests.samples(20, 15, type: 6, depth: 8).file()
        let jpeg = try JPEGFixtures.encoded(try Bitmap.gradient(120, 90), effort: 9)
        for data in [png, jpeg] {
            #expect(throws: ImagingError.self) { try previews(data, pieceSize: 50, options: options) }
            var generator = SeededGenerator(state: 5)
            for _ in 0..<200 {
                var damaged = data
                for _ in 0..<4 {
                    damaged[Int.random(in: 0..<damaged.count, using: &generator)] = .random(
                        in: 0...255, using: &generator)
                }
                do {
                    _ = try previews(damaged, pieceSize: 97)
                } catch is ImagingError {}
            }
        }
    }
}
