extension ImageProcessors {
    /// Scales the image to a box; see `ResizeTarget`.
    public struct Resize: ImageProcessor, Hashable {
        public var target: ResizeTarget

        public init(_ target: ResizeTarget) { self.target = target }

        public var identifier: String { target.identifier }

        public func process(_ bitmap: Bitmap) throws -> Bitmap { try bitmap.resized(to: target) }

        public func outputSize(for size: PixelSize) -> PixelSize? {
            // Bad targets are reported by `process`.
            try? ResizePlan(source: size, target: target).output
        }
    }
}

extension ImageProcessor where Self == ImageProcessors.Resize {
    public static func resize(_ target: ResizeTarget) -> Self { Self(target) }

    /// Scales to a box; see `ResizeTarget` for what each parameter does.
    public static func resize(
        width: Int? = nil, height: Int? = nil, fit: ResizeTarget.Fit = .contain, allowsUpscaling: Bool = true,
        filter: ResampleFilter = .lanczos3, gravity: Gravity = .center
    ) -> Self {
        Self(
            ResizeTarget(
                width: width, height: height, fit: fit, allowsUpscaling: allowsUpscaling, filter: filter,
                gravity: gravity))
    }
}
