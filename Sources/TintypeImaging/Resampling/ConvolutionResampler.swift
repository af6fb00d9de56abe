import CPixelKernels

/// The resampler for 8-bit pixels: rows are filtered horizontally as they arrive, four at a time, and stored as 16-bit
/// numbers until the vertical windows that need them are complete.
///
/// For windows of more than 64 rows, 16-bit weights would be too coarse and the stored rows too many: then each row is
/// added to the few results that it contributes to, with floating-point weights.
final class ConvolutionResampler: RowResampler {
    private static let greatestWindow = 64

    private let kernels: Kernels
    private let destination: ResampleDestination
    private let columns: ResampleAxis
    private let lines: ResampleAxis
    private let columnStarts: KernelBuffer<Int32>
    private let columnWeights: KernelBuffer<Int16>
    private let columnShift: Int
    private let lineWeights: LineWeights

    /// Numbers in a row of a pair: the pixels of the result, padded to the block of the kernels.
    private let rowLength: Int
    private let outputRowLength: Int
    private let scratch: KernelBuffer<Int16>
    private let scratchStride: Int
    private let pairs: KernelBuffer<Int16>
    private let pairCount: Int
    /// Sums of the results that are not complete yet.
    private let sums: KernelBuffer<Float>
    private let openCount: Int
    /// Up to three rows that wait for the fourth.
    private let held: KernelBuffer<UInt8>
    private var heldCount = 0
    private let rowPointers: KernelBuffer<UnsafePointer<UInt8>?>
    private let pairPointers: KernelBuffer<UnsafeMutablePointer<Int16>?>
    private let windowPointers: KernelBuffer<UnsafePointer<Int16>?>

    /// Number of pushed source rows.
    private var position = 0
    /// Number of horizontally filtered rows, from the first one needed.
    private var filtered = 0
    private var nextOutput = 0

    private enum LineWeights {
        case windows(KernelBuffer<Int16>, shift: Int)
        case sums(KernelBuffer<Float>)
    }

    private struct Kernels {
        var horizontal: HorizontalKernel
        var vertical: VerticalKernel
        var accumulate: AccumulateKernel

        init(_ form: PixelKernelForm) {
            guard let table = ck_resample_kernels_for(form.kernelForm) ?? ck_resample_kernels_for(CK_FORM_PLAIN),
                let horizontal = table.pointee.horizontal, let vertical = table.pointee.vertical,
                let accumulate = table.pointee.accumulate
            else { preconditionFailure("every build has the plain kernels") }
            self.horizontal = horizontal
            self.vertical = vertical
            self.accumulate = accumulate
        }
    }

    convenience init(_ plan: ResizePlan, into destination: ResampleDestination, form: PixelKernelForm) throws {
        try self.init(
            columns: ResampleAxis(
                filter: plan.filter, origin: plan.region.x, extent: plan.region.width, size: plan.source.width,
                count: plan.scaled.width),
            lines: ResampleAxis(
                filter: plan.filter, origin: plan.region.y, extent: plan.region.height, size: plan.source.height,
                count: plan.scaled.height),
            into: destination, form: form)
    }

    /// Creates a resampler with any windows; blurring uses it.
    init(columns: ResampleAxis, lines: ResampleAxis, into destination: ResampleDestination, form: PixelKernelForm)
        throws
    {
        self.destination = destination
        self.columns = columns
        self.lines = lines
        kernels = Kernels(form)
        let (weights, shift) = try columns.quantized(maximumShift: 22)
        columnStarts = columns.starts
        columnWeights = weights
        columnShift = shift
        outputRowLength = columns.count * 4
        rowLength = (outputRowLength + 63) & ~63
        scratchStride = (columns.span + columns.taps + 8) * 4
        scratch = try KernelBuffer(count: scratchStride * 4)
        if lines.taps > Self.greatestWindow {
            lineWeights = .sums(try lines.floatWeights())
            pairCount = 2
            openCount = lines.overlap
        } else {
            let (weights, shift) = try lines.quantized(maximumShift: 15)
            lineWeights = .windows(weights, shift: shift)
            // Two pairs arrive before the last use of the oldest one.
            pairCount = lines.taps / 2 + 2
            openCount = 0
        }
        pairs = try KernelBuffer(count: pairCount * rowLength * 2)
        sums = try KernelBuffer(count: openCount * rowLength)
        held = try KernelBuffer(count: columns.span * 4 * 4)
        rowPointers = try KernelBuffer(count: 4)
        pairPointers = try KernelBuffer(count: 2)
        windowPointers = try KernelBuffer(count: lines.taps / 2)
    }

