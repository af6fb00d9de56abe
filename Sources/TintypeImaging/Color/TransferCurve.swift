import TintypeBase

/// Transfer characteristics of ITU-T H.273, table 3: the curves from samples to light.
enum TransferCurve: Hashable {
    /// sRGB, and the camera curves of television (BT.709, BT.601, BT.2020), which are displayed alike.
    case sRGB
    case gamma22, gamma28, linear, smpte428
    /// SMPTE ST 2084.
    case pq
    /// ARIB STD-B67.
    case hlg

    init(codePoint: Int) {
        switch codePoint {
        case 4: self = .gamma22
        case 5: self = .gamma28
        case 8: self = .linear
        case 16: self = .pq
        case 17: self = .smpte428
        case 18: self = .hlg
        default: self = .sRGB
        }
    }

    /// Candela per square metre of white for curves with absolute light (ITU-R BT.2408, §2.1).
    static let referenceWhite = 203.0

    /// The light of each 16-bit sample: 1 is white. For PQ, 1 is the reference white; for HLG, it is light at the camera.
    var light: [Float] {
        switch self {
        case .sRGB: Self.sRGBLight
        case .pq: Self.pqLight
        case .hlg: Self.hlgLight
        case .gamma22: Self.table { pow($0, 2.2) }
        case .gamma28: Self.table { pow($0, 2.8) }
        case .linear: Self.table { $0 }
        case .smpte428: Self.table { pow($0, 2.6) * 52.37 / 48 }
        }
    }

    private static let sRGBLight = table(SRGBTransfer.toLinear)
    private static let pqLight = table { pqToLight($0) / referenceWhite }
    private static let hlgLight = table(hlgToLight)

    private static func table(_ curve: (Double) -> Double) -> [Float] {
        (0...65535).map { Float(curve(Double($0) / 65535)) }
    }

    // SMPTE ST 2084, §5: light in candela per square metre.
    private static let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
    private static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)

    static func pqToLight(_ sample: Double) -> Double {
        let power = pow(max(sample, 0), 1 / m2)
        return 10_000 * pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
    }

    static func pqFromLight(_ light: Double) -> Double {
        let power = pow(max(light, 0) / 10_000, m1)
        return pow((c1 + c2 * power) / (1 + c3 * power), m2)
    }

    /// Returns the light at the camera (ITU-R BT.2100-2, table 5).
    private static func hlgToLight(_ sample: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        return sample <= 0.5 ? sample * sample / 3 : (exp((sample - c) / a) + b) / 12
    }
}

/// The curve that maps light above white to the range of an SDR screen (ITU-R BT.2390, §5.4), from a peak of 1,000 cd/m² to
/// the reference white. Light far below white is not changed.
enum ToneCurve {
    static let peak = 1000.0

    private static let steps = 4096
    /// The brightest light of PQ, in units of the reference white.
    private static let brightest = Float(10_000 / TransferCurve.referenceWhite)

    /// The factors for light whose largest channel is 0…`brightest`, in steps of its square root.
    private static let factors: [Float] = (0...steps).map { step in
        let root = Double(step) / Double(steps)
        let light = root * root * Double(brightest)
        return light == 0
            ? 1 : Float(map(light * TransferCurve.referenceWhite) / (light * TransferCurve.referenceWhite))
    }

    /// Returns the factor for all three channels if the largest is `largest` (1 is the reference white).
    static func factor(_ largest: Float) -> Float {
        guard largest > 0 else { return 1 }
        let step = (largest / brightest).squareRoot() * Float(steps)
        return factors[min(steps, Int(step + 0.5))]
    }

    private static func map(_ light: Double) -> Double {
        let whole = TransferCurve.pqFromLight(peak)
        let target = TransferCurve.pqFromLight(TransferCurve.referenceWhite) / whole
        let knee = 1.5 * target - 0.5
        let sample = min(1, TransferCurve.pqFromLight(light) / whole)
        guard sample > knee else { return light }
        let t = (sample - knee) / (1 - knee)
        let (square, cube) = (t * t, t * t * t)
        let mapped =
            (2 * cube - 3 * square + 1) * knee + (cube - 2 * square + t) * (1 - knee)
            + (3 * square - 2 * cube) * target
        return TransferCurve.pqToLight(mapped * whole)
    }
}
