import Tintype

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Red, green, blue, each 0 to 1.
typealias Tone = SIMD3<Double>

extension SIMD3<Double> {
    init(hex: UInt32) {
        self.init(Double(hex >> 16 & 255) / 255, Double(hex >> 8 & 255) / 255, Double(hex & 255) / 255)
    }

    /// - Parameters: hue in turns; saturation and value 0 to 1.
    static func hsv(_ hue: Double, _ saturation: Double, _ value: Double) -> SIMD3<Double> {
        func channel(_ offset: Double) -> Double {
            let position = (hue + offset).truncatingRemainder(dividingBy: 1) * 6
            let ramp = Swift.min(Swift.max(abs(position - 3) - 1, 0), 1)
            return value * (1 - saturation + saturation * ramp)
        }
        return SIMD3(channel(1), channel(2.0 / 3), channel(1.0 / 3))
    }

    func mixed(_ other: SIMD3<Double>, _ part: Double) -> SIMD3<Double> {
        self + (other - self) * Swift.min(1, Swift.max(0, part))
    }
}

/// Images from a function of the place.
enum PixelCanvas {
    /// - Parameter shade: for each pixel, its colour and its opacity.
    static func draw(_ width: Int, _ height: Int, isOpaque: Bool = false, _ shade: (Int, Int) -> (Tone, Double)) throws
        -> Bitmap
    {
        try Bitmap(width: width, height: height, isOpaque: isOpaque) { bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let (tone, alpha) = shade(x, y)
                    let premultiplied = tone * alpha * 255
                    let offset = y * bytesPerRow + x * 4
                    bytes[offset] = UInt8(min(255, max(0, premultiplied.x)))
                    bytes[offset + 1] = UInt8(min(255, max(0, premultiplied.y)))
                    bytes[offset + 2] = UInt8(min(255, max(0, premultiplied.z)))
                    bytes[offset + 3] = UInt8(min(255, max(0, alpha * 255)))
                }
            }
        }
    }

    /// Coverage of a shape with a soft edge: `distance` is negative inside, in pixels.
    static func cover(_ distance: Double) -> Double { min(1, max(0, 0.5 - distance)) }

    /// Distance to a rectangle with round corners around the origin.
    static func box(_ x: Double, _ y: Double, _ halfWidth: Double, _ halfHeight: Double, _ radius: Double) -> Double {
        let dx = abs(x) - halfWidth + radius
        let dy = abs(y) - halfHeight + radius
        let outside = (max(dx, 0) * max(dx, 0) + max(dy, 0) * max(dy, 0)).squareRoot()
        return outside + min(max(dx, dy), 0) - radius
    }

    static func disc(_ x: Double, _ y: Double, _ radius: Double) -> Double { (x * x + y * y).squareRoot() - radius }
}

/// Numbers that look random and are the same on every run.
struct Dice {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 &+ 0x2545_F491_4F6C_DD1D }

    mutating func next() -> Double {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Double(state >> 11) / Double(1 << 53)
    }

    mutating func next(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + next() * (range.upperBound - range.lowerBound)
    }

    mutating func index(_ count: Int) -> Int { min(count - 1, Int(next() * Double(count))) }
}
