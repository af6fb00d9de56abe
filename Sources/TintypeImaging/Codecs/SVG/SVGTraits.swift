#if SVG
    /// What matters about a document as a whole.
    struct SVGTraits {
        /// Colours that are computed for each pixel.
        var hasGradients = false
        /// Its time grows with the fourth power of the drawing's sides.
        var hasMorphology = false
        /// The mean of a list of dashes, in the units of the line; nil if there are none.
        private(set) var shortestDash: Double?
        private(set) var widestStroke = 1.0
        /// Comparisons of elements with selectors.
        var comparisonCount = 0.0
        /// Steps from element to element that selectors such as `:nth-child` take.
        var siblingStepCount = 0.0

        /// Comparisons take about 50 nanoseconds, steps about 10.
        private static let maximumComparisonCount = 1.5e8
        private static let maximumSiblingStepCount = 1e9

        func check() throws {
            guard comparisonCount <= Self.maximumComparisonCount, siblingStepCount <= Self.maximumSiblingStepCount
            else {
                throw ImagingError.tooCostly(.svg, "its style sheets have too many rules for that many elements")
            }
        }

        /// - Parameter value: of `stroke-dasharray`. Units count as pixels: most are larger.
        mutating func addDashes(_ value: some Sequence<UInt8>) {
            var reader = SVGNumberReader(value)
            var (sum, count) = (0.0, 0.0)
            while true {
                if let number = reader.number() {
                    sum += abs(number)
                    count += 1
                } else if !reader.skipWord() {
                    break
                }
            }
            // All zeros are a solid line.
            guard sum > 0 else { return }
            shortestDash = min(shortestDash ?? .infinity, sum / count)
        }

        mutating func addStroke(width value: some Sequence<UInt8>) {
            var reader = SVGNumberReader(value)
            if let width = reader.number() { widestStroke = max(widestStroke, abs(width)) }
        }

        mutating func add(_ other: SVGTraits) {
            hasGradients = hasGradients || other.hasGradients
            hasMorphology = hasMorphology || other.hasMorphology
            if let dash = other.shortestDash { shortestDash = min(shortestDash ?? .infinity, dash) }
            widestStroke = max(widestStroke, other.widestStroke)
            comparisonCount += other.comparisonCount
            siblingStepCount += other.siblingStepCount
        }
    }
#endif
