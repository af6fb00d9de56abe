import Testing

@testable import TintypeImaging

/// The sink must give, to the bit, what resizing the whole image gives.
@Suite struct ResamplingSinkTests {
    /// Writes the rows of a bitmap as a decoder would, in groups of these sizes.
    private func decode(_ bitmap: Bitmap, into sink: ResamplingSink, groups: [Int], rowLimit: Int = .max) throws {
        try sink.begin(size: bitmap.size, isOpaque: bitmap.isOpaque)
        var row = 0
        var index = 0
        let end = min(bitmap.height, rowLimit)
        while row < end {
            let count = min(groups[index % groups.count], end - row, sink.maximumRowCount)
            index += 1
            let (bytes, bytesPerRow) = try sink.rows(count)
            bitmap.withUnsafeBytes { source in
                guard let base = source.baseAddress else { return }
                for line in 0..<count {
                    (bytes + line * bytesPerRow).copyMemory(
                        from: base + (row + line) * bitmap.bytesPerRow, byteCount: bitmap.width * 4)
                }
            }
            try sink.commit(count)
            row += count
        }
    }

    @Test(
        "Rows in groups of any size give what the whole image gives",
        arguments: [[1], [3], [4], [16], [1, 7, 2, 16]])
    func groups(groups: [Int]) throws {
        let bitmap = try TestImages.random(width: 61, height: 53)
        let targets = [
            ResizeTarget(width: 20, height: nil), ResizeTarget(width: 3, height: nil),
            ResizeTarget(width: 150, height: nil, filter: .catmullRom),
            ResizeTarget(width: 17, height: 31, fit: .cover, gravity: .bottom),
            ResizeTarget(width: 17, height: 31, fit: .cover, filter: .nearest, gravity: .left),
            ResizeTarget(width: 25, height: 25, fit: .cover, gravity: .attention),
            ResizeTarget(width: 20, height: nil, filter: .box, isLinearLight: true),
            ResizeTarget(width: 61, height: nil),
        ]
        for target in targets {
            let plan = try ResizePlan(source: bitmap.size, target: target)
            let sink = ResamplingSink(plan: plan)
            try decode(bitmap, into: sink, groups: groups)
            let result = try #require(try sink.finish())
            #expect(result.size == plan.output)
            #expect(result.pixelBytes == (try bitmap.resized(by: plan)).pixelBytes, "\(target)")
        }
    }

    @Test("Rows that never come count as transparent")
    func partial() throws {
        let bitmap = try TestImages.random(width: 40, height: 40, isOpaque: true)
        let plan = try ResizePlan(source: bitmap.size, target: ResizeTarget(width: 10, height: 10))
        let sink = ResamplingSink(plan: plan)
        try decode(bitmap, into: sink, groups: [5], rowLimit: 22)
        let result = try #require(try sink.finish())
        #expect(!result.isOpaque)
        let cut = try TestImages.make(width: 40, height: 40) { x, y in
            y < 22 ? bitmap[x: x, y: y] : (0, 0, 0, 0)
        }
        #expect(result.pixelBytes == (try cut.resized(by: plan)).pixelBytes)
        #expect(result.channels(5, 9) == [0, 0, 0, 0])
        #expect(result.channels(5, 2)[3] == 255)
        #expect(try ResamplingSink(plan: plan).finish() == nil, "never begun")
    }

    @Test("A decoder that scales by itself is followed, without a shift")
    func decoderScales() throws {
        // A ramp of brightness survives any scaling unless positions are wrong.
        let full = try TestImages.make(width: 801, height: 403, isOpaque: true) { x, y in
            (UInt8(x / 4), UInt8(y / 2), 0, 255)
        }
        let half = try TestImages.make(width: 401, height: 202, isOpaque: true) { x, y in
            (UInt8(min(800, 2 * x + 1) / 4), UInt8(min(402, 2 * y + 1) / 2), 0, 255)
        }
        let target = ResizeTarget(width: 100, height: 80, fit: .cover, gravity: .right)
        let plan = try ResizePlan(source: full.size, target: target)
        let sink = ResamplingSink(plan: plan)
        try decode(half, into: sink, groups: [8])
        let result = try #require(try sink.finish())
        let expected = try full.resized(by: plan)
        for y in 0..<80 {
            for x in 0..<100 {
                for (a, b) in zip(result.channels(x, y), expected.channels(x, y)) { #expect(abs(Int(a) - Int(b)) <= 1) }
            }
        }
    }

    @Test("Asking for too many rows is refused")
    func tooMany() throws {
        let sink = ResamplingSink(
            plan: ResizePlan(source: PixelSize(width: 4, height: 3), output: PixelSize(width: 2, height: 2)))
        #expect(throws: ImagingError.self) { try sink.rows(1) }
        try sink.begin(size: PixelSize(width: 4, height: 3), isOpaque: true)
        #expect(sink.maximumRowCount == 3)
        #expect(throws: ImagingError.self) { try sink.rows(4) }
        #expect(throws: ImagingError.self) { try sink.rows(0) }
        #expect(throws: ImagingError.self) { try sink.commit(4) }
    }
}
