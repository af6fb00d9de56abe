import CPixelKernels

/// A linear map of colours with an offset, for straight colours from 0 to 1. Alpha is not touched.
struct ColorMatrix {
    /// The contributions of red, green and blue to the three results.
    var red: SIMD3<Double>
    var green: SIMD3<Double>
    var blue: SIMD3<Double>
    var offset: SIMD3<Double>

    static let identity = ColorMatrix(
        red: SIMD3(1, 0, 0), green: SIMD3(0, 1, 0), blue: SIMD3(0, 0, 1), offset: .zero)

    /// The share of each channel in brightness (ITU-R BT.709), as CSS filters use it.
    static let luma = SIMD3(0.2126, 0.7152, 0.0722)

    /// Returns a matrix for a saturation: 0 is grey, 1 changes nothing.
    static func saturation(_ amount: Double) -> ColorMatrix {
        func column(_ share: Double, _ own: SIMD3<Double>) -> SIMD3<Double> {
            SIMD3(repeating: share * (1 - amount)) + own * amount
        }
        return ColorMatrix(
            red: column(luma.x, identity.red), green: column(luma.y, identity.green),
            blue: column(luma.z, identity.blue), offset: .zero)
    }

    /// Returns a matrix that multiplies distances from middle grey by `factor`, then adds `brightness`.
    static func levels(factor: Double, brightness: Double) -> ColorMatrix {
        ColorMatrix(
            red: identity.red * factor, green: identity.green * factor, blue: identity.blue * factor,
            offset: SIMD3(repeating: 0.5 - 0.5 * factor + brightness))
    }

    /// Interpolates between the identity, at 0, and this matrix, at 1.
    func mixed(_ amount: Double) -> ColorMatrix {
        func mix(_ mine: SIMD3<Double>, _ same: SIMD3<Double>) -> SIMD3<Double> { mine * amount + same * (1 - amount) }
        return ColorMatrix(
            red: mix(red, Self.identity.red), green: mix(green, Self.identity.green),
            blue: mix(blue, Self.identity.blue), offset: offset * amount)
    }

    /// Returns this matrix followed by `next`.
    func then(_ next: ColorMatrix) -> ColorMatrix {
        func apply(_ color: SIMD3<Double>) -> SIMD3<Double> {
            next.red * color.x + next.green * color.y + next.blue * color.z
        }
        return ColorMatrix(red: apply(red), green: apply(green), blue: apply(blue), offset: apply(offset) + next.offset)
    }

    func apply(to bitmap: Bitmap) throws -> Bitmap {
        func column(_ values: SIMD3<Double>) -> (Float, Float, Float, Float) {
            (Float(values.x), Float(values.y), Float(values.z), 0)
        }
        var matrix = ck_color_matrix(columns: (column(red), column(green), column(blue), column(offset)))
        return try bitmap.mappingRows(isOpaque: bitmap.isOpaque) { _, input, output in
            ck_apply_color_matrix(input, output, bitmap.width, &matrix)
        }
    }
}
