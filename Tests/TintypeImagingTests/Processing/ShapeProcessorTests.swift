import Foundation
import Testing

@testable import TintypeImaging

@Suite struct ShapeProcessorTests {
    /// The covered area of the result, in pixels.
    private func area(_ bitmap: Bitmap) -> Double {
        bitmap.withUnsafeBytes { bytes in
            stride(from: 3, to: bytes.count, by: 4).reduce(0) { $0 + Double(bytes[$1]) / 255 }
        }
    }

    @Test("A circle has the area of a circle, an exact inside and a soft edge", arguments: [1, 2, 3, 8, 31, 100])
    func circle(side: Int) throws {
        let bitmap = try TestImages.constant((200, 100, 50, 255), width: side + 7, height: side)
        let circle = try ImageProcessors.Circle().process(bitmap)
        #expect(circle.size == PixelSize(width: side, height: side))
        #expect(!circle.isOpaque)
        let expected = Double.pi * Double(side * side) / 4
        #expect(abs(area(circle) - expected) < max(0.3, expected * 0.01))
        #expect(circle.channels(side / 2, side / 2) == [200, 100, 50, 255] || side < 3)
        if side >= 8 { #expect(circle.channels(0, 0) == [0, 0, 0, 0]) }
        // The same from every side.
        #expect(
            (0..<side * side).allSatisfy { index in
                let (x, y) = (index % side, index / side)
                let pixel = circle.channels(x, y)
                return pixel == circle.channels(side - 1 - x, y) && pixel == circle.channels(y, x)
            })
    }

    @Test("A circle is cut out of the middle")
    func circlePlace() throws {
        let bitmap = try TestImages.make(width: 30, height: 10, isOpaque: true) { x, _ in (UInt8(x), 0, 0, 255) }
        let circle = try ImageProcessors.Circle().process(bitmap)
        #expect(circle.channels(5, 5) == [15, 0, 0, 255])
    }

    @Test("Only the named corners are rounded")
    func corners() throws {
        let bitmap = try TestImages.constant((9, 9, 9, 255), width: 40, height: 30)
        let rounded = try ImageProcessors.RoundedCorners(radius: .pixels(10), corners: [.topRight, .bottomLeft])
            .process(bitmap)
        #expect(rounded.channels(0, 0) == [9, 9, 9, 255])
        #expect(rounded.channels(39, 0) == [0, 0, 0, 0])
        #expect(rounded.channels(0, 29) == [0, 0, 0, 0])
        #expect(rounded.channels(39, 29) == [9, 9, 9, 255])
        // Two corners lack the area between the square and the quarter of a circle.
        #expect(abs(area(rounded) - (1200 - 2 * (100 - .pi * 25))) < 1)
        // Where the arc meets the straight edge, nothing is lost.
        #expect(rounded.channels(29, 0) == [9, 9, 9, 255])
        #expect(rounded.channels(20, 0) == [9, 9, 9, 255])
    }

    @Test("Every coverage is what the distance to the outline says, with and without a border")
    func spans() throws {
        let bitmap = try TestImages.random(width: 37, height: 29, isOpaque: true)
        for radius in [0, 0.4, 3, 7.5, 14.5] {
            for border in [nil, BorderStroke(width: 2.5, color: PixelColor(rgb: 0x102030, alpha: 0.6))] {
                let shape = RoundedRect(
                    left: 0, top: 0, right: 37, bottom: 29, radii: (radius, 0, radius / 2, radius))
                let result = try bitmap.clipped(bitmap.size.whole, to: shape, border: border)
                let content = border.map { shape.inset(by: $0.width) } ?? shape
                var worst = 0.0
                for y in 0..<29 {
                    for x in 0..<37 {
                        let (outer, inner) = (shape.coverage(x: x, y: y), content.coverage(x: x, y: y))
                        for channel in 0..<4 {
                            let source = Double(bitmap.channels(x, y)[channel])
                            var expected = source * inner
                            if let line = border?.color.premultiplied {
                                expected +=
                                    (Double(line[channel]) + source * (1 - Double(line.w) / 255))
                                    * max(0, outer - inner)
                            }
                            worst = max(worst, abs(Double(result.channels(x, y)[channel]) - expected))
                        }
                    }
                }
                #expect(worst <= 0.51)
            }
        }
    }

    @Test("A radius of more than half counts as half, and a fraction is of the shorter side")
    func radii() throws {
        let bitmap = try TestImages.constant((255, 255, 255, 255), width: 24, height: 40)
        let huge = try ImageProcessors.RoundedCorners(radius: .pixels(1e9)).process(bitmap)
        let half = try ImageProcessors.RoundedCorners(radius: .fraction(0.5)).process(bitmap)
        #expect(huge.pixelBytes == half.pixelBytes)
        #expect(abs(area(half) - (24 * 16 + .pi * 144)) < 2)
        let none = try ImageProcessors.RoundedCorners(radius: .pixels(0)).process(bitmap)
        #expect(none.pixelBytes == bitmap.pixelBytes)
        #expect(none.isOpaque)
    }

    @Test("A border lies inside, over the image's pixels, or grows around them")
    func border() throws {
        let bitmap = try TestImages.constant((100, 100, 100, 255), width: 10, height: 8)
        let inside = try ImageProcessors.Border(stroke: BorderStroke(width: 2, color: PixelColor(rgb: 0xFF0000)))
            .process(
                bitmap)
        #expect(inside.size == bitmap.size)
        #expect(inside.isOpaque)
        #expect(inside.channels(1, 4) == [255, 0, 0, 255])
        #expect(inside.channels(2, 2) == [100, 100, 100, 255])
        #expect(inside.channels(8, 4) == [255, 0, 0, 255])
        #expect(inside.channels(4, 7) == [255, 0, 0, 255])
        let outside = try ImageProcessors.Border(stroke: BorderStroke(width: 2, color: .black), position: .outside)
            .process(
                bitmap)
        #expect(outside.size == PixelSize(width: 14, height: 12))
        #expect(outside.channels(1, 6) == [0, 0, 0, 255])
        #expect(outside.channels(2, 2) == [100, 100, 100, 255])
        // Half transparent: the image shows through.
        let half = try ImageProcessors.Border(
            stroke: BorderStroke(width: 1, color: PixelColor(red: 0, green: 0, blue: 0, alpha: 128))
        ).process(bitmap)
        #expect(half.channels(0, 0) == [50, 50, 50, 255])
        // Wider than the image: only border is left.
        let all = try ImageProcessors.Border(stroke: BorderStroke(width: 50, color: .white)).process(bitmap)
        #expect(all.pixelBytes.allSatisfy { $0 == 255 })
    }

    @Test("Shapes of what is not a number fail")
    func badParameters() throws {
        let bitmap = try TestImages.constant((1, 1, 1, 255), width: 4, height: 4)
        let processors: [any ImageProcessor] = [
            .roundedCorners(radius: .nan), .roundedCorners(radius: -1), .roundedCorners(radius: .infinity),
            .roundedCorners(fraction: 1.5), .circle(border: BorderStroke(width: .nan, color: .black)),
            .border(width: -1, color: .black), .border(width: .infinity, color: .black, position: .outside),
        ]
        for processor in processors {
            let error = #expect(throws: ImagingError.self) { try processor.process(bitmap) }
            #expect(error?.code == "processorFailed")
        }
    }
}
