/// The windows of one axis: which samples each output is made of, and how much each of them counts.
///
/// Edges are renormalised: what a window would take from outside of the image, or of the part that is shown, is left
/// out, and the rest weighs more.
struct ResampleAxis {
    /// The first sample that any window uses; `starts` and `ends` count from it.
    let lower: Int
    /// Samples that the windows use together.
    let span: Int
    /// First sample of each window, rounded down to an even number; rising.
    private(set) var starts: [Int32]
    /// One past the last sample of each window; rising.
    private(set) var ends: [Int32]
    /// Weights for each window, a multiple of 4; those behind the window's end are 0.
    let taps: Int
    /// `taps` for each output, their sum 1.
    private(set) var weights: [Double]
    /// At ratios of small whole numbers the weights recur after so many outputs; otherwise the count.
    private let period: Int
    /// Whether an output's weights are those of the output one period before.
    private var repeating: [Bool] = []

    var count: Int { starts.count }

    /// - Parameters:
    ///   - origin: where the shown part begins, in samples; may lie between two.
    ///   - extent: its length.
    ///   - size: number of samples that there are.
    ///   - count: number of outputs.
    ///   - seesBeyond: true if windows may take samples from outside of the shown part.
    init(
        filter: ResampleFilter, origin: Double, extent: Double, size: Int, count: Int, seesBeyond: Bool = false
    ) {
        let lower = seesBeyond ? 0 : min(max(0, Int(origin + 1e-6)), size - 1)
        let upper = seesBeyond ? size : min(max(lower + 1, Int((origin + extent - 1e-6).rounded(.up))), size)
        let scale = extent / Double(count)
        let stretch = max(1, scale)
        let reach = filter.support * stretch
        var starts = [Int32](repeating: 0, count: count)
        var ends = starts
        var firsts = starts
        var taps = 4
        for output in 0..<count {
            let center = origin + (Double(output) + 0.5) * scale
            var first: Int
            var end: Int
            if filter == .box {
                first = Int((center - scale / 2 + 1e-9).rounded(.down))
                end = Int((center + scale / 2 - 1e-9).rounded(.up))
            } else {
                // Samples stand half a pixel behind their index; those at the very end of the filter weigh nothing.
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
        self.starts = starts
        self.ends = ends
        weights = [Double](repeating: 0, count: count * taps)
        fill(filter, origin: origin - Double(lower), scale: scale, firsts: firsts)
    }

    /// Windows with weights of the caller's own: `weight` gives that of sample `index` for `output`.
    ///
    /// - Parameters:
    ///   - windows: the samples of each output, rising and within `0..<size`.
    init(size: Int, windows: [Range<Int>], weight: (_ output: Int, _ index: Int) -> Double) {
        lower = 0
        span = size
        period = windows.count
        repeating = [Bool](repeating: false, count: windows.count)
        starts = windows.map { Int32($0.lowerBound & ~1) }
        ends = windows.map { Int32($0.upperBound) }
        var taps = 4
        for window in windows { taps = max(taps, (window.upperBound - (window.lowerBound & ~1) + 3) & ~3) }
        self.taps = taps
        weights = [Double](repeating: 0, count: windows.count * taps)
        for (output, window) in windows.enumerated() {
            let values = window.map { weight(output, $0) }
            let sum = values.reduce(0, +)
            let first = output * taps + window.lowerBound - (window.lowerBound & ~1)
            for (index, value) in values.enumerated() { weights[first + index] = value / sum }
        }
    }

    private mutating func fill(_ filter: ResampleFilter, origin: Double, scale: Double, firsts: [Int32]) {
        let stretch = max(1, scale)
        let taps = taps
        let starts = starts
        let ends = ends
        let period = period
        let advance = Int32(clamping: Int(scale * Double(period) + 0.5))
        // Windows that were cut off at an edge have not moved by the whole advance.
        func repeats(_ output: Int) -> Bool {
            output >= period && starts[output] - starts[output - period] == advance
                && firsts[output] - firsts[output - period] == advance
                && ends[output] - ends[output - period] == advance
        }
        repeating = (0..<starts.count).map(repeats)
        weights.withUnsafeMutableBufferPointer { weights in
            guard let base = weights.baseAddress else { return }
            for output in 0..<starts.count {
                let first = Int(firsts[output])
                let count = Int(ends[output]) - first
                if repeats(output) {
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
                    // Nothing but zeros under the filter: the sample nearest to the centre alone.
                    for index in 0..<count { values[index] = 0 }
                    values[min(max(Int(center) - first, 0), count - 1)] = 1
                    continue
                }
                for index in 0..<count { values[index] /= sum }
            }
        }
    }

    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        second == 0 ? first : greatestCommonDivisor(second, first % second)
    }

    /// The part of each sample's pixel that lies between two places.
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
    /// The weights as 16-bit numbers whose sum is exactly `1 << shift` for every window, with as many bits as the
    /// greatest weight leaves room for: windows of a thousand taps have small weights, and 14 bits would lose them.
    func quantized(maximumShift: Int) -> (weights: [Int16], shift: Int) {
        var peak = 0.0
        for weight in weights { peak = max(peak, abs(weight)) }
        var shift = 14
        while shift < maximumShift, peak * Double(1 << (shift + 1)) <= 32_000 { shift += 1 }
        var result = [Int16](repeating: 0, count: weights.count)
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
            // What rounding lost or gained goes to the middle of the window, one unit for each tap.
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

    /// Greatest number of windows that are open at the same time while rows arrive in pairs.
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
