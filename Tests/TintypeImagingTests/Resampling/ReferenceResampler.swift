import Foundation

@testable import TintypeImaging

/// The resampler in plain floating point, written from the definitions and sharing no code with the real one:
/// the oracle for every kernel form.
enum ReferenceResampler {
    static func kernel(_ filter: ResampleFilter, _ x: Double) -> Double {
        let x = abs(x)
        switch filter {
        case .nearest, .box:
            return 0
        case .bilinear:
            return max(0, 1 - x)
        case .catmullRom:
            if x < 1 { return 1.5 * x * x * x - 2.5 * x * x + 1 }
            return x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0
        case .mitchell:
            if x < 1 { return (7 * x * x * x - 12 * x * x + 16.0 / 3) / 6 }
            return x < 2 ? (-7.0 / 3 * x * x * x + 12 * x * x - 20 * x + 32.0 / 3) / 6 : 0
        case .lanczos3:
            if x == 0 { return 1 }
            return x < 3 ? sin(.pi * x) / (.pi * x) * sin(.pi * x / 3) / (.pi * x / 3) : 0
        }
    }

    /// Weights of every sample for one output; they sum up to 1.
    static func weights(
        _ filter: ResampleFilter, output: Int, count: Int, size: Int, origin: Double, extent: Double
    ) -> [(index: Int, weight: Double)] {
        let scale = extent / Double(count)
        let center = origin + (Double(output) + 0.5) * scale
        let lower = max(0, Int((origin + 1e-6).rounded(.down)))
        let upper = min(size, Int((origin + extent - 1e-6).rounded(.up)))
        let reach = filter == .box ? scale / 2 + 1 : (filter == .lanczos3 ? 3 : 2) * max(1, scale) + 1
        let samples = max(lower, Int(center - reach - 1))..<min(upper, Int(center + reach + 2))
        let raw = samples.map { index -> Double in
            if filter == .box {
                return max(
                    0, min(center + scale / 2, Double(index + 1)) - max(center - scale / 2, Double(index)))
            }
            return kernel(filter, (Double(index) + 0.5 - center) / max(1, scale))
        }
        let sum = raw.reduce(0, +)
        return zip(samples, raw).map { ($0, $1 / sum) }
    }

    /// Not rounded and not clamped: `output.width * output.height * 4` numbers.
    static func resize(_ bitmap: Bitmap, plan: ResizePlan) -> [Double] {
        let (width, height) = (plan.scaled.width, plan.scaled.height)
        var rows = [Double](repeating: 0, count: width * bitmap.height * 4)
        bitmap.withUnsafeBytes { bytes in
            for x in 0..<width {
                let window = weights(
                    plan.filter, output: x, count: width, size: bitmap.width, origin: plan.region.x,
                    extent: plan.region.width)
                for y in 0..<bitmap.height {
                    for channel in 0..<4 {
                        var sum = 0.0
                        for (index, weight) in window {
                            sum += weight * Double(bytes[y * bitmap.bytesPerRow + index * 4 + channel])
                        }
                        rows[(y * width + x) * 4 + channel] = sum
                    }
                }
            }
        }
        var result = [Double](repeating: 0, count: width * height * 4)
        for y in 0..<height {
            let window = weights(
                plan.filter, output: y, count: height, size: bitmap.height, origin: plan.region.y,
                extent: plan.region.height)
            for index in 0..<width * 4 {
                var sum = 0.0
                for (row, weight) in window { sum += weight * rows[row * width * 4 + index] }
                result[y * width * 4 + index] = sum
            }
        }
        return result
    }

    /// The greatest distance of any number of `bitmap` from the rounded, clamped reference.
    static func greatestError(_ bitmap: Bitmap, _ reference: [Double]) -> Int {
        var greatest = 0
        bitmap.withUnsafeBytes { bytes in
            for y in 0..<bitmap.height {
                for x in 0..<bitmap.width {
                    let at = (y * bitmap.width + x) * 4
                    let alpha = min(max(reference[at + 3].rounded(), 0), 255)
                    for channel in 0..<4 {
                        let expected = min(max(reference[at + channel].rounded(), 0), alpha)
                        let found = Double(bytes[y * bitmap.bytesPerRow + x * 4 + channel])
                        greatest = max(greatest, Int(abs(expected - found)))
                    }
                }
            }
        }
        return greatest
    }
}
