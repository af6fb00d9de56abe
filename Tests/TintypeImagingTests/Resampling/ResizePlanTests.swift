import Testing

@testable import TintypeImaging

@Suite struct ResizePlanTests {
    private func plan(
        _ width: Int, _ height: Int, _ boxWidth: Int?, _ boxHeight: Int?, _ fit: ResizeTarget.Fit = .contain,
        upscaling: Bool = true, gravity: Gravity = .center
    ) throws -> ResizePlan {
        try ResizePlan(
            source: PixelSize(width: width, height: height),
            target: ResizeTarget(
                width: boxWidth, height: boxHeight, fit: fit, allowsUpscaling: upscaling, gravity: gravity))
    }

    private func output(
        _ width: Int, _ height: Int, _ boxWidth: Int?, _ boxHeight: Int?, _ fit: ResizeTarget.Fit = .contain,
        upscaling: Bool = true
    ) throws -> String {
        try plan(width, height, boxWidth, boxHeight, fit, upscaling: upscaling).output.description
    }

    @Test("The size that comes out for every fit")
    func sizes() throws {
        #expect(try output(1600, 1200, 400, 400) == "400x300")
        #expect(try output(1200, 1600, 400, 400) == "300x400")
        #expect(try output(100, 50, 400, 400) == "400x200")
        #expect(try output(100, 50, 400, 400, upscaling: false) == "100x50")
        #expect(try output(1600, 1200, 400, 400, .cover) == "400x400")
        #expect(try output(1600, 1200, 400, 400, .fill) == "400x400")
        #expect(try output(100, 100, 200, 50, .cover, upscaling: false) == "100x50")
        #expect(try output(100, 100, 200, 300, .cover, upscaling: false) == "100x100")
        #expect(try output(100, 100, 200, 50, .fill, upscaling: false) == "100x50")
        for fit in ResizeTarget.Fit.allCases {
            #expect(try output(1600, 1200, 400, nil, fit) == "400x300")
            #expect(try output(1600, 1200, nil, 600, fit) == "800x600")
            #expect(try output(16, 12, 400, nil, fit, upscaling: false) == "16x12")
        }
        // Rounded to nearest, and never to nothing.
        #expect(try output(3, 2, 100, nil) == "100x67")
        #expect(try output(10_000, 1, 10, 10) == "10x1")
        #expect(try output(1, 10_000, 100, 100) == "1x100")
        #expect(try output(10_000, 1, 10, 10, .cover) == "10x10")
        #expect(try output(1, 1, 7, 9, .fill) == "7x9")
    }

    @Test("Cover keeps the part that the gravity says, cut evenly to the half pixel")
    func gravity() throws {
        let center = try plan(100, 40, 20, 20, .cover)
        #expect(center.region == ResizePlan.Region(x: 30, y: 0, width: 40, height: 40))
        #expect(try plan(100, 40, 20, 20, .cover, gravity: .left).region.x == 0)
        #expect(try plan(100, 40, 20, 20, .cover, gravity: .bottomRight).region.x == 60)
        #expect(try plan(40, 101, 20, 20, .cover).region.y == 30.5)
        #expect(try plan(40, 100, 20, 20, .cover, gravity: .topLeft).region.y == 0)
        let attention = try plan(100, 40, 20, 20, .cover, gravity: .attention)
        #expect(attention.region.width == 100)
        #expect(attention.scaled == PixelSize(width: 50, height: 20))
        #expect(attention.output == PixelSize(width: 20, height: 20))
    }