    var isComplete: Bool { nextOutput == lines.count }

    func push(_ rows: UnsafePointer<UInt8>, bytesPerRow: Int, count: Int) {
        let end = lines.lower + lines.span
        var row = max(0, lines.lower - position)
        let last = min(count, end - position)
        position += count
        let heldRowLength = columns.span * 4
        while row < last {
            let first = rows + row * bytesPerRow + columns.lower * 4
            if heldCount == 0, row + 4 <= last {
                for index in 0..<4 { rowPointers.base[index] = first + index * bytesPerRow }
                filter(count: 4)
                row += 4
            } else {
                (held.base + heldCount * heldRowLength).update(from: first, count: heldRowLength)
                heldCount += 1
                row += 1
                if heldCount == 4 { filterHeld() }
            }
        }
        if position >= end, heldCount > 0 { filterHeld() }
    }

    private func filterHeld() {
        for index in 0..<4 {
            // The last row replaces missing ones at the end, whose weight is 0.
            rowPointers.base[index] = UnsafePointer(held.base + min(index, heldCount - 1) * columns.span * 4)
        }
        let count = heldCount
        heldCount = 0
        filter(count: count)
    }

    /// Filters `count` rows horizontally, then writes every result row that they complete.
    private func filter(count: Int) {
        let pair = filtered / 2
        for index in 0..<2 {
            pairPointers.base[index] = pairs.base + (pair + index) % pairCount * rowLength * 2
        }
        var axis = ck_resample_axis(
            starts: columnStarts.base, weights: columnWeights.base, taps: Int32(columns.taps),
            shift: Int32(columnShift), count: Int32(columns.count))
        kernels.horizontal(
            rowPointers.base, count > 2 ? 2 : 1, Int32(columns.span), scratch.base, scratchStride, &axis,
            pairPointers.base)
        filtered += count
        switch lineWeights {
        case .windows(let weights, let shift):
            writeWindows(weights.base, shift: shift)
        case .sums(let weights):
            for index in 0..<(count > 2 ? 2 : 1) { add(pair: pair + index, slot: index, weights: weights.base) }
        }
    }

    private func writeWindows(_ weights: UnsafePointer<Int16>, shift: Int) {
        let windowPairs = lines.taps / 2
        let newest = (filtered - 1) / 2
        while nextOutput < lines.count, Int(lines.ends[nextOutput]) <= filtered {
            let pair = Int(lines.starts[nextOutput]) / 2
            for index in 0..<windowPairs {
                // After the end of the window the weights are 0, so any row can be read.
                let slot = min(pair + index, newest) % pairCount
                windowPointers.base[index] = UnsafePointer(pairs.base + slot * rowLength * 2)
            }
            kernels.vertical(
                windowPointers.base, weights + nextOutput * lines.taps, Int32(windowPairs), Int32(shift),
                destination.row(nextOutput), Int32(outputRowLength))
            nextOutput += 1
        }
    }

    private func add(pair: Int, slot: Int, weights: UnsafePointer<Float>) {
        let row = pair * 2
        let source = pairPointers.base[slot]
        var output = nextOutput
        while output < lines.count, Int(lines.starts[output]) <= row {
            let index = output * lines.taps + row - Int(lines.starts[output])
            let sum = sums.base + output % openCount * rowLength
            if Int(lines.starts[output]) == row { sum.update(repeating: 0, count: rowLength) }
            kernels.accumulate(source, weights[index], weights[index + 1], sum, Int32(rowLength))
            if Int(lines.ends[output]) <= row + 2 {
                ck_resample_finish_sums(sum, destination.row(output), Int32(outputRowLength))
                nextOutput = output + 1
            }
            output += 1
        }
    }
}

private typealias HorizontalKernel =
    @convention(c) (
        UnsafePointer<UnsafePointer<UInt8>?>?, Int32, Int32, UnsafeMutablePointer<Int16>?, Int,
        UnsafePointer<ck_resample_axis>?, UnsafePointer<UnsafeMutablePointer<Int16>?>?
    ) -> Void
private typealias VerticalKernel =
    @convention(c) (
        UnsafePointer<UnsafePointer<Int16>?>?, UnsafePointer<Int16>?, Int32, Int32, UnsafeMutablePointer<UInt8>?, Int32
    ) -> Void
private typealias AccumulateKernel =
    @convention(c) (
        UnsafePointer<Int16>?, Float, Float, UnsafeMutablePointer<Float>?, Int32
    ) -> Void
