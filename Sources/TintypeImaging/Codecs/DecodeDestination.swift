/// Where a decoder's rows go: into a bitmap, or through the resampler if the options have a target.
package final class DecodeDestination: RowSink {
    private let sink: any RowSink
    private let finishSink: () throws -> Bitmap?
    private var size = PixelSize(width: 0, height: 0)
    private var rowCount = 0

    /// - Parameter plan: from `DecodeOptions.plan`; nil keeps the size.
    package init(_ plan: ResizePlan?) {
        if let plan, !plan.isIdentity {
            let sink = ResamplingSink(plan: plan)
            self.sink = sink
            finishSink = { try sink.finish() }
        } else {
            let sink = BitmapSink()
            self.sink = sink
            finishSink = { sink.finish() }
        }
    }

    package func begin(size: PixelSize, isOpaque: Bool) throws {
        self.size = size
        try sink.begin(size: size, isOpaque: isOpaque)
    }

    package var maximumRowCount: Int { min(sink.maximumRowCount, size.height - rowCount) }

    package func rows(_ count: Int) throws -> (bytes: UnsafeMutableRawPointer, bytesPerRow: Int) {
        try sink.rows(count)
    }

    package func commit(_ count: Int) throws {
        rowCount += count
        try sink.commit(count)
    }

    /// Makes the rows that never came transparent.
    package func fillRest() throws {
        while rowCount < size.height {
            let count = min(maximumRowCount, 64)
            let (bytes, bytesPerRow) = try rows(count)
            for row in 0..<count {
                (bytes + row * bytesPerRow).initializeMemory(as: UInt8.self, repeating: 0, count: size.width * 4)
            }
            try commit(count)
        }
    }

    /// The bitmap, once all rows came.
    /// - Parameter isOpaque: what the decoder knows by now.
    package func finish(isOpaque: Bool) throws -> Bitmap {
        guard let bitmap = try finishSink() else { throw ImagingError.processorFailed("a decoder gave no rows") }
        return bitmap.marked(isOpaque: isOpaque)
    }
}

extension DecodeOptions {
    /// What the target means for an image in the order of its file, or nil without a target.
    ///
    /// - Parameters:
    ///   - storedSize: of the image in the file, before its orientation.
    ///   - orientation: what the file asks for.
    package func plan(storedSize: PixelSize, orientation: ImageOrientation) throws -> ResizePlan? {
        guard let target else { return nil }
        let orientation = appliesOrientation ? orientation : .up
        let shown = orientation.swapsAxes ? storedSize.transposed : storedSize
        return try ResizePlan(source: shown, target: target, pixelLimit: limits.maximumPixelCount)
            .beforeOrientation(orientation)
    }
}
