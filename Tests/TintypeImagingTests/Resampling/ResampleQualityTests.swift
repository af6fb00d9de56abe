import Testing

@testable import TintypeImaging

@Suite struct ResampleQualityTests {
    /// Straight pixels made premultiplied by the kernel that the decoders use.
    private func premultiplied(_ straight: [UInt8], width: Int, height: Int) throws -> Bitmap {
        try Bitmap(width: width, height: height) { bytes, _ in
            guard let output = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            straight.withUnsafeBufferPointer { input in
                guard let base = input.baseAddress else { return }
                _ = pixelKernels.premultiply(output, base, width * height)
            }
        }
    }

    /// A white disc with a soft edge; around it, transparent pixels of a colour that must not be seen.
    private func disc(hidden: UInt8) throws -> Bitmap {
        let side = 60
        var straight: [UInt8] = []
        for y in 0..<side {
            for x in 0..<side {
                let (dx, dy) = (Double(x) - 29.5, Double(y) - 29.5)
                let coverage = min(max(22.5 - (dx * dx + dy * dy).squareRoot(), 0), 1)
                let color: UInt8 = coverage > 0 ? 255 : hidden
                straight += [color, color, color, UInt8(coverage * 255)]
            }
        }
        return try premultiplied(straight, width: side, height: side)
    }

    /// True if every visible pixel is white within two levels, and every other one empty.
    private func isWhite(_ bitmap: Bitmap) -> Bool {
        let bytes = bitmap.pixelBytes
        return stride(from: 0, to: bytes.count, by: 4).allSatisfy { pixel in
            let alpha = Int(bytes[pixel + 3])
            return (0..<3).allSatisfy { channel in
                let color = Int(bytes[pixel + channel])
                return alpha == 0 ? color == 0 : color * 255 / alpha >= 253
            }
        }
    }

    // Scenario S27 of the conformance list.
    @Test("A white disc stays white whatever colour lies hidden around it", arguments: ResampleFilter.allCases)
    func fringe(filter: ResampleFilter) throws {
        let black = try disc(hidden: 0)
        let white = try disc(hidden: 255)
        for isLinear in [false, true] {
            for side in [30, 20, 7, 90] {
                let target = ResizeTarget(width: side, height: side, filter: filter, isLinearLight: isLinear)
                let (first, second) = (try black.resized(to: target), try white.resized(to: target))
                #expect(first.pixelBytes == second.pixelBytes)
                #expect(isWhite(first), "\(filter) \(side)")
                // Filters with lobes ripple a little around the edge, in alpha only.
                #expect(first.channels(side / 2, side / 2)[3] >= 250)
                #expect(first.channels(0, 0)[3] <= 4)
            }
        }
    }

    // Scenario S27 of the conformance list.
    @Test("Processors that move or mix pixels keep a white disc white")
    func fringeOfProcessors() throws {
        let disc = try disc(hidden: 0)
        let processors: [any ImageProcessor] = [
            .rotate(degrees: 17), .blur(sigma: 3), .blur(sigma: 12), .sharpen(amount: 2, sigma: 2), .circle(),
            .roundedCorners(radius: 20), .pad(3), .crop(x: 5, y: 5, width: 31, height: 40),
        ]
        for processor in processors { #expect(isWhite(try processor.process(disc)), "\(processor.identifier)") }
    }

    @Test("No colour is ever above its alpha, even where filters overshoot", arguments: ResampleFilter.allCases)
    func overshoot(filter: ResampleFilter) throws {
        // Edges between opaque and transparent, colours at random: the worst for negative lobes.
        var random = TestImages.Random(state: 5)
        let bitmap = try TestImages.make(width: 64, height: 64) { x, y in
            let alpha = (x / 5 + y / 7) % 2 == 0 ? 255 : Int(random.next() & 31)
            return TestImages.premultiplied(Int(random.next() & 255), 255, 0, alpha)
        }
        for (width, height) in [(40, 40), (20, 100), (128, 31), (3, 3)] {
            for isLinear in [false, true] {
                let bytes = try bitmap.resized(
                    to: ResizeTarget(width: width, height: height, fit: .fill, filter: filter, isLinearLight: isLinear)
                ).pixelBytes
                #expect(
                    stride(from: 0, to: bytes.count, by: 4).allSatisfy { pixel in
                        max(bytes[pixel], bytes[pixel + 1], bytes[pixel + 2]) <= bytes[pixel + 3]
                    })
            }
        }
    }

    @Test("Natural input: within one level of the reference, with parts and fractions of the source")
    func natural() throws {
        let bitmap = try TestImages.make(width: 211, height: 157, isOpaque: true) { x, y in
            let ground = 100 + 80 * Double(x) / 211 - 60 * Double(y) / 157
            let disc = (x - 90) * (x - 90) + (y - 70) * (y - 70) < 1600 ? 70.0 : 0
            let grain = Double((x * 7 + y * 13) % 11)
            return (UInt8(ground + disc), UInt8(ground * 0.7 + grain), UInt8(200 - ground + grain), 255)
        }
        for filter in ResampleFilter.allCases where filter != .nearest {
            for plan in [
                ResizePlan(source: bitmap.size, output: PixelSize(width: 64, height: 48), filter: filter),
                ResizePlan(
                    source: bitmap.size, region: ResizePlan.Region(x: 10.5, y: 3.25, width: 100.75, height: 90),
                    output: PixelSize(width: 40, height: 37), filter: filter),
                ResizePlan(
                    source: bitmap.size, region: ResizePlan.Region(x: 180, y: 140, width: 31, height: 17),
                    output: PixelSize(width: 62, height: 51), filter: filter),
            ] {
                let reference = ReferenceResampler.resize(bitmap, plan: plan)
                for form in PixelKernelForm.available {
                    let result = try bitmap.resized(by: plan, form: form)
                    #expect(ReferenceResampler.greatestError(result, reference) <= 1)
                    #expect(result.isOpaque)
                    #expect(result.pixelBytes.enumerated().allSatisfy { $0.offset % 4 != 3 || $0.element == 255 })
                }
            }
        }
    }

