import Foundation
import Testing

@testable import TintypeImaging

@Suite struct FrameBoundsTests {
    private func frames(_ count: Int) throws -> [EncodableFrame] {
        try (0..<count).map { number in
            let bitmap = try Bitmap(width: 20, height: 16, isOpaque: true) { bytes, bytesPerRow in
                for y in 0..<16 {
                    for x in 0..<20 {
                        let offset = y * bytesPerRow + x * 4
                        bytes[offset] = UInt8(x * 12)
                        bytes[offset + 1] = UInt8(y * 15)
                        bytes[offset + 2] = UInt8(number * 60)
                        bytes[offset + 3] = 255
                    }
                }
            }
            return EncodableFrame(bitmap: bitmap, duration: 0.1)
        }
    }

    @Test("a file that is cut anywhere gives the frames that it counts, and none before or behind them")
    func cutFiles() throws {
        for format in [ImageFormat.gif, .png, .webp] {
            let encoder = try #require(ImageCodecs.standard.encoder(for: format))
            let decoder = try #require(ImageCodecs.standard.decoder(for: format))
            let whole = try encoder.encode(frames: frames(4), loopCount: 0, options: EncodeOptions())
            for isLenient in [false, true] {
                var options = DecodeOptions()
                options.isLenient = isLenient
                var opened = 0
                for count in stride(from: 40, through: whole.count, by: 7) {
                    // Errors are right for files that are cut too early.
                    guard let source = try? decoder.frames(whole.prefix(count), options: options) else { continue }
                    opened += 1
                    for index in [-1, source.info.frameCount, source.info.frameCount + 1] {
                        #expect(throws: ImagingError.self, "\(format), \(count) bytes, frame \(index)") {
                            try source.frame(at: index)
                        }
                    }
                }
                #expect(opened > 0 || !isLenient)
            }
        }
    }
}
