#if SVG
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// SVG through librsvg: rendered at the size that is wanted, plain or compressed with gzip, in any encoding that XML
    /// allows.
    ///
    /// ``ImageCodecs`` draws in a worker with a deadline, unless its `isolation` leaves SVG out. **Calling this decoder
    /// draws in the calling process**, and nothing bounds the time or the memory that librsvg takes for a hostile drawing.
    ///
    /// Nothing outside the document is ever read: references to files and servers stay empty, external entities and
    /// style sheets are not loaded, and scripts and animations do not run. The size is that of `width` and `height`, else
    /// of the `viewBox`, else 300x150 (CSS 2.2, §10.3.2); with a target or `DecodeOptions.preferredSize` the drawing is
    /// rendered at that size, its proportions kept.
    public struct SVGDecoder: ImageDecoder {
        /// Larger documents are refused, compressed or not: 32 MiB.
        public static let maximumByteCount = 32 << 20

        public init() {}

        public var format: ImageFormat { .svg }

        /// Needs the whole file, of which it reads the root element and the first style sheets: faults behind them are
        /// found by `decode`.
        public func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
            guard isComplete else { throw ImagingError.needsMoreData(.svg, byteCount: nil) }
            let (text, isCut) = try SVGSource.start(data)
            let document = try SVGDocument(SVGFilter.header(text, isCut: isCut, limits: limits))
            try limits.check(document.size, format: .svg)
            return Self.info(document)
        }

        public func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
            let images = SVGImages(limits: options.limits, isWanted: true)
            let document = try SVGDocument(SVGFilter.filtered(SVGSource.plain(data), images: images))
            let size = try Self.renderedSize(document.size, options: options)
            try options.limits.check(size, format: .svg)
            return DecoderOutput(
                bitmap: try document.render(at: size), info: Self.info(document), warnings: images.warnings)
        }

        private static func info(_ document: SVGDocument) -> ImageInfo {
            ImageInfo(format: .svg, storedSize: document.size, hasAlpha: true)
        }

        private static func renderedSize(_ size: PixelSize, options: DecodeOptions) throws -> PixelSize {
            if let plan = try options.plan(storedSize: size, orientation: .up) {
                // The whole drawing, of which the plan may cut off a part.
                let horizontal = Double(plan.scaled.width) / plan.region.width
                let vertical = Double(plan.scaled.height) / plan.region.height
                return scaled(size, horizontal, vertical)
            }
            guard let wanted = options.preferredSize, wanted.width > 0, wanted.height > 0 else { return size }
            let factor = min(
                Double(wanted.width) / Double(size.width), Double(wanted.height) / Double(size.height))
            return scaled(size, factor, factor)
        }

        private static func scaled(_ size: PixelSize, _ horizontal: Double, _ vertical: Double) -> PixelSize {
            func side(_ length: Int, _ factor: Double) -> Int {
                Int(exactly: max(1, (Double(length) * factor).rounded())) ?? .max
            }
            return PixelSize(width: side(size.width, horizontal), height: side(size.height, vertical))
        }
    }
#endif
