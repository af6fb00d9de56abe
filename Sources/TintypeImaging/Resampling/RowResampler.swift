/// Takes the rows of an image from the top and writes the rows of the resized one as soon as they are complete.
/// Used by one thread at a time.
protocol RowResampler: AnyObject {
    /// Rows of premultiplied RGBA, the next `count` of the source. Rows behind the last one that is needed are ignored.
    func push(_ rows: UnsafePointer<UInt8>, bytesPerRow: Int, count: Int)
    /// True as soon as no further source row is needed.
    var isComplete: Bool { get }
}

/// Where the rows of the result go.
struct ResampleDestination {
    var base: UnsafeMutablePointer<UInt8>
    var bytesPerRow: Int

    func row(_ index: Int) -> UnsafeMutablePointer<UInt8> { base + index * bytesPerRow }
}

extension ResizePlan {
    /// The resampler that this plan calls for.
    func makeResampler(into destination: ResampleDestination, form: PixelKernelForm = .best) throws -> any RowResampler
    {
        if filter == .nearest { return NearestResampler(self, into: destination) }
        if isLinearLight { return try LinearLightResampler(self, into: destination) }
        return try ConvolutionResampler(self, into: destination, form: form)
    }
}
