/// The matrix from primaries of ITU-T H.273, table 2, to those of sRGB, in linear light.
struct PrimariesMatrix: Hashable {
    /// Row by row.
    let values: [Float]

    /// Returns nil for the primaries of sRGB and for unknown ones.
    init?(codePoint: Int) {
        guard let source = Self.chromaticities[codePoint], let toXYZ = Self.toXYZ(source),
            let adaptation = Self.adaptation(from: source[3]), let sRGB = Self.toXYZ(Self.bt709),
            let fromXYZ = Matrix3.inverse(sRGB)
        else { return nil }
        values = Matrix3.product(fromXYZ, Matrix3.product(adaptation, toXYZ)).map { Float($0) }
    }

    private typealias Point = (x: Double, y: Double)

    private static let d65: Point = (0.3127, 0.3290)
    private static let illuminantC: Point = (0.310, 0.316)
    private static let bt709: [Point] = [(0.640, 0.330), (0.300, 0.600), (0.150, 0.060), d65]
    private static let bt601: [Point] = [(0.630, 0.340), (0.310, 0.595), (0.155, 0.070), d65]

    /// Red, green, blue, white.
    private static let chromaticities: [Int: [Point]] = [
        4: [(0.67, 0.33), (0.21, 0.71), (0.14, 0.08), illuminantC],
        5: [(0.64, 0.33), (0.29, 0.60), (0.15, 0.06), d65],
        6: bt601,
        7: bt601,
        8: [(0.681, 0.319), (0.243, 0.692), (0.145, 0.049), illuminantC],
        9: [(0.708, 0.292), (0.170, 0.797), (0.131, 0.046), d65],
        10: [(1, 0), (0, 1), (0, 0), (1.0 / 3, 1.0 / 3)],
        11: [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060), (0.314, 0.351)],
        12: [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060), d65],
        22: [(0.630, 0.340), (0.295, 0.605), (0.155, 0.077), d65],
    ]

    private static func xyz(_ point: Point) -> [Double] {
        // A point with y = 0 is at infinity at luminance 1; only primaries of XYZ itself are.
        point.y == 0 ? [point.x, 0, 1 - point.x] : [point.x / point.y, 1, (1 - point.x - point.y) / point.y]
    }

    private static func toXYZ(_ points: [Point]) -> [Double]? {
        let (red, green, blue, white) = (xyz(points[0]), xyz(points[1]), xyz(points[2]), xyz(points[3]))
        let columns = [
            red[0], green[0], blue[0],
            red[1], green[1], blue[1],
            red[2], green[2], blue[2],
        ]
        guard let inverse = Matrix3.inverse(columns) else { return nil }
        let scale = Matrix3.apply(inverse, white)
        return columns.enumerated().map { $1 * scale[$0 % 3] }
    }

    /// Returns the Bradford adaptation of a white point to D65.
    private static func adaptation(from white: Point) -> [Double]? {
        let bradford = [0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296]
        let (source, target) = (Matrix3.apply(bradford, xyz(white)), Matrix3.apply(bradford, xyz(d65)))
        let scale = [
            target[0] / source[0], 0, 0,
            0, target[1] / source[1], 0,
            0, 0, target[2] / source[2],
        ]
        return Matrix3.inverse(bradford).map { Matrix3.product($0, Matrix3.product(scale, bradford)) }
    }
}

/// Operations on matrices of 3 by 3, row by row.
enum Matrix3 {
    static func apply(_ m: [Double], _ v: [Double]) -> [Double] {
        (0..<3).map { m[$0 * 3] * v[0] + m[$0 * 3 + 1] * v[1] + m[$0 * 3 + 2] * v[2] }
    }

    static func product(_ a: [Double], _ b: [Double]) -> [Double] {
        (0..<9).map { index in
            let (row, column) = (index / 3 * 3, index % 3)
            return a[row] * b[column] + a[row + 1] * b[column + 3] + a[row + 2] * b[column + 6]
        }
    }

    /// Returns the inverse; nil if the determinant is too small.
    static func inverse(_ m: [Double]) -> [Double]? {
        let cofactors = [
            m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
            m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
            m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3],
        ]
        let determinant = m[0] * cofactors[0] + m[1] * cofactors[3] + m[2] * cofactors[6]
        return abs(determinant) > 1e-9 ? cofactors.map { $0 / determinant } : nil
    }
}
