#if SVG
    /// What drawing a document costs, estimated before it is drawn: `<use>`, patterns, masks and markers repeat other
    /// elements, and repeat them exponentially when they are nested.
    struct SVGWork {
        /// Bytes of markup if every reference was written out.
        var byteCount = 0.0
        /// Times that a surface of the drawing's size is gone through.
        var passCount = 0.0
        /// Surfaces of the drawing's size that exist at once.
        var surfaceCount = 0
        /// Elements inside one another, references followed.
        var depth = 0

        /// More than any author writes; a second or two.
        static let maximumByteCount = 128.0 * 1_048_576
        static let maximumDepth = 512
        /// Pixels gone through, over all passes.
        static let maximumPassedPixels = 8e9
        /// Pixels of surfaces that exist at once: 1 GiB. A few surfaces are allowed at any size.
        static let maximumSurfacePixels = 268_435_456
        private static let usualSurfaceCount = 3

        /// - Throws: `unsupportedFormat` for bombs.
        func check() throws {
            guard byteCount <= Self.maximumByteCount else {
                throw ImagingError.unsupportedFormat("an SVG whose references repeat more than is sensible")
            }
            guard depth <= Self.maximumDepth else {
                throw ImagingError.unsupportedFormat(
                    "an SVG with more than \(Self.maximumDepth) elements inside one another")
            }
        }

        /// - Throws: `unsupportedFormat` if drawing at this size would take very long, or very much memory.
        func check(at size: PixelSize) throws {
            try check()
            guard passCount * Double(size.area) <= Self.maximumPassedPixels else {
                throw ImagingError.unsupportedFormat("an SVG with more filters and layers than can be drawn at \(size)")
            }
            guard
                surfaceCount <= Self.usualSurfaceCount
                    || surfaceCount.multipliedReportingOverflow(by: size.area).partialValue
                        <= Self.maximumSurfacePixels
            else {
                throw ImagingError.unsupportedFormat(
                    "an SVG with too many layers inside one another to be drawn at \(size)")
            }
        }
    }

    /// Collects elements in the order of the document, then adds them up.
    struct SVGWorkEstimator {
        private struct Element {
            var parent: Int
            /// Behind the last element inside this one.
            var end = 0
            var byteCount: Double
            var passCount: Double
            var isLayer: Bool
            var names: Range<Int>
        }

        private enum Kind { case once, perCorner }
        private struct Reference {
            var from: Int
            var name: String
            var kind: Kind
        }

        private var elements: [Element] = []
        /// `name`, `.class` and `#id`, which rules of style sheets may mean.
        private var names: [Int32] = []
        private var numbers: [String: Int32] = [:]
        private var references: [Reference] = []
        private var targets: [String: [Int]] = [:]
        private var open: [Int] = []
        var rules = SVGRules()

        /// As in librsvg.
        static let maximumElementCount = 1_000_000

        mutating func begin(
            name: String, id: String?, classes: [String], byteCount: Int, passCount: Double, style: SVGStyle,
            reference: String?
        ) throws {
            guard elements.count < Self.maximumElementCount else {
                throw ImagingError.unsupportedFormat("an SVG of more than \(Self.maximumElementCount) elements")
            }
            let index = elements.count
            let start = names.count
            names.append(number(name))
            for word in classes { names.append(number("." + word)) }
            if let id {
                names.append(number("#" + id))
                targets[id, default: []].append(index)
            }
            elements.append(
                Element(
                    parent: open.last ?? -1, byteCount: Double(byteCount) + 32, passCount: passCount,
                    isLayer: style.isLayer, names: start..<names.count))
            if let reference { references.append(Reference(from: index, name: reference, kind: .once)) }
            add(style, to: index)
            open.append(index)
        }

        mutating func end() {
            guard let index = open.popLast() else { return }
            elements[index].end = elements.count
        }

        /// Adds text, which costs more than shapes, or an embedded picture to the open element.
        mutating func add(byteCount: Double) {
            if let index = open.last { elements[index].byteCount += byteCount }
        }

        private mutating func number(_ name: String) -> Int32 {
            if let known = numbers[name] { return known }
            let new = Int32(numbers.count)
            numbers[name] = new
            return new
        }

        private mutating func add(_ style: SVGStyle, to index: Int) {
            for name in style.references { references.append(Reference(from: index, name: name, kind: .once)) }
            for name in style.markers { references.append(Reference(from: index, name: name, kind: .perCorner)) }
        }

        mutating func finish() -> SVGWork {
            while !open.isEmpty { end() }
            guard !elements.isEmpty else { return SVGWork() }
            applyRules()
            references.sort { $0.from < $1.from }
            var sum = SVGWorkSum(
                parents: elements.map(\.parent), ends: elements.map(\.end), bytes: elements.map(\.byteCount),
                passes: elements.map { $0.passCount + ($0.isLayer ? 1 : 0) }, layers: elements.map(\.isLayer),
                references: references.map { reference in
                    SVGWorkSum.Reference(
                        from: reference.from, to: targets[reference.name] ?? [],
                        isPerCorner: reference.kind == .perCorner)
                }
            )
            return sum.total()
        }

        private mutating func applyRules() {
            guard !rules.styles.isEmpty else { return }
            var byNumber: [Int32: SVGStyle] = [:]
            for (part, style) in rules.styles where part != "*" {
                if let number = numbers[part] { byNumber[number] = style }
            }
            let all = rules.styles["*"]
            for index in elements.indices {
                for name in elements[index].names {
                    guard let style = byNumber[names[name]] else { continue }
                    elements[index].isLayer = elements[index].isLayer || style.isLayer
                    add(style, to: index)
                }
                guard let all else { continue }
                elements[index].isLayer = elements[index].isLayer || all.isLayer
                add(all, to: index)
            }
        }
    }
#endif
