import Testing

@testable import TintypeImaging

@Suite struct BlendTests {
    /// Straight colours from 0 to 1, laid one over the other by the formulas of the specification.
    private func expected(_ mode: BlendMode, _ source: [Double], _ backdrop: [Double]) -> [Double] {
        let (sourceAlpha, backdropAlpha) = (source[3], backdrop[3])
        func porterDuff(_ sourceShare: Double, _ backdropShare: Double) -> [Double] {
            (0..<3).map { source[$0] * sourceAlpha * sourceShare + backdrop[$0] * backdropAlpha * backdropShare }
                + [sourceAlpha * sourceShare + backdropAlpha * backdropShare]
        }
        switch mode {
        case .normal: return porterDuff(1, 1 - sourceAlpha)
        case .sourceIn: return porterDuff(backdropAlpha, 0)
        case .sourceOut: return porterDuff(1 - backdropAlpha, 0)
        case .sourceAtop: return porterDuff(backdropAlpha, 1 - sourceAlpha)
        case .destinationOver: return porterDuff(1 - backdropAlpha, 1)
        case .destinationIn: return porterDuff(0, sourceAlpha)
        case .destinationOut: return porterDuff(0, 1 - sourceAlpha)
        case .destinationAtop: return porterDuff(1 - backdropAlpha, sourceAlpha)
        case .xor: return porterDuff(1 - backdropAlpha, 1 - sourceAlpha)
        case .plus: return porterDuff(1, 1).map { min(1, $0) }
        default: break
        }
        let mixed = mix(mode, source, backdrop)
        return (0..<3).map {
            sourceAlpha * (1 - backdropAlpha) * source[$0] + sourceAlpha * backdropAlpha * mixed[$0]
                + (1 - sourceAlpha) * backdropAlpha * backdrop[$0]
        } + [sourceAlpha + backdropAlpha - sourceAlpha * backdropAlpha]
    }

    private func mix(_ mode: BlendMode, _ source: [Double], _ backdrop: [Double]) -> [Double] {
        func luminosity(_ color: [Double]) -> Double { 0.3 * color[0] + 0.59 * color[1] + 0.11 * color[2] }
        func saturation(_ color: [Double]) -> Double { color[0..<3].max()! - color[0..<3].min()! }
        func setLuminosity(_ color: [Double], _ wanted: Double) -> [Double] {
            let moved = color[0..<3].map { $0 + wanted - luminosity(color) }
            let (least, most) = (moved.min()!, moved.max()!)
            if least < 0 { return moved.map { wanted + (($0 - wanted) * wanted) / (wanted - least) } }
            if most > 1 { return moved.map { wanted + (($0 - wanted) * (1 - wanted)) / (most - wanted) } }
            return moved
        }
        func setSaturation(_ color: [Double], _ wanted: Double) -> [Double] {
            let (least, most) = (color[0..<3].min()!, color[0..<3].max()!)
            return color[0..<3].map { most > least ? ($0 - least) * wanted / (most - least) : 0 }
        }
        switch mode {
        case .hue: return setLuminosity(setSaturation(source, saturation(backdrop)), luminosity(backdrop))
        case .saturation: return setLuminosity(setSaturation(backdrop, saturation(source)), luminosity(backdrop))
        case .color: return setLuminosity(source, luminosity(backdrop))
        case .luminosity: return setLuminosity(backdrop, luminosity(source))
        default: break
        }
        return (0..<3).map { channel in
            let (s, b) = (source[channel], backdrop[channel])
            func hardLight(_ s: Double, _ b: Double) -> Double {
                s <= 0.5 ? b * 2 * s : b + (2 * s - 1) - b * (2 * s - 1)
            }
            switch mode {
            case .multiply: return s * b
            case .screen: return 1 - (1 - s) * (1 - b)
            case .darken: return min(s, b)
            case .lighten: return max(s, b)
            case .difference: return abs(s - b)
            case .exclusion: return s + b - 2 * s * b
            case .hardLight: return hardLight(s, b)
            case .overlay: return hardLight(b, s)
            case .colorDodge: return b == 0 ? 0 : s == 1 ? 1 : min(1, b / (1 - s))
            case .colorBurn: return b == 1 ? 1 : s == 0 ? 0 : 1 - min(1, (1 - b) / s)
            case .softLight:
                if s <= 0.5 { return b - (1 - 2 * s) * b * (1 - b) }
                let d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
                return b + (2 * s - 1) * (d - b)
            default: return .nan
            }
        }
    }

