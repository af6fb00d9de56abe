import TintypeBase

/// The transfer function of sRGB (IEC 61966-2-1), as tables.
enum SRGBTransfer {
    static func toLinear(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    static func fromLinear(_ value: Double) -> Double {
        value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055
    }

    /// The light of each sRGB number, with one more at the end for interpolation.
    static let light: [Float] = (0...256).map { Float(toLinear(Double(min($0, 255)) / 255)) }

    /// The sRGB numbers of light in steps of 1/65535, which gives the darkest number 20 steps.
    static let numbers: [UInt8] = (0...65535).map {
        UInt8((fromLinear(Double($0) / 65535) * 255).rounded())
    }

    /// Converts premultiplied sRGB pixels to premultiplied light from 0 to 1.
    static func linearize(_ pixels: UnsafePointer<UInt8>, into result: UnsafeMutablePointer<Float>, count: Int) {
        light.withUnsafeBufferPointer { light in
            for index in 0..<count {
                let pixel = pixels + index * 4
                let out = result + index * 4
                let alpha = pixel[3]
                out[3] = Float(alpha) / 255
                if alpha == 255 {
                    for channel in 0..<3 { out[channel] = light[Int(pixel[channel])] }
                } else if alpha == 0 {
                    for channel in 0..<3 { out[channel] = 0 }
                } else {
                    for channel in 0..<3 {
                        let straight = Float(min(pixel[channel], alpha)) * 255 / Float(alpha)
                        let lower = min(Int(straight), 255)
                        let value = light[lower] + (light[lower + 1] - light[lower]) * (straight - Float(lower))
                        out[channel] = value * out[3]
                    }
                }
            }
        }
    }

    /// Converts premultiplied light to premultiplied sRGB pixels; clamps light to 0…1, and colours to their alpha.
    static func delinearize(_ values: UnsafePointer<Float>, into result: UnsafeMutablePointer<UInt8>, count: Int) {
        numbers.withUnsafeBufferPointer { numbers in
            for index in 0..<count {
                let value = values + index * 4
                let out = result + index * 4
                let coverage = min(max(value[3], 0), 1)
                let alpha = Int(coverage * 255 + 0.5)
                out[3] = UInt8(alpha)
                guard alpha > 0 else {
                    for channel in 0..<3 { out[channel] = 0 }
                    continue
                }
                for channel in 0..<3 {
                    let straight = min(max(value[channel] / coverage, 0), 1)
                    let number = Int(numbers[Int(straight * 65535 + 0.5)])
                    out[channel] = UInt8((number * alpha + 127) / 255)
                }
            }
        }
    }
}
