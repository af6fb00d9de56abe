import Testing

@testable import TintypeImaging

@Suite struct ProcessedFramesTests {
    /// Frames of one colour each, whose width grows if wanted; counts what is decoded.
    private final class Source: FrameSource {
        let info: ImageInfo
        let grows: Bool

        init(grows: Bool = false) {
            info = ImageInfo(
                format: .gif, storedSize: PixelSize(width: 8, height: 4), hasAlpha: false, frameCount: 3, loopCount: 2,
                frames: [0.1, 0.2, 0.3].map(ImageInfo.Frame.init))
            self.grows = grows
        }

        func frame(at index: Int) throws -> Bitmap {
            try TestImages.constant((UInt8(index * 100), 0, 0, 255), width: grows ? 8 + index : 8, height: 4)
        }

        func dropState() {}
    }

    @Test("Each frame is processed; times and loops stay, the size is the new one")
    func frames() throws {
        let animation = AnimatedImage(source: Source())
        let processed = try animation.processed(by: .compose([.resize(width: 4), .circle()]))
        #expect(processed.info.size == PixelSize(width: 2, height: 2))
        #expect(processed.info.hasAlpha)
        #expect(processed.info.frames == animation.info.frames)
        #expect(processed.info.loopCount == 2)
        for _ in 0..<2 {
            for index in 0..<3 { #expect(try processed.frame(at: index).channels(1, 1)[0] >= UInt8(index * 75)) }
        }
        #expect(try processed.frame(at: 0).channels(1, 1)[0] == 0)
    }

    @Test("A frame of another size, or a processor that throws, is a typed error")
    func errors() throws {
        let animation = AnimatedImage(source: Source(grows: true))
        let processed = try animation.processed(by: .flip(.horizontal))
        #expect(try processed.frame(at: 0).width == 8)
        let error = #expect(throws: ImagingError.self) { try processed.frame(at: 1) }
        #expect(error?.code == "processorFailed")
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try animation.processed(by: .custom(id: "no") { _ in throw Refusal() }) }
    }
}
