/// The windows of one axis: the samples of each output, and their weights.
///
/// Edges are renormalised: samples outside of the image, or of its visible part, are left out, and the others weigh more.
struct ResampleAxis {
    /// The first sample that any window uses; `starts` and `ends` count from it.
    let lower: Int
    /// Number of samples that the windows use.
    let span: Int
    /// First sample of each window, rounded down to an even number; rising.
    let starts: KernelBuffer<Int32>
    /// One past the last sample of each window; rising.
    let ends: KernelBuffer<Int32>
    /// Number of weights for each window, a multiple of 4; those after the end of the window are 0.
    let taps: Int
    /// `taps` weights for each output, with a sum of 1.
    let weights: KernelBuffer<Double>
    /// Number of outputs after which the weights repeat at a ratio of small integers; otherwise the count.
    private let period: Int
    /// Whether the weights of an output equal those one period before.
    private let repeating: KernelBuffer<Bool>

    var count: Int { starts.count }

    /// - Parameters:
    ///   - origin: the start of the visible part, in samples; may be fractional.
    ///   - extent: its length.
    ///   - size: number of samples.
    ///   - count: number of outputs.
    ///   - seesBeyond: true if windows may use samples outside of the visible part.
    init(
        filter: ResampleFilter, origin: Double, extent: Double, size: Int, count: Int, seesBeyond: Bool = false
    ) throws {
        let lower = seesBeyond ? 0 : min(max(0, Int(origin + 1e-6)), size - 1)
        let upper = seesBeyond ? size : min(max(lower + 1, Int((origin + extent - 1e-6).rounded(.up))), size)
        let scale = extent / Double(count)
        let stretch = max(1, scale)
        let reach = filter.support * stretch
        starts = try KernelBuffer(count: count)
        ends = try KernelBuffer(count: count)
        repeating = try KernelBuffer(count: count)
        let firsts = try KernelBuffer<Int32>(count: count)
        var taps = 4
        for output in 0..<count {
            let center = origin + (Double(output) + 0.5) * scale
            var first: Int
            var end: Int
            if filter == .box {
                first = Int((center - scale / 2 + 1e-9).rounded(.down))
                end = Int((center + scale / 2 - 1e-9).rounded(.up))
            } else {
                // Sample centres are half a pixel after their index; those at the end of the filter have no weight.
                first = Int((center - reach - 0.5).rounded(.down)) + 1
                end = Int((center + reach - 0.5).rounded(.up))
            }
            first = min(max(first, lower), upper - 1)
            end = min(max(end, first + 1), upper)
            firsts[output] = Int32(first - lower)
            starts[output] = Int32((first - lower) & ~1)
            ends[output] = Int32(end - lower)
            taps = max(taps, (end - lower - ((first - lower) & ~1) + 3) & ~3)
        }
        self.lower = lower
        span = upper - lower
        self.taps = taps
        let isWhole = origin == origin.rounded() && extent == extent.rounded()
        period = isWhole ? count / Self.greatestCommonDivisor(Int(extent), count) : count
        weights = try Self.makeWeights(count: count, taps: taps)
        fill(filter, origin: origin - Double(lower), scale: scale, firsts: firsts)
    }

    /// Creates windows with the weights of the caller.
    ///
    /// - Parameters:
    ///   - size: number of samples.
    ///   - count: number of outputs.
    ///   - window: the samples of an output, ascending and within `0..<size`.
    ///   - weight: the weight of sample `index` for `output`.
    init(
        size: Int, count: Int, window: (_ output: Int) -> Range<Int>, weight: (_ output: Int, _ index: Int) -> Double
    ) throws {
        lower = 0
        span = size
        period = count
        repeating = try KernelBuffer(count: count)
        starts = try KernelBuffer(count: count)
        ends = try KernelBuffer(count: count)
        var taps = 4
        for output in 0..<count {
            let window = window(output)
            starts[output] = Int32(window.lowerBound & ~1)
            ends[output] = Int32(window.upperBound)
            taps = max(taps, (window.upperBound - (window.lowerBound & ~1) + 3) & ~3)
        }
        self.taps = taps
        weights = try Self.makeWeights(count: count, taps: taps)
        for output in 0..<count {
            let window = window(output)
            let values = weights.base + output * taps + window.lowerBound - (window.lowerBound & ~1)
            var sum = 0.0
            for (place, index) in window.enumerated() {
                values[place] = weight(output, index)
                sum += values[place]
            }
            for place in 0..<window.count { values[place] /= sum }
        }
    }

