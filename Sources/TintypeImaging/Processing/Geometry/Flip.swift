extension ImageProcessors {
    /// Mirrors the image.
    public struct Flip: ImageProcessor, Hashable {
        public enum Axis: String, Sendable, Hashable, CaseIterable {
            /// Left and right change places.
            case horizontal
            /// Top and bottom change places.
            case vertical
        }

        public var axis: Axis

        public init(_ axis: Axis) { self.axis = axis }

        public var identifier: String { ProcessorIdentifier("flip").adding("axis", axis).text }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            try bitmap.oriented(axis == .horizontal ? .upMirrored : .downMirrored)
        }

        public func outputSize(for size: PixelSize) -> PixelSize? { size }
    }
}

extension ImageProcessor where Self == ImageProcessors.Flip {
    public static func flip(_ axis: ImageProcessors.Flip.Axis) -> Self { Self(axis) }
}
