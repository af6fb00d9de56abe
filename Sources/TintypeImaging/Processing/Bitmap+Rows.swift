extension Bitmap {
    /// Returns a bitmap of the same size whose rows `body` writes from the rows of this one.
    func mappingRows(
        isOpaque: Bool,
        _ body: (_ y: Int, _ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>) throws -> Void
    ) throws -> Bitmap {
        try Bitmap(width: width, height: height, isOpaque: isOpaque) { bytes, outputBytesPerRow in
            guard let output = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            try withUnsafeBytes { source in
                guard let input = source.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
                for y in 0..<height { try body(y, input + y * bytesPerRow, output + y * outputBytesPerRow) }
            }
        }
    }

    /// Returns a bitmap of another size whose rows `body` writes from all pixels of this one.
    func makingRows(
        width newWidth: Int, height newHeight: Int, isOpaque: Bool,
        _ body: (_ y: Int, _ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>) throws -> Void
    ) throws -> Bitmap {
        let size = PixelSize(width: newWidth, height: newHeight)
        try size.checkAsOutput()
        return try Bitmap(width: newWidth, height: newHeight, isOpaque: isOpaque) { bytes, outputBytesPerRow in
            guard let output = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            try withUnsafeBytes { source in
                guard let input = source.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
                for y in 0..<newHeight { try body(y, input, output + y * outputBytesPerRow) }
            }
        }
    }
}

extension PixelSize {
    /// Throws for a size that the result of a processor must not have.
    func checkAsOutput() throws {
        guard width > 0, height > 0 else {
            throw ImagingError.processorFailed("the result would be \(self) pixels")
        }
        let limit = DecodeLimits().maximumPixelCount
        guard area <= limit else { throw ImagingError.imageTooLarge(width: width, height: height, limit: limit) }
    }
}

/// A processor whose result has the size of the image.
protocol SizePreservingProcessor: ImageProcessor {}

extension SizePreservingProcessor {
    func outputSize(for size: PixelSize) -> PixelSize? { size }
}

/// Checks of parameters, which may come from the caller's own users.
enum Parameter {
    static func check(_ value: Double, _ name: String, in range: ClosedRange<Double>) throws {
        guard range.contains(value) else {
            throw ImagingError.processorFailed(
                "\(name) is \(ProcessorIdentifier.number(value)); it must be from "
                    + "\(ProcessorIdentifier.number(range.lowerBound)) to "
                    + ProcessorIdentifier.number(range.upperBound))
        }
    }
}
