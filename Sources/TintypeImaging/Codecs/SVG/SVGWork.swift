#if SVG
    /// What drawing a document costs, estimated before it is drawn: `<use>`, patterns, masks and markers repeat other
    /// elements, and repeat them exponentially when they are nested.
    ///
    /// Times are those of a slow core. Where things lie and how large they are is not known here, so the estimate for
    /// what depends on it is of the worst case: every shape and filter covers the whole drawing. A document that is too
    /// slow in that case is tried out small first (`SVGTrial`).
    struct SVGWork {
        /// What adds up over elements, references followed.
        private(set) var amounts = SIMD8<Double>(repeating: 0)
        /// Surfaces of the drawing's size that exist at once.
        var surfaceCount = 0
        /// Elements inside one another, references followed.
        var depth = 0
        /// About the whole document.
        var traits = SVGTraits()

        init() {}

        init(amounts: SIMD8<Double>, surfaceCount: Int, depth: Int) {
            self.amounts = amounts
            self.surfaceCount = surfaceCount
            self.depth = depth
        }

        /// What one element adds.
        static func amounts(
            byteCount: Double, passCount: Double, shapeCount: Double = 0, outline: SVGOutline? = nil
        ) -> SIMD8<Double> {
            [
                byteCount, passCount, shapeCount, outline?.segmentCount ?? 0, outline?.length ?? 0,
                outline?.extraSeconds ?? 0, 0, 0,
            ]
        }

        /// What the text in one element adds. Pango takes as long for a letter as all the letters before it together.
        static func amounts(letterCount count: Double) -> SIMD8<Double> {
            [0, 0, count, 0, 0, count * 5e-5 + count * count * 1e-7, 0, 0]
        }

        /// Adds what is drawn in the place of a reference.
        mutating func add(_ other: SVGWork, times: Double) { amounts += other.amounts * times }

        /// Bytes of markup if every reference was written out.
        var byteCount: Double { amounts[0] }
        /// Nanoseconds for each pixel of the drawing in filters and layers.
        var passCount: Double { amounts[1] }
        private var shapeCount: Double { amounts[2] }
        private var segmentCount: Double { amounts[3] }
        private var outlineLength: Double { amounts[4] }
        /// Of outlines and text, whatever the size.
        private var fixedSeconds: Double { amounts[5] }

        /// More than any author writes; a second or two.
        static let maximumByteCount = 128.0 * 1_048_576
        static let maximumDepth = 512
        /// Seconds for filters and layers in the worst case. Real filters cover a tenth or less.
        static let maximumSeconds = 100.0
        /// Seconds above which a document is tried out small.
        static let doubtfulSeconds = 8.0
        /// A dash takes about two microseconds.
        static let maximumDashCount = 2e6
        /// Pixels of surfaces that exist at once: 1 GiB. A few surfaces are allowed at any size.
        static let maximumSurfacePixels = 268_435_456
        private static let usualSurfaceCount = 3

        /// - Throws: `tooCostly` for bombs.
        func check() throws {
            guard byteCount <= Self.maximumByteCount else {
                throw ImagingError.tooCostly(.svg, "its references repeat more than is sensible")
            }
            guard depth <= Self.maximumDepth else {
                throw ImagingError.tooCostly(.svg, "more than \(Self.maximumDepth) elements are inside one another")
            }
            try traits.check()
            guard fixedSeconds <= Self.doubtfulSeconds else {
                throw ImagingError.tooCostly(
                    .svg, "its text is too long, or its lines cross one another millions of times")
            }
            if let dash = traits.shortestDash {
                let count = outlineLength / dash
                guard count <= Self.maximumDashCount else {
                    throw ImagingError.tooCostly(.svg, "its lines have millions of dashes; draw them solid")
                }
                // Very short dashes of wide lines lie upon one another.
                guard dash > 0.25 || count * traits.widestStroke <= Self.maximumDashCount * 2 else {
                    throw ImagingError.tooCostly(.svg, "its wide lines have dashes that nobody sees; draw them solid")
                }
            }
        }

        /// - Throws: `tooCostly` if drawing at this size would take very long in any case, or very much memory.
        func check(at size: PixelSize) throws {
            try check()
            guard passCount * Double(size.area) * 1e-9 <= Self.maximumSeconds else {
                throw ImagingError.tooCostly(
                    .svg, "it has more filters and layers than can be drawn at \(size); ask for a smaller size")
            }
            guard
                surfaceCount <= Self.usualSurfaceCount
                    || surfaceCount.multipliedReportingOverflow(by: size.area).partialValue
                        <= Self.maximumSurfacePixels
            else {
                throw ImagingError.tooCostly(
                    .svg, "it has too many layers inside one another to be drawn at \(size); ask for a smaller size")
            }
        }

        /// Seconds that drawing takes at most if no shape lies outside: each is as large as the drawing, and each segment
        /// goes from top to bottom.
        func worstSeconds(at size: PixelSize) -> Double {
            let perPixel = passCount + shapeCount * (traits.hasGradients ? 62 : 4)
            return (perPixel * Double(size.area) + segmentCount * 1300 * Double(size.height)) * 1e-9
        }
    }
#endif
