import Testing

@testable import TintypeImaging

@Suite struct ColorProcessorTests {
    private func pixel(
        _ processor: any ImageProcessor, _ red: Int, _ green: Int, _ blue: Int, _ alpha: Int = 255
    ) throws -> [Int] {
        let color = TestImages.premultiplied(red, green, blue, alpha)
        let result = try processor.process(try TestImages.constant(color, width: 3, height: 2))
        #expect(processor.outputSize(for: PixelSize(width: 3, height: 2)) == result.size)
        #expect(result.isOpaque == (alpha == 255))
        return result.channels(2, 1).map(Int.init)
    }

    @Test("Grey, sepia, brightness, contrast and saturation of known colours")
    func matrices() throws {
        #expect(try pixel(.grayscale(), 255, 0, 0) == [54, 54, 54, 255])
        #expect(try pixel(.grayscale(), 0, 255, 0) == [182, 182, 182, 255])
        #expect(try pixel(.grayscale(), 0, 0, 255) == [18, 18, 18, 255])
        #expect(try pixel(.grayscale(amount: 0), 12, 34, 56) == [12, 34, 56, 255])
        #expect(try pixel(.grayscale(), 77, 77, 77) == [77, 77, 77, 255])
        #expect(try pixel(.sepia(), 255, 255, 255) == [255, 255, 239, 255])
        #expect(try pixel(.sepia(), 100, 100, 100) == [135, 120, 94, 255])
        #expect(try pixel(.sepia(amount: 0.5), 100, 100, 100) == [118, 110, 97, 255])
        #expect(try pixel(.colorControls(brightness: 0.2), 100, 200, 240) == [151, 251, 255, 255])
        #expect(try pixel(.colorControls(brightness: -1), 100, 200, 240) == [0, 0, 0, 255])
        #expect(try pixel(.colorControls(contrast: 2), 100, 128, 200) == [73, 129, 255, 255])
        #expect(try pixel(.colorControls(contrast: 0), 1, 2, 3) == [128, 128, 128, 255])
        #expect(try pixel(.colorControls(saturation: 0), 255, 0, 0) == [54, 54, 54, 255])
        #expect(try pixel(.colorControls(saturation: 2), 150, 100, 100) == [189, 89, 89, 255])
    }

    @Test("Half transparent pixels change as opaque ones do, and stay half transparent")
    func premultiplied() throws {
        for processor: any ImageProcessor in [
            .grayscale(), .sepia(), .colorControls(brightness: 0.2, contrast: 1.5, saturation: 0.5),
            .tint(PixelColor(rgb: 0x3366CC, alpha: 0.4)),
        ] {
            let opaque = try pixel(processor, 40, 180, 90)
            let half = try pixel(processor, 40, 180, 90, 128)
            #expect(half[3] == 128)
            for channel in 0..<3 { #expect(abs(half[channel] - opaque[channel] * 128 / 255) <= 1) }
            #expect(try pixel(processor, 0, 0, 0, 0) == [0, 0, 0, 0])
        }
    }

    @Test("A tint stays within the outline; over an image it mixes by its alpha")
    func tint() throws {
        #expect(try pixel(.tint(PixelColor(red: 255, green: 0, blue: 0, alpha: 128)), 0, 0, 255) == [128, 0, 127, 255])
        #expect(try pixel(.tint(PixelColor(rgb: 0x204060), mode: .sourceIn), 9, 9, 9) == [32, 64, 96, 255])
        let symbol = try TestImages.make(width: 2, height: 1) { x, _ in x == 0 ? (0, 0, 0, 0) : (0, 0, 0, 128) }
        let tinted = try ImageProcessors.Tint(color: PixelColor(rgb: 0xFF8000), mode: .sourceIn).process(symbol)
        #expect(tinted.channels(0, 0) == [0, 0, 0, 0])
        #expect(tinted.channels(1, 0) == [128, 64, 0, 128])
    }

    @Test("A ground shows through exactly as much as it should")
    func background() throws {
        let half = try TestImages.constant((100, 0, 0, 128), width: 2, height: 2)
        let result = try ImageProcessors.Background(color: .white).process(half)
        #expect(result.channels(0, 0) == [227, 127, 127, 255])
        #expect(result.isOpaque)
        let translucent = try ImageProcessors.Background(color: PixelColor(red: 255, green: 255, blue: 255, alpha: 128))
            .process(half)
        #expect(translucent.channels(0, 0) == [164, 64, 64, 192])
        #expect(!translucent.isOpaque)
    }

    @Test("Parameters out of range fail", arguments: [Double.nan, -.infinity, .infinity, -2, 1e9])
    func badParameters(value: Double) throws {
        let bitmap = try TestImages.constant((1, 1, 1, 255), width: 4, height: 4)
        let processors: [any ImageProcessor] = [
            .grayscale(amount: value), .sepia(amount: value), .colorControls(brightness: value),
            .colorControls(contrast: value), .colorControls(saturation: value), .blur(sigma: value),
            .sharpen(amount: value), .sharpen(sigma: value), .sharpen(threshold: value),
            .overlay(bitmap, id: "x", opacity: value),
        ]
        for processor in processors {
            let error = #expect(throws: ImagingError.self, "\(processor.identifier)") { try processor.process(bitmap) }
            #expect(error?.code == "processorFailed")
        }
    }
}
