#if JXL
    import Foundation
    import Testing

    @testable import TintypeImaging

    @Suite("Layers of JPEG XL count before they are decoded") struct JXLLayerTests {
        /// 64 × 64: 20 layers, all but the first of one pixel; or 8 layers of the whole size.
        private func file(_ name: String) throws -> Data {
            let url = try #require(
                Bundle.module.url(forResource: name, withExtension: "jxl", subdirectory: "Fixtures"))
            return try Data(contentsOf: url)
        }

        private func code(_ body: () throws -> Void) -> String? {
            do {
                try body()
                return nil
            } catch {
                return (error as? ImagingError)?.code ?? "\(error)"
            }
        }

        @Test(
            "each layer counts as the whole canvas, whatever its own size",
            arguments: [("jxl-layers", 20), ("jxl-full-layers", 8)])
        func canvas(name: String, count: Int) throws {
            let data = try file(name)
            var options = DecodeOptions()
            options.limits.maximumPixelCount = 64 * 64 * count
            #expect(try JXLDecoder().decode(data, options: options).bitmap.size.area == 64 * 64)
            options.limits.maximumPixelCount -= 1
            #expect(code { _ = try JXLDecoder().decode(data, options: options) } == "imageTooLarge")
            #expect(code { _ = try JXLDecoder().frames(data, options: options) } == nil)
            let previews = try #require(JXLDecoder().incrementalDecoder(options: options))
            #expect(code { try previews.append(data) } == "imageTooLarge")
            // The facts need no layers.
            #expect(try JXLDecoder().info(data, isComplete: true, limits: options.limits).storedSize.area == 64 * 64)
        }

        @Test(
            "layers count against what all frames of an animation may have",
            arguments: ["jxl-layers", "jxl-full-layers"])
        func animation(name: String) throws {
            var options = DecodeOptions()
            options.limits.maximumAnimationPixelCount = 64 * 64 * 7
            #expect(code { _ = try JXLDecoder().decode(try file(name), options: options) } == "imageTooLarge")
        }

        @Test("the reported file of 20 layers is refused") func reported() throws {
            let data = try file("jxl-20-layers")
            #expect(code { _ = try ImageCodecs.standard.decode(data) } == "imageTooLarge")
            #expect(try ImageCodecs.standard.info(data).storedSize == PixelSize(width: 4000, height: 4000))
        }

        @Test("work on frames that libjxl does not report can be stopped between them") func hiddenFrames() throws {
            // Type 3 (skipped by progressive players) instead of 0, for all layers but the first and the last.
            let start: [UInt8] = [0x08, 0x88, 0, 0, 0x40, 0, 1, 0x22, 0x11, 2]
            var bytes = [UInt8](try file("jxl-layers"))
            for index in 0..<(bytes.count - start.count) where Array(bytes[index..<(index + start.count)]) == start {
                bytes[index] = 0x0E
            }
            let data = Data(bytes)
            final class Count: @unchecked Sendable {
                // Used by one thread.
                var value = 0
            }
            func checks(failingAt limit: Int) throws -> Int {
                let count = Count()
                do {
                    try ImagingCancellation.withCheck {
                        count.value += 1
                        if count.value == limit { throw CancellationError() }
                    } operation: {
                        _ = try JXLDecoder().decode(data, options: DecodeOptions())
                    }
                } catch is CancellationError {
                    return -count.value
                }
                return count.value
            }
            let all = try checks(failingAt: .max)
            #expect(all > 10)
            #expect(try checks(failingAt: all - 3) == 3 - all)
        }
    }
#endif
