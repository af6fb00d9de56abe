/// A resampler that takes the rows of an image from the top and writes the rows of the resized one as soon as they are
/// complete. Used by one thread at a time.
protocol RowResampler: AnyObject {
    /// Takes the next `count` rows of premultiplied RGBA. Rows after the last one needed are ignored.
    func push(_ rows: UnsafePointer<UInt8>, bytesPerRow: Int, count: Int)
    /// True as soon as no further source row is needed.
    var isComplete: Bool { get }
}

/// The memory of the result.
struct ResampleDestination {
    var base: UnsafeMutablePointer<UInt8>
    var bytesPerRow: Int

    func row(_ index: Int) -> UnsafeMutablePointer<UInt8> { base + index * bytesPerRow }
}

extension ResizePlan {
    /// Creates the resampler for this plan.
    func makeResampler(into destination: ResampleDestination, form: PixelKernelForm = .best) throws -> any RowResampler
    {
        if filter == .nearest { return NearestResampler(self, into: destination) }
        if isLinearLight { return try LinearLightResampler(self, into: destination) }
        return try ConvolutionResampler(self, into: destination, form: form)
    }
}
