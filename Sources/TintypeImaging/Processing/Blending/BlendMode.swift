/// How a colour or an image is combined with the image below: the modes of W3C Compositing and Blending Level 1, and the
/// operators of Porter and Duff.
public enum BlendMode: String, Sendable, Hashable, CaseIterable {
    // Blending by channel (§10.1).
    /// The source covers the image (Porter and Duff: source over).
    case normal
    case multiply, screen, overlay, darken, lighten
    case colorDodge = "color-dodge"
    case colorBurn = "color-burn"
    case hardLight = "hard-light"
    case softLight = "soft-light"
    case difference, exclusion
    // Blending of whole colours (§10.2).
    case hue, saturation, color, luminosity
    // Porter and Duff (§9.1).
    /// The source where the image is opaque; transparent elsewhere.
    case sourceIn = "source-in"
    case sourceOut = "source-out"
    /// The source over the image, within the outline of the image.
    case sourceAtop = "source-atop"
    case destinationOver = "destination-over"
    /// The image where the source is opaque: masks the image.
    case destinationIn = "destination-in"
    case destinationOut = "destination-out"
    case destinationAtop = "destination-atop"
    case xor
    /// The sum of both.
    case plus
}

extension BlendMode {
    /// Combines two premultiplied pixels from 0 to 1.
    @inline(__always)
    func blend(_ source: SIMD4<Float>, over backdrop: SIMD4<Float>) -> SIMD4<Float> {
        let (upper, lower) = (source.w, backdrop.w)
        switch self {
        case .normal: return source + backdrop * (1 - upper)
        case .sourceIn: return source * lower
        case .sourceOut: return source * (1 - lower)
        case .sourceAtop: return source * lower + backdrop * (1 - upper)
        case .destinationOver: return source * (1 - lower) + backdrop
        case .destinationIn: return backdrop * upper
        case .destinationOut: return backdrop * (1 - upper)
        case .destinationAtop: return source * (1 - lower) + backdrop * upper
        case .xor: return source * (1 - lower) + backdrop * (1 - upper)
        case .plus: return (source + backdrop).clamped(lowerBound: .zero, upperBound: .one)
        default:
            let mixed = mix(source.straight, backdrop.straight)
            var result = source * (1 - lower) + backdrop * (1 - upper)
            result += SIMD4(mixed, 1) * (upper * lower)
            return result
        }
    }

    /// Computes B(Cb, Cs) of the specification, for straight colours.
    private func mix(_ source: SIMD3<Float>, _ backdrop: SIMD3<Float>) -> SIMD3<Float> {
        switch self {
        case .multiply: return source * backdrop
        case .screen: return backdrop + source - backdrop * source
        case .darken: return pointwiseMin(source, backdrop)
        case .lighten: return pointwiseMax(source, backdrop)
        case .difference: return pointwiseMax(source, backdrop) - pointwiseMin(source, backdrop)
        case .exclusion: return backdrop + source - 2 * backdrop * source
        case .overlay: return byChannel(backdrop, source, Self.hardLight)
        case .hardLight: return byChannel(source, backdrop, Self.hardLight)
        case .softLight: return byChannel(source, backdrop, Self.softLight)
        case .colorDodge:
            return byChannel(source, backdrop) { source, backdrop in
                backdrop == 0 ? 0 : source >= 1 ? 1 : min(1, backdrop / (1 - source))
            }
        case .colorBurn:
            return byChannel(source, backdrop) { source, backdrop in
                backdrop >= 1 ? 1 : source <= 0 ? 0 : 1 - min(1, (1 - backdrop) / source)
            }
        case .hue: return source.withSaturation(backdrop.saturation).withLuminosity(backdrop.luminosity)
        case .saturation: return backdrop.withSaturation(source.saturation).withLuminosity(backdrop.luminosity)
        case .color: return source.withLuminosity(backdrop.luminosity)
        case .luminosity: return backdrop.withLuminosity(source.luminosity)
        default: return source
        }
    }

    private func byChannel(
        _ first: SIMD3<Float>, _ second: SIMD3<Float>, _ body: (Float, Float) -> Float
    ) -> SIMD3<Float> {
        SIMD3(body(first.x, second.x), body(first.y, second.y), body(first.z, second.z))
    }

    private static func hardLight(_ source: Float, _ backdrop: Float) -> Float {
        source <= 0.5 ? backdrop * 2 * source : backdrop + (2 * source - 1) - backdrop * (2 * source - 1)
    }

    private static func softLight(_ source: Float, _ backdrop: Float) -> Float {
        if source <= 0.5 { return backdrop - (1 - 2 * source) * backdrop * (1 - backdrop) }
        let lifted = backdrop <= 0.25 ? ((16 * backdrop - 12) * backdrop + 4) * backdrop : backdrop.squareRoot()
        return backdrop + (2 * source - 1) * (lifted - backdrop)
    }
}

extension SIMD4<Float> {
    /// The colour without premultiplication; black if it is transparent.
    fileprivate var straight: SIMD3<Float> { w > 0 ? SIMD3(x, y, z) / w : .zero }
}

/// Lum, Sat, SetLum, SetSat and ClipColor of the specification.
extension SIMD3<Float> {
    fileprivate var luminosity: Float { 0.3 * x + 0.59 * y + 0.11 * z }

    fileprivate var saturation: Float { self.max() - self.min() }

    fileprivate func withLuminosity(_ luminosity: Float) -> SIMD3<Float> {
        let color = self + (luminosity - self.luminosity)
        let least = color.min()
        let most = color.max()
        let gray = SIMD3(repeating: luminosity)
        if least < 0 { return gray + (color - gray) * (luminosity / (luminosity - least)) }
        if most > 1 { return gray + (color - gray) * ((1 - luminosity) / (most - luminosity)) }
        return color
    }

    fileprivate func withSaturation(_ saturation: Float) -> SIMD3<Float> {
        let least = self.min()
        let range = self.max() - least
        return range > 0 ? (self - least) * (saturation / range) : .zero
    }
}
