import CPixelKernels
import Testing

@testable import TintypeImaging

/// Every form that this CPU runs, against the plainest Swift.
@Suite("Pixel kernels") struct PixelConversionKernelTests {
    static let forms: [(name: String, kernels: ck_pixel_kernels)] = [
        ("plain", CK_FORM_PLAIN), ("SSE2", CK_FORM_SSE2), ("AVX2", CK_FORM_AVX2), ("NEON", CK_FORM_NEON),
    ].compactMap { name, form in ck_pixel_kernels_form(form).map { (name, $0.pointee) } }

    /// Every value with every alpha.
    static let allPairs: [UInt8] = {
        var bytes: [UInt8] = []
        for alpha in UInt8(0)...255 {
            for value in UInt8(0)...255 { bytes += [value, 255 - value, 7, alpha] }
        }
        return bytes
    }()

    private static func premultiplied(_ value: UInt8, _ alpha: UInt8) -> UInt8 {
        UInt8((Double(value) * Double(alpha) / 255).rounded())
    }

    private static func straight(_ value: UInt8, _ alpha: UInt8) -> UInt8 {
        guard alpha > 0 else { return 0 }
        return UInt8(min(255, (Int(value) * 255 + Int(alpha) / 2) / Int(alpha)))
    }

    private func random(_ count: Int, seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(state: seed)
        return (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }

    /// Pixels whose alphas are often 0 or 255, in runs, since kernels treat such runs specially.
    private func pixels(_ count: Int, seed: UInt64) -> [UInt8] {
        var bytes = random(count * 4, seed: seed)
        for index in 0..<count {
            switch index / 11 % 4 {
            case 0: bytes[index * 4 + 3] = 255
            case 1: bytes[index * 4 + 3] = 0
            default: break
            }
        }
        return bytes
    }

    /// Applies `value(sample, alpha)` to the colours of all pixels.
    private func mapColors(_ source: [UInt8], _ value: (UInt8, UInt8) -> UInt8) -> [UInt8] {
        source.indices.map { $0 % 4 == 3 ? source[$0] : value(source[$0], source[$0 | 3]) }
    }

    @Test("Premultiplying rounds to nearest for every pair of bytes")
    func premultiplyAllPairs() {
        let source = Self.allPairs
        let expected = mapColors(source, Self.premultiplied)
        for (name, kernels) in Self.forms {
            var result = source
            #expect(kernels.premultiply(&result, source, source.count / 4) == 0)
            #expect(result == expected, "\(name)")
        }
    }

    @Test("Unpremultiplying rounds to nearest for every valid pair, and survives invalid ones")
    func unpremultiplyAllPairs() {
        let source = Self.allPairs
        let expected = mapColors(source, Self.straight)
        for (name, kernels) in Self.forms {
            var result = source
            kernels.unpremultiply(&result, source, source.count / 4)
            #expect(result == expected, "\(name)")
        }
    }

    @Test("All lengths: nothing is left out and nothing is written behind the end", arguments: 0...70)
    func lengths(count: Int) {
        let source = pixels(count, seed: UInt64(count))
        let rgb = random(count * 3, seed: 9)
        let gray = random(count, seed: 8)
        let premultiplied = mapColors(source, Self.premultiplied)
        var opaque: [UInt8] = []
        var colors: [UInt8] = []
        for index in 0..<count {
            opaque += rgb[index * 3..<index * 3 + 3] + [255]
            colors += source[index * 4..<index * 4 + 3]
        }
        let grays = gray.flatMap { level -> [UInt8] in [level, level, level, 255] }
        for (name, kernels) in Self.forms {
            func run(_ length: Int, _ body: (inout [UInt8]) -> Void) -> [UInt8] {
                var buffer = [UInt8](repeating: 0xAB, count: length + 40)
                body(&buffer)
                #expect(buffer[length...].allSatisfy { $0 == 0xAB }, "\(name) wrote behind the end")
                return Array(buffer[..<length])
            }
            var alphas: UInt8 = 0
            #expect(run(count * 4) { alphas = kernels.premultiply(&$0, source, count) } == premultiplied, "\(name)")
            #expect(alphas == (0..<count).reduce(255) { $0 & source[$1 * 4 + 3] })
            let straight = run(count * 4) { kernels.unpremultiply(&$0, premultiplied, count) }
            #expect(straight == mapColors(premultiplied, Self.straight), "\(name)")
            #expect(run(count * 4) { kernels.expand_rgb(&$0, rgb, count) } == opaque, "\(name)")
            #expect(run(count * 4) { kernels.expand_gray(&$0, gray, count) } == grays, "\(name)")
            #expect(run(count * 3) { kernels.drop_alpha(&$0, source, count) } == colors, "\(name)")
        }
    }

    /// PNG spec 9.2, word by word.
    private func guess(_ filter: Int, _ a: Int, _ b: Int, _ c: Int) -> Int {
        switch filter {
        case 1: return a
        case 2: return b
        case 3: return (a + b) / 2
        case 4:
            let p = a + b - c
            let (pa, pb, pc) = (abs(p - a), abs(p - b), abs(p - c))
            return pa <= pb && pa <= pc ? a : pb <= pc ? b : c
        default: return 0
        }
    }

    @Test("PNG filters, both ways, for every pixel size", arguments: [1, 2, 3, 4, 6, 8])
    func filters(stride: Int) {
        for (name, kernels) in Self.forms {
            for pixelCount in [1, 2, 3, 5, 10, 33, 64] {
                let bytes = pixelCount * stride
                let row = random(bytes, seed: UInt64(pixelCount))
                let above = random(bytes, seed: 77)
                for filter in 1...4 {
                    let expected = (0..<bytes).map { index -> UInt8 in
                        let a = index >= stride ? Int(row[index - stride]) : 0
                        let c = index >= stride ? Int(above[index - stride]) : 0
                        return row[index] &- UInt8(truncatingIfNeeded: guess(filter, a, Int(above[index]), c))
                    }
                    // Zeros in front, as the encoder has them, and room behind.
                    let margin = 32
                    let front = [UInt8](repeating: 0, count: margin)
                    let (paddedRow, paddedAbove) = (front + row + front, front + above + front)
                    var filtered = [UInt8](repeating: 0, count: bytes + margin)
                    let sum = paddedRow.withUnsafeBufferPointer { row in
                        paddedAbove.withUnsafeBufferPointer { above in
                            guard let row = row.baseAddress, let above = above.baseAddress else { return UInt64(0) }
                            return kernels.png_filter(
                                &filtered, row + margin, above + margin, bytes, UInt32(stride), UInt32(filter))
                        }
                    }
                    #expect(Array(filtered[..<bytes]) == expected, "\(name) filter \(filter)")
                    #expect(sum == expected.reduce(0) { $0 + UInt64(abs(Int(Int8(bitPattern: $1)))) }, "\(name)")
                    var restored = expected + [UInt8](repeating: 0xCD, count: 16)
                    kernels.png_unfilter(&restored, above + front, bytes, UInt32(stride), UInt32(filter))
                    #expect(Array(restored[..<bytes]) == row, "\(name) filter \(filter)")
                    #expect(restored[bytes...].allSatisfy { $0 == 0xCD }, "\(name) wrote behind the end")
                }
            }
        }
    }

    @Test("Orientations of odd sizes, against the definition", arguments: 1...8)
    func orientations(value: Int) throws {
        let orientation = try #require(ImageOrientation(rawValue: value))
        for (width, height) in [(1, 1), (5, 3), (17, 33), (64, 20), (4, 4), (19, 16)] {
            let bitmap = try TestImages.random(width: width, height: height, seed: UInt64(width))
            let turned = try bitmap.oriented(orientation)
            for y in 0..<height {
                for x in 0..<width {
                    let (toX, toY) =
                        switch value {
                        case 1: (x, y)
                        case 2: (width - 1 - x, y)
                        case 3: (width - 1 - x, height - 1 - y)
                        case 4: (x, height - 1 - y)
                        case 5: (y, x)
                        case 6: (height - 1 - y, x)
                        case 7: (height - 1 - y, width - 1 - x)
                        default: (y, width - 1 - x)
                        }
                    #expect(turned.pixel(toX, toY) == bitmap.pixel(x, y))
                }
            }
        }
    }

    @Test("CMYK by the standard conversion, inverted and not")
    func cmyk() {
        let source: [UInt8] = [255, 0, 0, 0, 0, 128, 64, 0, 10, 20, 30, 200, 0, 0, 0, 255]
        var result = [UInt8](repeating: 0, count: 16)
        ck_cmyk_to_rgba(&result, source, 4, 0)
        for pixel in 0..<4 {
            for channel in 0..<3 {
                let exact =
                    Double(255 - Int(source[pixel * 4 + channel])) * Double(255 - Int(source[pixel * 4 + 3])) / 255
                #expect(result[pixel * 4 + channel] == UInt8(exact.rounded()))
            }
            #expect(result[pixel * 4 + 3] == 255)
        }
        var inverted = source.map { 255 - $0 }
        ck_cmyk_to_rgba(&inverted, inverted, 4, 1)
        #expect(inverted == result)
    }

    @Test("Planes of colours become opaque pixels", arguments: [0, 1, 15, 16, 17, 100])
    func planes(count: Int) {
        let (red, green, blue) = (random(count, seed: 1), random(count, seed: 2), random(count, seed: 3))
        // One pixel more, which must not be written.
        var result = [UInt8](repeating: 9, count: count * 4 + 4)
        let pixels = (0..<count).map { [red[$0], green[$0], blue[$0], 255] }
        let expected: [UInt8] = pixels.flatMap(\.self) + [9, 9, 9, 9]
        ck_interleave_rgb(&result, red, green, blue, count)
        #expect(result == expected)
    }
}
