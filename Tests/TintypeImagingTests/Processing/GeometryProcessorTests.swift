import Testing

@testable import TintypeImaging

@Suite struct GeometryProcessorTests {
    /// Six different pixels, three columns and two rows: A B C over D E F.
    static func letters() throws -> Bitmap {
        try TestImages.make(width: 3, height: 2, isOpaque: true) { x, y in
            (UInt8(10 + y * 3 + x), 0, 0, 255)
        }
    }

    private func rows(_ bitmap: Bitmap) -> [[Int]] {
        (0..<bitmap.height).map { y in (0..<bitmap.width).map { Int(bitmap[x: $0, y: y].red) - 10 } }
    }

    @Test("Quarter turns and mirrors move pixels and change none")
    func turns() throws {
        let bitmap = try Self.letters()
        func result(_ processor: some ImageProcessor) throws -> [[Int]] {
            let processed = try processor.process(bitmap)
            #expect(processor.outputSize(for: bitmap.size) == processed.size)
            #expect(processed.isOpaque)
            return rows(processed)
        }
        #expect(try result(ImageProcessors.Rotate(degrees: 90)) == [[2, 5], [1, 4], [0, 3]])
        #expect(try result(ImageProcessors.Rotate(degrees: 180)) == [[5, 4, 3], [2, 1, 0]])
        #expect(try result(ImageProcessors.Rotate(degrees: -90)) == [[3, 0], [4, 1], [5, 2]])
        #expect(try result(ImageProcessors.Rotate(degrees: 450)) == [[2, 5], [1, 4], [0, 3]])
        #expect(try result(ImageProcessors.Rotate(degrees: 720)) == [[0, 1, 2], [3, 4, 5]])
        #expect(try result(ImageProcessors.Flip(axis: .horizontal)) == [[2, 1, 0], [5, 4, 3]])
        #expect(try result(ImageProcessors.Flip(axis: .vertical)) == [[3, 4, 5], [0, 1, 2]])
    }

    @Test("A turn by any angle goes counter-clockwise, grows the canvas and fills the corners")
    func anyAngle() throws {
        // A white bar from the middle to the right edge, in a black square.
        let bitmap = try TestImages.make(width: 61, height: 61, isOpaque: true) { x, y in
            x > 30 && abs(y - 30) <= 2 ? (255, 255, 255, 255) : (0, 0, 0, 255)
        }
        let turned = try ImageProcessors.Rotate(degrees: 30, background: PixelColor(rgb: 0x00FF00)).process(bitmap)
        let side = Int((61 * (0.5 + 3.0.squareRoot() / 2)).rounded(.up))
        #expect(turned.size == PixelSize(width: side, height: side))
        #expect(turned.isOpaque)
        #expect(turned.channels(0, 0) == [0, 255, 0, 255])
        // 20 pixels along the bar: to the right and upwards.
        let middle = Double(side) / 2
        let (x, y) = (Int(middle + 20 * 3.0.squareRoot() / 2), Int(middle - 20 * 0.5))
        #expect(turned[x: x, y: y].red > 250)
        #expect(turned[x: x, y: side - y].red < 5)

        let cut = try ImageProcessors.Rotate(degrees: 30, fitsCanvas: false).process(bitmap)
        #expect(cut.size == bitmap.size)
        #expect(cut.channels(0, 0) == [0, 0, 0, 0])
        #expect(!cut.isOpaque)
    }

