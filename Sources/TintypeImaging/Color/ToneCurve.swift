/// Brings light above white into the range of an SDR screen: the curve of ITU-R BT.2390, §5.4, from a peak of
/// 1,000 cd/m² to the reference white. Light far below white stays as it is.
enum ToneCurve {
    static let peak = 1000.0

    private static let steps = 4096
    /// The brightest light of PQ, in units of the reference white.
    private static let brightest = Float(10_000 / TransferCurve.referenceWhite)

    /// The factor for light whose largest channel is 0…`brightest`, in steps of its square root.
    private static let factors: [Float] = (0...steps).map { step in
        let root = Double(step) / Double(steps)
        let light = root * root * Double(brightest)
        return light == 0
            ? 1 : Float(map(light * TransferCurve.referenceWhite) / (light * TransferCurve.referenceWhite))
    }

    /// By what to multiply all three channels if the largest is `largest` (1 is the reference white).
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
