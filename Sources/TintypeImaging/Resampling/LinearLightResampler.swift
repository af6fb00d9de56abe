import CPixelKernels

/// The resampler for linear light: pixels are converted to linear, premultiplied floating-point numbers, filtered, and
/// converted back.
final class LinearLightResampler: RowResampler {
    private let destination: ResampleDestination
    private let columns: ResampleAxis
    private let lines: ResampleAxis
    private let columnStarts: KernelBuffer<Int32>
    private let columnWeights: KernelBuffer<Float>
    private let lineWeights: KernelBuffer<Float>
    private let linear: KernelBuffer<Float>
    /// Filtered rows: all rows of a window, or a single one where rows are added at once.
    private let kept: KernelBuffer<Float>
    private let keptCount: Int
    private let sums: KernelBuffer<Float>
    private let openCount: Int
    private let rowLength: Int
    private var position = 0
    private var nextOutput = 0

    init(_ plan: ResizePlan, into destination: ResampleDestination) throws {
        self.destination = destination
        columns = try ResampleAxis(
            filter: plan.filter, origin: plan.region.x, extent: plan.region.width, size: plan.source.width,
            count: plan.scaled.width)
        lines = try ResampleAxis(
            filter: plan.filter, origin: plan.region.y, extent: plan.region.height, size: plan.source.height,
            count: plan.scaled.height)
        columnStarts = columns.starts
        columnWeights = try columns.floatWeights()
        lineWeights = try lines.floatWeights()
        rowLength = plan.scaled.width * 4
        linear = try KernelBuffer(count: (columns.span + columns.taps) * 4)
        // Enlarging has small windows, many of them open at once; shrinking has large ones, few of them open.
        let growing = lines.count > lines.span
        keptCount = growing ? lines.taps + 2 : 1
        openCount = growing ? 1 : lines.overlap
        kept = try KernelBuffer(count: keptCount * rowLength)
        sums = try KernelBuffer(count: openCount * rowLength)
    }

    var isComplete: Bool { nextOutput == lines.count }

    func push(_ rows: UnsafePointer<UInt8>, bytesPerRow: Int, count: Int) {
        for index in 0..<count {
            let line = position + index - lines.lower
            guard line >= 0, line < lines.span else { continue }
            SRGBTransfer.linearize(
                rows + index * bytesPerRow + columns.lower * 4, into: linear.base, count: columns.span)
            let filtered = kept.base + line % keptCount * rowLength
            ck_resample_horizontal_float(
                linear.base, columnStarts.base, columnWeights.base, Int32(columns.taps), Int32(columns.count), filtered)
            if keptCount > 1 { writeWindows(upTo: line) } else { add(filtered, line: line) }
        }
        position += count
    }

    private func writeWindows(upTo line: Int) {
        while nextOutput < lines.count, Int(lines.ends[nextOutput]) <= line + 1 {
            sums.base.update(repeating: 0, count: rowLength)
            for row in Int(lines.starts[nextOutput])..<Int(lines.ends[nextOutput]) {
                let weight = lineWeights.base[nextOutput * lines.taps + row - Int(lines.starts[nextOutput])]
                ck_resample_accumulate_float(
                    kept.base + row % keptCount * rowLength, weight, sums.base, Int32(rowLength))
            }
            finish(sums.base)
        }
    }

    private func add(_ row: UnsafePointer<Float>, line: Int) {
        var output = nextOutput
        while output < lines.count, Int(lines.starts[output]) <= line {
            let sum = sums.base + output % openCount * rowLength
            if Int(lines.starts[output]) == line { sum.update(repeating: 0, count: rowLength) }
            let weight = lineWeights.base[output * lines.taps + line - Int(lines.starts[output])]
            ck_resample_accumulate_float(row, weight, sum, Int32(rowLength))
            if Int(lines.ends[output]) == line + 1 { finish(sum) }
            output += 1
        }
    }

    private func finish(_ sum: UnsafePointer<Float>) {
        SRGBTransfer.delinearize(sum, into: destination.row(nextOutput), count: rowLength / 4)
        nextOutput += 1
    }
}
