extension ImageProcessors {
    /// Several processors, one after the other. The first that fails ends it.
    public struct Composition: ImageProcessor {
        public var processors: [any ImageProcessor]

        public init(_ processors: [any ImageProcessor]) { self.processors = processors }

        /// Each identifier with its length in front: no two lists have the same one, whatever their members are called.
        public var identifier: String {
            var identifier = ProcessorIdentifier("compose")
            for processor in processors { identifier = identifier.adding("p", text: processor.identifier) }
            return identifier.text
        }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            try processors.reduce(bitmap) { try $1.process($0) }
        }

        public func outputSize(for size: PixelSize) -> PixelSize? {
            processors.reduce(size) { size, processor in size.flatMap(processor.outputSize) }
        }
    }

    /// A closure with a name. The name is all that caches know of it: give another one when the closure, or anything
    /// that it captures, makes other pixels.
    public struct Anonymous: ImageProcessor {
        public let id: String
        private let body: @Sendable (Bitmap) throws -> Bitmap

        public init(id: String, _ body: @escaping @Sendable (Bitmap) throws -> Bitmap) {
            self.id = id
            self.body = body
        }

        public var identifier: String { ProcessorIdentifier("custom").adding("id", text: id).text }

        public func process(_ bitmap: Bitmap) throws -> Bitmap { try body(bitmap) }
    }
}

extension ImageProcessor where Self == ImageProcessors.Composition {
    public static func compose(_ processors: [any ImageProcessor]) -> Self { Self(processors) }
}

extension ImageProcessor where Self == ImageProcessors.Anonymous {
    public static func custom(id: String, _ body: @escaping @Sendable (Bitmap) throws -> Bitmap) -> Self {
        Self(id: id, body)
    }
}
