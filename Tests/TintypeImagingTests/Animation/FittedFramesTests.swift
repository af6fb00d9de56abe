import Foundation
import Testing

@testable import TintypeImaging

/// Frames of animations carry the target and the orientation, as stills do.
@Suite struct FittedFramesTests {
    /// Two frames of 6×4: the left half red, and the left half green.
    private func apng(orientation: Int?) throws -> Data {
        let frames = try [rgba(255, 0, 0), rgba(0, 255, 0)].map { color in
            EncodableFrame(bitmap: try painted(6, 4) { x, _ in x < 3 ? color : rgba(0, 0, 255) }, duration: 0.1)
        }
        var data = try PNGEncoder().encode(frames: frames, loopCount: 0, options: EncodeOptions())
        guard let orientation else { return data }
        var writer = PNGChunkWriter()
        let head = writer.data.count
        writer.append("eXIf", (ExifBuilder.block(orientation: orientation)))
        let place = try #require(data.range(of: Data("acTL".utf8))).lowerBound - 4
        data.insert(contentsOf: writer.data.dropFirst(head), at: place)
        return data
    }

    private func webp(orientation: Int?) throws -> Data {
        let frames = try [rgba(255, 0, 0), rgba(0, 255, 0)].map { color in
            WebPBuilder.Frame(bitmap: try painted(6, 4) { x, _ in x < 3 ? color : rgba(0, 0, 255) })
        }
        var builder = WebPBuilder(6, 4, frames: frames)
        builder.exif = orientation.map { ExifBuilder.block(orientation: $0) }
        return try builder.data()
    }

    @Test(
        "S01: an animation's orientation turns its frames as it turns its poster", arguments: [ImageFormat.png, .webp],
        1...8)
    func orientation(_ format: ImageFormat, _ value: Int) throws {
        let data = try format == .png ? apng(orientation: value) : webp(orientation: value)
        let plain = try #require(
            try ImageCodecs.standard.animation(format == .png ? apng(orientation: nil) : webp(orientation: nil)))
        let image = try #require(try ImageCodecs.standard.animation(data))
        let expected = try #require(ImageOrientation(rawValue: value))
        #expect(image.info.orientation == expected)
        for index in 0..<2 {
            let frame = try image.frame(at: index)
            #expect(frame.pixelBytes == (try plain.frame(at: index).oriented(expected).pixelBytes))
            #expect(frame.size == image.info.size)
            var options = DecodeOptions()
            options.frame = index
            #expect(try ImageCodecs.standard.decode(data, options: options).bitmap.pixelBytes == frame.pixelBytes)
        }
        #expect(try ImageCodecs.standard.decode(data).bitmap.pixelBytes == (try image.frame(at: 0).pixelBytes))
        var options = DecodeOptions()
        options.appliesOrientation = false
        let unturned = try #require(try ImageCodecs.standard.animation(data, options: options))
        #expect(try unturned.frame(at: 1).pixelBytes == (try plain.frame(at: 1).pixelBytes))
    }

    // Scenario S03 of the conformance list.
    @Test("An animated WebP that announces EXIF data says that it needs them before it is measured")
    func awaitsOrientation() throws {
        let data = try webp(orientation: 6)
        #expect(
            try WebPDecoder().info(data, isComplete: true, limits: DecodeLimits()).size
                == PixelSize(width: 4, height: 6))
        #expect(throws: ImagingError.needsMoreData(.webp, byteCount: data.count)) {
            try WebPDecoder().info(data.prefix(data.count - 8), isComplete: false, limits: DecodeLimits())
        }
    }

    @Test("Frames come at the target's size, turned first", arguments: [ImageFormat.gif, .png, .webp])
    func target(format: ImageFormat) throws {
        let frames = try (0..<3).map { number in
            EncodableFrame(
                bitmap: try painted(40, 20) { x, _ in x < 20 ? rgba(255, 0, 0) : rgba(0, number * 100, 0) },
                duration: 0.1)
        }
        var encoding = EncodeOptions()
        encoding.isLossless = true
        let encoder = try #require(ImageCodecs.standard.encoder(for: format))
        let data = try encoder.encode(frames: frames, loopCount: 0, options: encoding)
        var options = DecodeOptions()
        options.target = ResizeTarget(width: 10, height: nil)
        let image = try #require(try ImageCodecs.standard.animation(data, options: options))
        for index in [2, 0, 1] {
            let frame = try image.frame(at: index)
            #expect(frame.size == PixelSize(width: 10, height: 5))
            #expect(frame.channels(1, 2) == [255, 0, 0, 255])
            options.frame = index
            #expect(try ImageCodecs.standard.decode(data, options: options).bitmap.pixelBytes == frame.pixelBytes)
        }
        #expect(image.info.storedSize == PixelSize(width: 40, height: 20))
        if format == .png {
            options.frame = nil
            let turned = try #require(try ImageCodecs.standard.animation(apng(orientation: 6), options: options))
            #expect(try turned.frame(at: 0).size == PixelSize(width: 10, height: 15))
        }
    }
}