    @Test("Points are pixels times the scale of the screen")
    func points() throws {
        let target = ResizeTarget(pointWidth: 160, pointHeight: 100.3, scale: 2)
        #expect(target.width == 320)
        #expect(target.height == 201)
        #expect(ResizeTarget(pointWidth: 0.1, pointHeight: nil, scale: 1).width == 1)
        for (points, scale) in [(Double.nan, 2.0), (10, .nan), (0, 1), (-3, 1), (10, 0), (.infinity, 1)] {
            let target = ResizeTarget(pointWidth: points, pointHeight: 10, scale: scale)
            let error = #expect(throws: ImagingError.self) {
                try ResizePlan(source: PixelSize(width: 9, height: 9), target: target)
            }
            #expect(error?.code == "processorFailed")
        }
    }

    @Test("Targets that cannot be give typed errors")
    func badTargets() throws {
        let bitmap = try TestImages.constant((1, 2, 3, 255), width: 8, height: 4)
        for (width, height, code) in [
            (0, 10, "processorFailed"), (10, -1, "processorFailed"), (.min, 1, "processorFailed"),
            (nil, nil, "processorFailed"), (.max, nil, "imageTooLarge"), (nil, .max, "imageTooLarge"),
            (.max, .max, "imageTooLarge"), (100_000, 100_000, "imageTooLarge"), (1 << 20, 1 << 20, "imageTooLarge"),
        ] as [(Int?, Int?, String)] {
            for fit in ResizeTarget.Fit.allCases {
                for filter in [ResampleFilter.nearest, .lanczos3] {
                    let error = #expect(throws: ImagingError.self) {
                        try bitmap.resized(to: ResizeTarget(width: width, height: height, fit: fit, filter: filter))
                    }
                    #expect(error?.code == code)
                }
            }
        }
        // Huge boxes are harmless where nothing grows.
        let target = ResizeTarget(width: .max, height: .max, allowsUpscaling: false)
        #expect(try bitmap.resized(to: target).size == bitmap.size)
        let limited = #expect(throws: ImagingError.self) {
            try bitmap.resized(to: ResizeTarget(width: 80, height: 40), pixelLimit: 3199)
        }
        #expect(limited == .imageTooLarge(width: 80, height: 40, limit: 3199))
    }

    @Test("Resizing before turning gives what turning before resizing gives", arguments: ImageOrientation.allCases)
    func orientation(orientation: ImageOrientation) throws {
        let stored = try TestImages.random(width: 50, height: 34)
        let shown = try stored.oriented(orientation)
        for gravity in [Gravity.center, .topLeft, .right, .bottom] {
            let target = ResizeTarget(width: 13, height: 17, fit: .cover, filter: .bilinear, gravity: gravity)
            let plan = try ResizePlan(source: shown.size, target: target)
            let expected = try shown.resized(by: plan)
            let found = try stored.resized(by: plan.beforeOrientation(orientation)).oriented(orientation)
            #expect(found.size == expected.size)
            let difference = zip(found.pixelBytes, expected.pixelBytes).map { abs(Int($0) - Int($1)) }.max()
            #expect(difference ?? 9 <= 1)
        }
    }

    @Test("How much a decoder may shrink by itself leaves enough for the resampler")
    func decoderReduction() throws {
        func reduction(_ width: Int, _ height: Int, _ target: ResizeTarget) throws -> Int {
            try ResizePlan(source: PixelSize(width: width, height: height), target: target).decoderReduction
        }
        #expect(try reduction(4000, 3000, ResizeTarget(width: 256, height: 256)) == 4)
        #expect(try reduction(4000, 3000, ResizeTarget(width: 1024, height: nil)) == 2)
        #expect(try reduction(4000, 3000, ResizeTarget(width: 100, height: nil)) == 8)
        #expect(try reduction(4000, 3000, ResizeTarget(width: 1, height: nil)) == 8)
        #expect(try reduction(1600, 1200, ResizeTarget(width: 1500, height: nil)) == 1)
        #expect(try reduction(100, 100, ResizeTarget(width: 400, height: nil)) == 1)
        #expect(try reduction(4000, 3000, ResizeTarget(width: 100, height: nil, filter: .nearest)) == 1)
        #expect(try reduction(4000, 3000, ResizeTarget(width: 100, height: nil, isLinearLight: true)) == 1)
        // Cover and fill go by the side that shrinks less.
        #expect(try reduction(4000, 400, ResizeTarget(width: 100, height: 100, fit: .fill)) == 2)
        let plan = try ResizePlan(
            source: PixelSize(width: 4000, height: 400), target: ResizeTarget(width: 100, height: 100, fit: .cover))
        #expect(plan.smallestUsefulSource == PixelSize(width: 2000, height: 200))
        #expect(
            plan.forDecoded(PixelSize(width: 2000, height: 200)).region
                == ResizePlan.Region(x: 900, y: 0, width: 200, height: 200))
        // 1001 pixels at one half are 501 of which the last is half empty.
        let odd = try ResizePlan(
            source: PixelSize(width: 1001, height: 777), target: ResizeTarget(width: 100, height: nil))
        #expect(odd.forDecoded(PixelSize(width: 501, height: 389)).region.width == 500.5)
    }
}
