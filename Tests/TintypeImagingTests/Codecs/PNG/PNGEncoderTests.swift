import Foundation
import Testing

@testable import TintypeImaging

@Suite("PNG encoder") struct PNGEncoderTests {
    @Test("Round trips, opaque as RGB and others as RGBA, at every effort", arguments: [nil, 0, 1, 3, 6, 9])
    func roundTrip(effort: Int?) throws {
        var options = EncodeOptions()
        options.effort = effort
        for isOpaque in [true, false] {
            for (width, height) in [(1, 1), (33, 7), (100, 60)] {
                let bitmap = try TestImages.random(width: width, height: height, isOpaque: isOpaque)
                let data = try PNGEncoder().encode(bitmap, options: options)
                let output = try PNGDecoder().decode(data, options: DecodeOptions())
                // Straight colours are rounded on the way, premultiplied ones come back as they were.
                #expect(output.bitmap.pixels == bitmap.pixels)
                #expect(output.info.hasAlpha == !isOpaque)
            }
        }
    }

    @Test("Smooth images are filtered well")
    func size() throws {
        let bitmap = try Bitmap.gradient(256, 256)
        #expect(try PNGEncoder().encode(bitmap, options: EncodeOptions()).count < 3000)
    }
}
