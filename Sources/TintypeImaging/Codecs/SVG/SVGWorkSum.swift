#if SVG
    /// Adds up elements in the order of the document, following references without recursion. References that go round
    /// in circles count once; librsvg refuses to draw them.
    struct SVGWorkSum {
        struct Reference {
            var from: Int
            /// Elements with the name; more than one in faulty documents.
            var to: [Int]
            var isPerCorner: Bool
        }

        private let ends: [Int]
        private let parents: [Int]
        /// Sums over all elements before an index.
        private let amountsBefore: [SIMD8<Double>]
        /// Layers and elements from the root to an element, itself included.
        private let layerDepth: [Int]
        private let depth: [Int]
        /// The largest of both inside an element.
        private let deepestLayer: [Int]
        private let deepest: [Int]
        private let layers: [Bool]
        /// In the order of `from`.
        private let references: [Reference]
        private var sums: [Int: SVGWork] = [:]
        private var isUnderWay: Set<Int> = []

        init(
            parents: [Int], ends: [Int], amounts: [SIMD8<Double>], layers: [Bool], references: [Reference]
        ) {
            self.parents = parents
            self.ends = ends
            self.layers = layers
            self.references = references
            var amountsBefore = [SIMD8<Double>(repeating: 0)]
            amountsBefore.reserveCapacity(parents.count + 1)
            var (layerDepth, depth): ([Int], [Int]) = ([], [])
            for index in parents.indices {
                amountsBefore.append(amountsBefore[index] + amounts[index])
                let parent = parents[index]
                layerDepth.append((parent < 0 ? 0 : layerDepth[parent]) + (layers[index] ? 1 : 0))
                depth.append((parent < 0 ? 0 : depth[parent]) + 1)
            }
            var (deepestLayer, deepest) = (layerDepth, depth)
            for index in parents.indices.reversed() where parents[index] >= 0 {
                let parent = parents[index]
                deepestLayer[parent] = max(deepestLayer[parent], deepestLayer[index])
                deepest[parent] = max(deepest[parent], deepest[index])
            }
            self.amountsBefore = amountsBefore
            (self.layerDepth, self.depth, self.deepestLayer, self.deepest) = (layerDepth, depth, deepestLayer, deepest)
        }

        /// Everything below the root.
        mutating func total() -> SVGWork {
            var stack = [0]
            isUnderWay = [0]
            while let element = stack.last {
                let missing = firstMissingTarget(of: element)
                if let missing {
                    isUnderWay.insert(missing)
                    stack.append(missing)
                    continue
                }
                sums[element] = sum(element)
                isUnderWay.remove(element)
                stack.removeLast()
            }
            return sums[0] ?? SVGWork()
        }

        /// Where the search in an element's references went on last time: none is looked at twice.
        private var progress: [Int: Int] = [:]

        private mutating func firstMissingTarget(of element: Int) -> Int? {
            let range = referenceRange(element)
            var index = progress[element] ?? range.lowerBound
            while index < range.upperBound {
                for target in references[index].to where sums[target] == nil && !isUnderWay.contains(target) {
                    progress[element] = index
                    return target
                }
                index += 1
            }
            progress[element] = index
            return nil
        }

        /// The references made inside an element.
        private func referenceRange(_ element: Int) -> Range<Int> {
            let start = firstReference(from: element)
            return start..<max(start, firstReference(from: ends[element]))
        }

        private func firstReference(from element: Int) -> Int {
            var (low, high) = (0, references.count)
            while low < high {
                let middle = (low + high) / 2
                if references[middle].from < element { low = middle + 1 } else { high = middle }
            }
            return low
        }

        private func sum(_ element: Int) -> SVGWork {
            let parent = parents[element]
            let (layersAbove, above) = parent < 0 ? (0, 0) : (layerDepth[parent], depth[parent])
            var work = SVGWork(
                amounts: amountsBefore[ends[element]] - amountsBefore[element],
                surfaceCount: deepestLayer[element] - layersAbove, depth: deepest[element] - above)
            for reference in references[referenceRange(element)] {
                let times = reference.isPerCorner ? cornerCount(reference.from) : 1
                for target in reference.to {
                    guard let other = sums[target] else { continue }
                    work.add(other, times: times)
                    work.surfaceCount = max(
                        work.surfaceCount, layerDepth[reference.from] - layersAbove + other.surfaceCount)
                    work.depth = max(work.depth, depth[reference.from] - above + other.depth)
                }
            }
            return work
        }

        /// How many corners the paths in an element can have at most: a corner is two bytes.
        private func cornerCount(_ element: Int) -> Double {
            var byteCount = (amountsBefore[ends[element]] - amountsBefore[element])[0]
            for reference in references[referenceRange(element)] where !reference.isPerCorner {
                for target in reference.to { byteCount += sums[target]?.byteCount ?? 0 }
            }
            return byteCount / 2
        }
    }
#endif