    /// Allocates weights, but not gigabytes of them for sides of millions of pixels.
    private static func makeWeights(count: Int, taps: Int) throws -> KernelBuffer<Double> {
        guard count <= maximumWeightCount / taps else {
            throw ImagingError.outOfMemory(byteCount: count.multipliedReportingOverflow(by: taps * 8).partialValue)
        }
        return try KernelBuffer(count: count * taps)
    }

    private static let maximumWeightCount = 1 << 26

    private func fill(_ filter: ResampleFilter, origin: Double, scale: Double, firsts: KernelBuffer<Int32>) {
        let stretch = max(1, scale)
        let taps = taps
        let starts = starts
        let ends = ends
        let period = period
        let advance = Int32(clamping: Int(scale * Double(period) + 0.5))
        // Windows that are clipped at an edge do not repeat.
        func repeats(_ output: Int) -> Bool {
            output >= period && starts[output] - starts[output - period] == advance
                && firsts[output] - firsts[output - period] == advance
                && ends[output] - ends[output - period] == advance
        }
        let base = weights.base
        for output in 0..<starts.count {
            let first = Int(firsts[output])
            let count = Int(ends[output]) - first
            repeating[output] = repeats(output)
            if repeating[output] {
                (base + output * taps).update(from: base + (output - period) * taps, count: taps)
                continue
            }
            let values = base + output * taps + (first - Int(starts[output]))
            let center = origin + (Double(output) + 0.5) * scale
            if filter == .box {
                Self.cover(center - scale / 2, center + scale / 2, from: first, into: values, count: count)
            } else {
                filter.sample(
                    from: (Double(first) + 0.5 - center) / stretch, step: 1 / stretch, into: values, count: count)
            }
            var sum = 0.0
            for index in 0..<count { sum += values[index] }
            guard sum > 1e-9 else {
                // The filter is zero everywhere: use the sample nearest to the centre.
                for index in 0..<count { values[index] = 0 }
                values[min(max(Int(center) - first, 0), count - 1)] = 1
                continue
            }
            for index in 0..<count { values[index] /= sum }
        }
    }

    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        second == 0 ? first : greatestCommonDivisor(second, first % second)
    }

    /// Computes the part of each pixel between two positions.
    private static func cover(
        _ begin: Double, _ end: Double, from first: Int, into values: UnsafeMutablePointer<Double>, count: Int
    ) {
        for index in 0..<count {
            let left = Double(first + index)
            values[index] = max(0, min(end, left + 1) - max(begin, left))
        }
    }
}

extension ResampleAxis {
    /// Returns the weights as 16-bit numbers whose sum is exactly `1 << shift` for every window, with as many bits as the
    /// largest weight allows: 14 bits would lose the small weights of windows of a thousand taps.
    func quantized(maximumShift: Int) throws -> (weights: KernelBuffer<Int16>, shift: Int) {
        let weights = weights.base
        var peak = 0.0
        for index in 0..<count * taps { peak = max(peak, abs(weights[index])) }
        var shift = 14
        while shift < maximumShift, peak * Double(1 << (shift + 1)) <= 32_000 { shift += 1 }
        let result = try KernelBuffer<Int16>(count: count * taps)
        for output in 0..<count {
            let range = output * taps..<(output + 1) * taps
            if repeating[output] {
                for index in range { result[index] = result[index - period * taps] }
                continue
            }
            var rest = 1 << shift
            var heaviest = range.lowerBound
            for index in range {
                let value = Int((weights[index] * Double(1 << shift)).rounded())
                result[index] = Int16(clamping: value)
                rest -= Int(result[index])
                if result[index] > result[heaviest] { heaviest = index }
            }
            // The rounding error goes to the middle of the window, one unit for each tap.
            var distance = 0
            while rest != 0 {
                let step = rest.signum()
                for index in distance == 0 ? [heaviest] : [heaviest - distance, heaviest + distance]
                where rest != 0 && range.contains(index) && weights[index] != 0 {
                    result[index] += Int16(step)
                    rest -= step
                }
                distance = distance == taps ? 0 : distance + 1
            }
        }
        return (result, shift)
    }

    /// Returns the weights in single precision.
    func floatWeights() throws -> KernelBuffer<Float> {
        let result = try KernelBuffer<Float>(count: count * taps)
        for index in 0..<count * taps { result[index] = Float(weights[index]) }
        return result
    }

    /// The largest number of windows that are open at the same time while rows arrive in pairs.
    var overlap: Int {
        var most = 1
        var oldest = 0
        for output in 0..<count {
            while ends[oldest] <= starts[output] { oldest += 1 }
            most = max(most, output - oldest + 1)
        }
        return most
    }
}
