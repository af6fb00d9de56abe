/// A colour in sRGB, its alpha not multiplied in.
public struct PixelColor: Sendable, Hashable, CustomStringConvertible {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8
    /// 0 is transparent, 255 opaque.
    public var alpha: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// - Parameters:
    ///   - rgb: 0xRRGGBB.
    ///   - alpha: 0…1; other values are clamped, a NaN counts as 0.
    public init(rgb: UInt32, alpha: Double = 1) {
        self.init(
            red: UInt8(rgb >> 16 & 255), green: UInt8(rgb >> 8 & 255), blue: UInt8(rgb & 255),
            alpha: alpha > 0 ? UInt8((min(alpha, 1) * 255).rounded()) : 0)
    }

    /// Parses `RRGGBB` or `RRGGBBAA`, with or without `#`; nil for anything else.
    public init?(hex: String) {
        let digits = hex.hasPrefix("#") ? hex.dropFirst() : hex[...]
        guard digits.utf8.count == 6 || digits.utf8.count == 8, digits.first != "+", digits.first != "-",
            let value = UInt32(digits, radix: 16)
        else { return nil }
        self = digits.utf8.count == 6 ? PixelColor(rgb: value) : PixelColor(rgb: value >> 8)
        if digits.utf8.count == 8 { alpha = UInt8(value & 255) }
    }

    public static let clear = PixelColor(red: 0, green: 0, blue: 0, alpha: 0)
    public static let black = PixelColor(rgb: 0)
    public static let white = PixelColor(rgb: 0xFF_FFFF)

    /// The colour as `rrggbbaa`.
    public var hex: String {
        [red, green, blue, alpha].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    public var description: String { "#" + hex }

    /// The colour as a bitmap stores it.
    var premultiplied: SIMD4<UInt8> {
        func scaled(_ value: UInt8) -> UInt8 { multiply(value, alpha) }
        return SIMD4(scaled(red), scaled(green), scaled(blue), alpha)
    }
}

/// a * b / 255, rounded to nearest, exactly.
@inline(__always)
func multiply(_ a: UInt8, _ b: UInt8) -> UInt8 {
    let product = UInt32(a) &* UInt32(b) &+ 128
    return UInt8(truncatingIfNeeded: (product &+ product >> 8) >> 8)
}