    @Test("Nearest copies pixels exactly, shrinking and growing")
    func nearest() throws {
        let bitmap = try TestImages.random(width: 7, height: 5)
        let grown = try bitmap.resized(to: ResizeTarget(width: 21, height: 10, fit: .fill, filter: .nearest))
        for y in 0..<10 { for x in 0..<21 { #expect(grown.channels(x, y) == bitmap.channels(x / 3, y / 2)) } }
        let shrunk = try bitmap.resized(to: ResizeTarget(width: 3, height: 2, fit: .fill, filter: .nearest))
        // The centres of three output pixels lie over columns 1, 3, 5; of two rows over 1 and 3.
        for (x, column) in [1, 3, 5].enumerated() {
            for (y, row) in [1, 3].enumerated() { #expect(shrunk.channels(x, y) == bitmap.channels(column, row)) }
        }
    }

    @Test("Box: whole ratios give exact means")
    func box() throws {
        let bitmap = try TestImages.make(width: 4, height: 4, isOpaque: true) { x, y in
            (UInt8(x < 2 && y < 2 ? 10 * x + y : 200), 0, UInt8(x * 60), 255)
        }
        let half = try bitmap.resized(to: ResizeTarget(width: 2, height: 2, filter: .box))
        // (0 + 10 + 1 + 11) / 4 = 5.5, rounded up.
        #expect(half.channels(0, 0) == [6, 0, 30, 255])
        #expect(half.channels(1, 1) == [200, 0, 150, 255])
        // A ratio of 3 to 2: each output has one and a half pixels.
        let line = try TestImages.make(width: 3, height: 1, isOpaque: true) { x, _ in
            (UInt8([30, 90, 240][x]), 0, 0, 255)
        }
        let two = try line.resized(to: ResizeTarget(width: 2, height: 1, fit: .fill, filter: .box))
        #expect(two.channels(0, 0)[0] == 50)
        #expect(two.channels(1, 0)[0] == 190)
    }

    @Test("Linear light: a pattern of black and white becomes the grey of half the light")
    func linearLight() throws {
        let pattern = try TestImages.make(width: 64, height: 64, isOpaque: true) { x, y in
            (x + y) % 2 == 0 ? (255, 255, 255, 255) : (0, 0, 0, 255)
        }
        for filter in [ResampleFilter.box, .bilinear, .lanczos3] {
            let linear = try pattern.resized(
                to: ResizeTarget(width: 16, height: 16, filter: filter, isLinearLight: true))
            let plain = try pattern.resized(to: ResizeTarget(width: 16, height: 16, filter: filter))
            #expect(abs(Int(linear.channels(8, 8)[0]) - 188) <= 1)
            #expect(abs(Int(plain.channels(8, 8)[0]) - 128) <= 1)
        }
        // Every number survives the way there and back, at every size.
        let ramp = try TestImages.make(width: 256, height: 1, isOpaque: true) { x, _ in
            (UInt8(x), UInt8(255 - x), UInt8(x), 255)
        }
        let same = try ramp.resized(
            by: ResizePlan(
                source: ramp.size, region: ResizePlan.Region(x: 0, y: 0, width: 256, height: 1),
                output: PixelSize(width: 256, height: 2), filter: .box, isLinearLight: true))
        for x in 0..<256 { #expect(same.channels(x, 1) == ramp.channels(x, 0)) }
        for level in stride(from: 0, through: 255, by: 15) {
            let color = TestImages.premultiplied(level, 255 - level, 128, 200)
            let flat = try TestImages.constant(color, width: 33, height: 900)
            for (width, height) in [(7, 5), (50, 1000)] {
                let result = try flat.resized(
                    to: ResizeTarget(width: width, height: height, fit: .fill, isLinearLight: true))
                for (a, b) in zip(result.channels(3, 3), [color.0, color.1, color.2, color.3]) {
                    #expect(abs(Int(a) - Int(b)) <= 1)
                }
            }
        }
    }

    @Test("Attention finds the part where something is")
    func attention() throws {
        for (x, y) in [(160, 50), (30, 50), (95, 50)] {
            let bitmap = try TestImages.make(width: 200, height: 100, isOpaque: true) { column, row in
                let near = abs(column - x) < 15 && abs(row - y) < 15
                return near ? (UInt8(column * 37 & 255), 40, UInt8(row * 61 & 255), 255) : (120, 125, 130, 255)
            }
            let target = ResizeTarget(width: 50, height: 50, fit: .cover, gravity: .attention)
            let result = try bitmap.resized(to: target)
            #expect(result.size == PixelSize(width: 50, height: 50))
            // All of the busy square, 15 pixels wide at this scale, is inside.
            let busy = (0..<50).filter { abs(Int(result.channels($0, 25)[1]) - 125) > 20 }
            #expect(busy.count >= 13)
            let crop = try bitmap.busiestRect(of: PixelSize(width: 60, height: 60))
            #expect(crop.x <= x - 13 && crop.x + 60 >= x + 13)
        }
        let flat = try TestImages.constant((9, 9, 9, 255), width: 100, height: 40)
        #expect(try flat.busiestRect(of: PixelSize(width: 40, height: 40)).x == 30, "of equals the middle one")
        #expect(try flat.busiestRect(of: PixelSize(width: 1, height: 1)).size == PixelSize(width: 1, height: 1))
    }
}
