@testable import TintypeImaging

/// Images made in code, the same on every run.
enum TestImages {
    /// A generator with a fixed seed (SplitMix64).
    struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    static func make(
        width: Int, height: Int, isOpaque: Bool = false,
        _ pixel: (_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8, UInt8)
    ) throws -> Bitmap {
        try Bitmap(width: width, height: height, isOpaque: isOpaque) { bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let (red, green, blue, alpha) = pixel(x, y)
                    let at = y * bytesPerRow + x * 4
                    (bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]) = (red, green, blue, alpha)
                }
            }
        }
    }

    /// Straight colours, premultiplied here.
    static func premultiplied(_ red: Int, _ green: Int, _ blue: Int, _ alpha: Int) -> (UInt8, UInt8, UInt8, UInt8) {
        func scaled(_ value: Int) -> UInt8 { UInt8((value * alpha + 127) / 255) }
        return (scaled(red), scaled(green), scaled(blue), UInt8(alpha))
    }

    static func random(width: Int, height: Int, isOpaque: Bool = false, seed: UInt64 = 1) throws -> Bitmap {
        var random = Random(state: seed)
        return try make(width: width, height: height, isOpaque: isOpaque) { _, _ in
            let bits = random.next()
            let alpha = isOpaque ? 255 : Int(bits >> 24 & 255)
            return premultiplied(Int(bits & 255), Int(bits >> 8 & 255), Int(bits >> 16 & 255), alpha)
        }
    }

    static func constant(_ color: (UInt8, UInt8, UInt8, UInt8), width: Int, height: Int) throws -> Bitmap {
        try make(width: width, height: height, isOpaque: color.3 == 255) { _, _ in color }
    }
}

extension Bitmap {
    /// All pixels, without padding.
    var pixelBytes: [UInt8] {
        withUnsafeBytes { bytes in
            (0..<height).flatMap { y in bytes[y * bytesPerRow..<y * bytesPerRow + width * 4] }
        }
    }

    /// The pixel as it is stored, premultiplied, for comparisons.
    func channels(_ x: Int, _ y: Int) -> [UInt8] {
        let (red, green, blue, alpha) = self[x: x, y: y]
        return [red, green, blue, alpha]
    }
}
