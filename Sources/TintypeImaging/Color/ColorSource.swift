import CLCMS
import TintypeBase

/// A definition of the colours of an image.
enum ColorSource: Hashable, Sendable {
    /// An embedded ICC profile.
    case profile(Data)
    /// A power curve (light = sample ^ `exponent`) and primaries: PNG's gAMA and cHRM.
    case power(exponent: Double, primaries: ColorPrimaries)
    /// Primaries and transfer by number: cICP, and the `nclx` boxes of AVIF and HEIC.
    case codePoints(CodingIndependentCodePoints)
}

/// The chromaticities (CIE 1931 x and y) of white and of the three primaries.
struct ColorPrimaries: Hashable, Sendable {
    struct Point: Hashable, Sendable {
        var x: Double
        var y: Double

        init(_ x: Double, _ y: Double) {
            self.x = x
            self.y = y
        }

        /// True for a colour of real light with a nonzero y.
        var isUsable: Bool { x >= 0 && y > 1e-4 && x + y <= 1.0001 }
    }

    var white: Point
    var red: Point
    var green: Point
    var blue: Point

    static let d65 = Point(0.3127, 0.3290)

    /// BT.709, which sRGB shares.
    static let sRGB = ColorPrimaries(
        white: d65, red: Point(0.64, 0.33), green: Point(0.30, 0.60), blue: Point(0.15, 0.06))

    var isUsable: Bool { [white, red, green, blue].allSatisfy(\.isUsable) }

    /// Returns whether the difference of all coordinates is too small to see.
    func isClose(to other: ColorPrimaries) -> Bool {
        zip([white, red, green, blue], [other.white, other.red, other.green, other.blue]).allSatisfy {
            abs($0.x - $1.x) < 0.002 && abs($0.y - $1.y) < 0.002
        }
    }
}

extension ColorSource {
    /// Opens a profile that the caller closes; nil if it is damaged, and for code points, which need none.
    func openProfile() -> cmsHPROFILE? {
        switch self {
        case .profile(let data): data.withUnsafeBytes { cmsOpenProfileFromMem($0.baseAddress, UInt32($0.count)) }
        case .power(let exponent, let primaries): Self.makeProfile(primaries, curve: cmsBuildGamma(nil, exponent))
        case .codePoints: nil
        }
    }

    private static func makeProfile(_ primaries: ColorPrimaries, curve: OpaquePointer?)
        -> cmsHPROFILE?
    {
        guard let curve else { return nil }
        defer { cmsFreeToneCurve(curve) }
        guard primaries.isUsable else { return nil }
        func xyY(_ point: ColorPrimaries.Point) -> cmsCIExyY { cmsCIExyY(x: point.x, y: point.y, Y: 1) }
        var white = xyY(primaries.white)
        var triple = cmsCIExyYTRIPLE(
            Red: xyY(primaries.red), Green: xyY(primaries.green), Blue: xyY(primaries.blue))
        var curves: [OpaquePointer?] = [curve, curve, curve]
        return cmsCreateRGBProfile(&white, &triple, &curves)
    }
}
