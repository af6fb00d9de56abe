import TintypeBase

/// The reconstruction filter of the resampler. For shrinking, the filter widens with the ratio, so that every source pixel
/// counts; for enlarging, it interpolates.
public enum ResampleFilter: String, Sendable, Hashable, CaseIterable {
    /// The pixel under the centre of the output pixel, copied exactly. For pixel art and masks.
    case nearest
    /// The mean of the source area that an output pixel covers.
    case box
    /// A triangle (bilinear interpolation when enlarging): soft, never overshoots.
    case bilinear
    /// The cubic of Catmull and Rom (Keys, a = -1/2): sharp, overshoots a little.
    case catmullRom = "catmull-rom"
    /// The cubic of Mitchell and Netravali with B = C = 1/3: between soft and sharp.
    case mitchell
    /// A sinc windowed by the main lobe of a three times wider sinc: the sharpest, for shrinking photographs.
    case lanczos3

    /// Distance from the centre, in pixels of the smaller image, beyond which the filter is 0.
    var support: Double {
        switch self {
        case .nearest, .box: 0.5
        case .bilinear: 1
        case .catmullRom, .mitchell: 2
        case .lanczos3: 3
        }
    }

    /// Samples the filter at `count` positions `step` apart. Not used for `nearest` and `box`.
    func sample(from first: Double, step: Double, into values: UnsafeMutablePointer<Double>, count: Int) {
        switch self {
        case .nearest, .box:
            for index in 0..<count { values[index] = 1 }
        case .bilinear:
            for index in 0..<count { values[index] = max(0, 1 - abs(first + Double(index) * step)) }
        case .catmullRom:
            Self.cubic(b: 0, c: 0.5, first, step, values, count)
        case .mitchell:
            Self.cubic(b: 1 / 3, c: 1 / 3, first, step, values, count)
        case .lanczos3:
            Self.lanczos(first, step, values, count)
        }
    }

    /// Samples the cubic of Mitchell and Netravali, "Reconstruction Filters in Computer Graphics", equation 8.
    private static func cubic(
        b: Double, c: Double, _ first: Double, _ step: Double, _ values: UnsafeMutablePointer<Double>, _ count: Int
    ) {
        let near = (12 - 9 * b - 6 * c, -18 + 12 * b + 6 * c, 6 - 2 * b)
        let far = (-b - 6 * c, 6 * b + 30 * c, -12 * b - 48 * c, 8 * b + 24 * c)
        for index in 0..<count {
            let x = abs(first + Double(index) * step)
            if x < 1 {
                values[index] = ((near.0 * x + near.1) * x * x + near.2) / 6
            } else if x < 2 {
                values[index] = (((far.0 * x + far.1) * x + far.2) * x + far.3) / 6
            } else {
                values[index] = 0
            }
        }
    }

    /// Samples the windowed sinc. The sines of evenly spaced angles come from rotating a vector, which costs four
    /// multiplications instead of a call; over 100,000 steps the error stays below 1e-10.
    private static func lanczos(
        _ first: Double, _ step: Double, _ values: UnsafeMutablePointer<Double>, _ count: Int
    ) {
        var (sine, cosine) = (sin(.pi * first), cos(.pi * first))
        var (windowSine, windowCosine) = (sin(.pi * first / 3), cos(.pi * first / 3))
        let (turnSine, turnCosine) = (sin(.pi * step), cos(.pi * step))
        let (windowTurnSine, windowTurnCosine) = (sin(.pi * step / 3), cos(.pi * step / 3))
        for index in 0..<count {
            let x = first + Double(index) * step
            if abs(x) >= 3 {
                values[index] = 0
            } else if abs(x) < 1e-5 {
                values[index] = 1
            } else {
                values[index] = 3 * sine * windowSine / (.pi * .pi * x * x)
            }
            (sine, cosine) = (sine * turnCosine + cosine * turnSine, cosine * turnCosine - sine * turnSine)
            (windowSine, windowCosine) = (
                windowSine * windowTurnCosine + windowCosine * windowTurnSine,
                windowCosine * windowTurnCosine - windowSine * windowTurnSine
            )
        }
    }
}