    @Test("A quarter turn on a canvas of the old size is the same as by interpolation")
    func quarterOnCanvas() throws {
        let bitmap = try TestImages.random(width: 9, height: 5)
        let turned = try ImageProcessors.Rotate(degrees: 90, fitsCanvas: false).process(bitmap)
        let exact = try bitmap.oriented(.left)
        #expect(turned.size == bitmap.size)
        // 5 of the 9 columns are covered, 5 of the turned image's 9 rows are seen.
        for y in 0..<5 { for x in 0..<5 { #expect(turned.channels(x + 2, y) == exact.channels(x, y + 2)) } }
        #expect(turned.channels(0, 0) == [0, 0, 0, 0])
    }

    @Test("Turned there and back, a smooth image is what it was")
    func thereAndBack() throws {
        let bitmap = try TestImages.make(width: 80, height: 60, isOpaque: true) { x, y in
            (UInt8(x * 3), UInt8(y * 4), UInt8(120 + x - y), 255)
        }
        let there = try ImageProcessors.Rotate(degrees: 20, fitsCanvas: false).process(bitmap)
        let back = try ImageProcessors.Rotate(degrees: -20, fitsCanvas: false).process(there)
        for y in stride(from: 20, to: 40, by: 3) {
            for x in stride(from: 25, to: 55, by: 3) {
                for (a, b) in zip(bitmap.channels(x, y), back.channels(x, y)) { #expect(abs(Int(a) - Int(b)) <= 1) }
            }
        }
    }

    @Test("A crop takes exactly its pixels, and what lies outside of the image is left out")
    func crop() throws {
        let bitmap = try Self.letters()
        #expect(
            rows(try ImageProcessors.Crop(area: .rect(PixelRect(x: 1, y: 1, width: 1, height: 1))).process(bitmap)) == [
                [4]
            ])
        #expect(
            rows(try ImageProcessors.Crop(area: .rect(PixelRect(x: -5, y: -5, width: 7, height: 6))).process(bitmap))
                == [[0, 1]])
        #expect(
            rows(
                try ImageProcessors.Crop(area: .rect(PixelRect(x: 1, y: 0, width: .max, height: .max))).process(bitmap))
                == [[1, 2], [4, 5]])
        #expect(
            rows(try ImageProcessors.Crop(area: .size(PixelSize(width: 2, height: 1), .bottomRight)).process(bitmap))
                == [[4, 5]])
        #expect(
            rows(try ImageProcessors.Crop(area: .size(PixelSize(width: 1, height: 9), .center)).process(bitmap)) == [
                [1], [4],
            ])
    }

    @Test("A crop outside of the image, or of nothing, fails")
    func emptyCrop() throws {
        let bitmap = try Self.letters()
        for rect in [
            PixelRect(x: 3, y: 0, width: 5, height: 5), PixelRect(x: 0, y: 0, width: 0, height: 1),
            PixelRect(x: 0, y: 0, width: -3, height: 1), PixelRect(x: -9, y: 0, width: 9, height: 1),
            PixelRect(x: .max, y: .max, width: .max, height: .max),
            PixelRect(x: .min, y: .min, width: .max, height: .max),
        ] {
            let processor = ImageProcessors.Crop(area: .rect(rect))
            #expect(processor.outputSize(for: bitmap.size) == nil)
            let error = #expect(throws: ImagingError.self) { try processor.process(bitmap) }
            #expect(error?.code == "processorFailed")
        }
        #expect(throws: ImagingError.self) {
            try ImageProcessors.Crop(area: .size(PixelSize(width: 0, height: 4), .center)).process(bitmap)
        }
    }

    @Test("Padding sets the image on its ground")
    func pad() throws {
        let bitmap = try Self.letters()
        let padded = try ImageProcessors.Pad(
            space: .insets(top: 1, left: 2, bottom: 0, right: 1), color: PixelColor(rgb: 0x5A0000)
        ).process(bitmap)
        #expect(rows(padded) == [[80, 80, 80, 80, 80, 80], [80, 80, 0, 1, 2, 80], [80, 80, 3, 4, 5, 80]])
        #expect(padded.isOpaque)
        let clear = try ImageProcessors.Pad(space: .box(PixelSize(width: 5, height: 1), .right)).process(bitmap)
        #expect(clear.size == PixelSize(width: 5, height: 2))
        #expect(clear.channels(1, 0) == [0, 0, 0, 0])
        #expect(clear.channels(2, 0) == [10, 0, 0, 255])
        #expect(!clear.isOpaque)
        for bad in [-1, Int.max] {
            #expect(throws: ImagingError.self) { try (.pad(bad) as StandardProcessor).process(bitmap) }
        }
        let error = #expect(throws: ImagingError.self) { try (.pad(100_000) as StandardProcessor).process(bitmap) }
        #expect(error?.code == "imageTooLarge")
    }

    @Test("Trimming cuts off edges of one colour, within the tolerance")
    func trim() throws {
        let bitmap = try TestImages.make(width: 20, height: 16, isOpaque: true) { x, y in
            if (x, y) == (5, 9) || (x, y) == (14, 3) { return (0, 0, 0, 255) }
            return (250, UInt8(250 - (x + y) % 4), 250, 255)
        }
        let trimmed = try ImageProcessors.Trim().process(bitmap)
        #expect(trimmed.size == PixelSize(width: 10, height: 7))
        #expect(trimmed.channels(0, 6) == [0, 0, 0, 255])
        #expect(trimmed.channels(9, 0) == [0, 0, 0, 255])
        #expect(try ImageProcessors.Trim(tolerance: 0).process(bitmap).size == PixelSize(width: 20, height: 16))
        #expect(try ImageProcessors.Trim(tolerance: 255).process(bitmap).size == bitmap.size, "nothing would be left")
        #expect(try ImageProcessors.Trim(color: .black).process(bitmap).size == bitmap.size)
        let one = try TestImages.constant((1, 2, 3, 255), width: 1, height: 1)
        #expect(try ImageProcessors.Trim().process(one).size == one.size)
    }
}