    @Test("Every mode follows its formula, for every mixture of alphas", arguments: BlendMode.allCases)
    func formulas(mode: BlendMode) throws {
        var random = TestImages.Random(state: 77)
        func component() -> Int {
            [0, 255, Int(random.next() & 255), Int(random.next() & 255)].randomElement(using: &random) ?? 0
        }
        for _ in 0..<200 {
            let color = PixelColor(
                red: UInt8(component()), green: UInt8(component()), blue: UInt8(component()), alpha: UInt8(component()))
            let alpha = component()
            let backdrop = TestImages.premultiplied(component(), component(), component(), alpha)
            let bitmap = try TestImages.constant(backdrop, width: 1, height: 1)
            let result = try ImageProcessors.Tint(color: color, mode: mode).process(bitmap).channels(0, 0)
            // The straight colours that the stored pixels stand for.
            func straight(_ value: UInt8) -> Double { alpha == 0 ? 0 : Double(value) / Double(alpha) }
            let source = [color.red, color.green, color.blue, color.alpha].map { Double($0) / 255 }
            let wanted = expected(
                mode, source, [straight(backdrop.0), straight(backdrop.1), straight(backdrop.2), Double(alpha) / 255])
            for channel in 0..<4 {
                #expect(
                    abs(Double(result[channel]) - wanted[channel] * 255) <= 1, "\(mode) of \(color) over \(backdrop)")
            }
        }
    }

    @Test("An overlay lies where gravity and offset say, and only there")
    func placement() throws {
        let image = try TestImages.constant((10, 10, 10, 255), width: 10, height: 8)
        let mark = try TestImages.constant((0, 200, 0, 255), width: 3, height: 2)
        func touched(_ gravity: Gravity, _ x: Int, _ y: Int) throws -> [[Int]] {
            let result = try ImageProcessors.Overlay(bitmap: mark, id: "m", gravity: gravity, offset: (x, y)).process(
                image)
            #expect(result.isOpaque)
            var places: [[Int]] = []
            for y in 0..<8 {
                for x in 0..<10 where result.channels(x, y) == [0, 200, 0, 255] { places.append([x, y]) }
            }
            return places
        }
        #expect(try touched(.topLeft, 0, 0) == [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]])
        #expect(try touched(.bottomRight, -1, -1) == [[6, 5], [7, 5], [8, 5], [6, 6], [7, 6], [8, 6]])
        #expect(try touched(.topLeft, -2, 7) == [[0, 7]])
        #expect(try touched(.center, 0, 0).first == [3, 3])
        #expect(try touched(.topLeft, 100, 100).isEmpty)
        #expect(try touched(.topLeft, -1_000_000_000, 0).isEmpty)
        let half = try ImageProcessors.Overlay(bitmap: mark, id: "m", gravity: .topLeft, opacity: 0.5).process(image)
        #expect(half.channels(0, 0) == [5, 105, 5, 255])
        // A mask cuts away all that it does not cover.
        let masked = try ImageProcessors.Overlay(bitmap: mark, id: "m", gravity: .topLeft, mode: .destinationIn)
            .process(
                image)
        #expect(masked.channels(2, 1) == [10, 10, 10, 255])
        #expect(masked.channels(3, 1) == [0, 0, 0, 0])
        #expect(!masked.isOpaque)
    }
}
