#if SVG
    /// Collects elements in the order of the document, then adds them up.
    struct SVGWorkEstimator {
        private struct Element {
            var parent: Int
            /// Behind the last element inside this one.
            var end = 0
            var amounts: SIMD8<Double>
            var layerCost: Double
            var childCount = 0.0
            /// False for titles, descriptions and the like, which are not drawn.
            var isText: Bool
            var letterCount = 0.0
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
        private var traits = SVGTraits()

        /// Each costs as much as all before it together.
        private static let maximumStopCount = 4096.0
        /// As in librsvg.
        static let maximumElementCount = 1_000_000

        mutating func begin(
            name: String, id: String?, classes: [String], amounts: SIMD8<Double>, style: SVGStyle, reference: String?
        ) throws {
            guard elements.count < Self.maximumElementCount else {
                throw ImagingError.tooCostly(.svg, "it has more than \(Self.maximumElementCount) elements")
            }
            let index = elements.count
            let start = names.count
            names.append(number(name))
            for word in classes { names.append(number("." + word)) }
            if let id {
                names.append(number("#" + id))
                targets[id, default: []].append(index)
            }
            if let parent = open.last {
                elements[parent].childCount += 1
                guard name != "stop" || elements[parent].childCount <= Self.maximumStopCount else {
                    throw ImagingError.tooCostly(
                        .svg, "a gradient has more than \(Int(Self.maximumStopCount)) stops")
                }
            }
            elements.append(
                Element(
                    parent: open.last ?? -1, amounts: amounts, layerCost: style.layerCost,
                    isText: ["text", "tspan", "textPath", "tref", "a"].contains(name), names: start..<names.count))
            switch name {
            case "radialGradient", "pattern": traits.hasGradients = true
            case "feMorphology": traits.hasMorphology = true
            default: break
            }
            if let reference { references.append(Reference(from: index, name: reference, kind: .once)) }
            add(style, to: index)
            open.append(index)
        }

        mutating func end() {
            guard let index = open.popLast() else { return }
            elements[index].end = elements.count
        }

        /// Adds text, which costs more than shapes, or an embedded image to the open element.
        mutating func add(byteCount: Double, letterCount: Int = 0) {
            guard let index = open.last else { return }
            elements[index].amounts += SVGWork.amounts(byteCount: byteCount, passCount: 0)
            if elements[index].isText { elements[index].letterCount += Double(letterCount) }
        }

        private mutating func number(_ name: String) -> Int32 {
            if let known = numbers[name] { return known }
            let new = Int32(numbers.count)
            numbers[name] = new
            return new
        }

        private mutating func add(_ style: SVGStyle, to index: Int) {
            traits.add(style.traits)
            elements[index].amounts += SVGWork.amounts(byteCount: 0, passCount: style.functionCost)
            for name in style.references { references.append(Reference(from: index, name: name, kind: .once)) }
            for name in style.markers { references.append(Reference(from: index, name: name, kind: .perCorner)) }
        }

        mutating func finish() -> SVGWork {
            while !open.isEmpty { end() }
            guard !elements.isEmpty else { return SVGWork() }
            applyRules()
            references.sort { $0.from < $1.from }
            var sum = SVGWorkSum(
                parents: elements.map(\.parent), ends: elements.map(\.end),
                amounts: elements.map {
                    $0.amounts + SVGWork.amounts(byteCount: 0, passCount: $0.layerCost)
                        + ($0.isText ? SVGWork.amounts(letterCount: $0.letterCount + 2) : .zero)
                },
                layers: elements.map { $0.layerCost > 0 },
                references: references.map { reference in
                    SVGWorkSum.Reference(
                        from: reference.from, to: targets[reference.name] ?? [],
                        isPerCorner: reference.kind == .perCorner)
                }
            )
            var work = sum.total()
            traits.add(rules.sheetTraits)
            traits.comparisonCount = rules.selectorWeight * Double(elements.count)
            traits.siblingStepCount =
                rules.structuralCount * elements.reduce(0) { $0 + $1.childCount * $1.childCount }
            work.traits = traits
            return work
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
                    elements[index].layerCost = max(elements[index].layerCost, style.layerCost)
                    add(style, to: index)
                }
                guard let all else { continue }
                elements[index].layerCost = max(elements[index].layerCost, all.layerCost)
                add(all, to: index)
            }
        }
    }
#endif
