/// A sink that resizes while a decoder writes: only the rows of a window are in memory.
///
/// The plan is for the stored image, before orientation (`ResizePlan.beforeOrientation`). A decoder may scale down by
/// itself (`ResizePlan.decoderReduction`); the sink adapts the plan to the size in `begin`.
package final class ResamplingSink: BitmapRowSink {
    private static let stagedRowCount = 16

    private let plan: ResizePlan
    private let form: PixelKernelForm
    private var resampler: (any RowResampler)?
    private var storage: PixelStorage?
    private var staged: KernelBuffer<UInt8>?
    private var bytesPerSourceRow = 0
    private var source = PixelSize(width: 0, height: 0)
    private var nextRow = 0
    private var isOpaque = false

    package init(plan: ResizePlan, form: PixelKernelForm = .best) {
        self.plan = plan
        self.form = form
    }

    package func begin(size: PixelSize, isOpaque: Bool) throws {
        let plan = plan.forDecoded(size)
        let bytesPerRow = try Bitmap.bytesPerRow(width: plan.scaled.width, height: plan.scaled.height)
        bytesPerSourceRow = try Bitmap.bytesPerRow(width: size.width, height: size.height)
        let storage = try PixelStorage(byteCount: bytesPerRow * plan.scaled.height)
        guard let base = storage.bytes.baseAddress else {
            throw ImagingError.processorFailed("a thumbnail has no pixels")
        }
        self.storage = storage
        self.isOpaque = isOpaque
        source = size
        nextRow = 0
        staged = try KernelBuffer(count: bytesPerSourceRow * Self.stagedRowCount)
        resampler = try plan.makeResampler(
            into: ResampleDestination(base: base.assumingMemoryBound(to: UInt8.self), bytesPerRow: bytesPerRow),
            form: form)
    }

    package var maximumRowCount: Int { min(Self.stagedRowCount, source.height - nextRow) }

    package func rows(_ count: Int) throws -> (bytes: UnsafeMutableRawPointer, bytesPerRow: Int) {
        guard let staged, count > 0, count <= maximumRowCount else {
            throw ImagingError.processorFailed("a decoder requested \(count) rows of \(maximumRowCount)")
        }
        return (UnsafeMutableRawPointer(staged.base), bytesPerSourceRow)
    }

    package func commit(_ count: Int) throws {
        guard let staged, let resampler, count >= 0, count <= maximumRowCount else {
            throw ImagingError.processorFailed("a decoder wrote \(count) rows of \(maximumRowCount)")
        }
        resampler.push(staged.base, bytesPerRow: bytesPerSourceRow, count: count)
        nextRow += count
    }

    package func finish() throws -> Bitmap? {
        guard let storage, let resampler, let staged else { return nil }
        let isWhole = resampler.isComplete
        if !isWhole {
            staged.base.update(repeating: 0, count: staged.count)
            while !resampler.isComplete, nextRow < source.height { try commit(maximumRowCount) }
        }
        self.storage = nil
        self.resampler = nil
        self.staged = nil
        let scaled = Bitmap(
            width: plan.scaled.width, height: plan.scaled.height, bytesPerRow: plan.scaled.width * 4,
            isOpaque: isOpaque && isWhole, storage: storage)
        return try plan.cut(scaled)
    }
}
