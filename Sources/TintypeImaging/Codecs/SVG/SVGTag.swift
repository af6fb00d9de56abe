#if SVG
    /// One start tag as it is written anew, and what it tells about the cost of drawing.
    struct SVGTag {
        /// The name without its prefix.
        let localName: String
        /// `<name attribute="value"…`, not closed.
        private(set) var bytes: [UInt8]
        /// Of an embedded image.
        private(set) var embeddedCost = 0.0

        private var style = SVGStyle()
        private var id: String?
        private var classes: [String] = []
        private var reference: String?
        /// Of a filter's steps.
        private var parameter = 1.0
        private var isRelative = false
        private var outline = SVGOutline()
        private var attributeCount = 0
        /// libxml2 compares each attribute of an element with all others.
        static let maximumAttributeCount = 512

        /// Counts an attribute that will be read.
        mutating func countAttribute() throws {
            attributeCount += 1
            guard attributeCount <= Self.maximumAttributeCount else {
                throw ImagingError.tooCostly(
                    .svg, "an element has more than \(Self.maximumAttributeCount) attributes")
            }
        }

        /// librsvg 2.54 ends the process if a kernel has 400 numbers or more that do not fit `order`.
        private static func checkKernel(_ value: [UInt8]) throws {
            var reader = SVGNumberReader(value)
            var count = 0
            while reader.number() != nil { count += 1 }
            // Something else between the numbers, such as a comment: each has one digit at least.
            if !reader.isAtEnd { count = value.count { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } }
            guard count < 400 else {
                throw ImagingError.tooCostly(.svg, "a feConvolveMatrix has a kernel of 400 numbers or more")
            }
        }

        /// What an attribute that is kept as it is tells of a shape's outline.
        private mutating func measure(_ name: Slice<UnsafeBufferPointer<UInt8>>, _ value: some Sequence<UInt8>) {
            guard isShape, localName != "image" else { return }
            switch name.count {
            case 1 where name.elementsEqual("d".utf8): outline = SVGOutline(path: value)
            case 6 where name.elementsEqual("points".utf8): outline = SVGOutline(points: value)
            case 1, 2, 5, 6:
                // Sides, radii and ends: four times each is no less than the way around.
                let isLength = ["r", "rx", "ry", "x1", "x2", "y1", "y2", "width", "height"].contains {
                    name.elementsEqual($0.utf8)
                }
                guard isLength else { return }
                var reader = SVGNumberReader(value)
                outline.segmentCount += 4
                outline.length += (localName == "circle" ? 6.3 : 4) * abs(reader.number() ?? 0)
            default: break
            }
        }

        init(name: Slice<UnsafeBufferPointer<UInt8>>) {
            localName = String(decoding: Self.local(name), as: UTF8.self)
            bytes = [UInt8(ascii: "<")] + name
        }

        private static func local(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
            name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        }

        /// True if nothing in a value can be a reference, an address or an escape.
        static func isHarmless(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
            value.allSatisfy { byte in
                byte != UInt8(ascii: "&") && byte != UInt8(ascii: ":") && byte != UInt8(ascii: "(")
                    && byte != UInt8(ascii: "\\")
            }
        }

        /// Whether an attribute is looked at whatever its value.
        static func matters(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
            let name = local(name)
            switch name.count {
            case 2: return name.elementsEqual("id".utf8)
            case 4: return name.elementsEqual("href".utf8)
            case 5: return ["class", "style", "order"].contains { name.elementsEqual($0.utf8) }
            case 6: return name.elementsEqual("radius".utf8) || name.elementsEqual("filter".utf8)
            case 7: return name.elementsEqual("opacity".utf8)
            case 9, 10, 12, 14, 16:
                return [
                    "isolation", "numOctaves", "stroke-width", "kernelMatrix", "mix-blend-mode", "primitiveUnits",
                    "stroke-dasharray",
                ].contains {
                    name.elementsEqual($0.utf8)
                }
            default: return false
            }
        }

        mutating func keep(_ name: Slice<UnsafeBufferPointer<UInt8>>, raw: Slice<UnsafeBufferPointer<UInt8>>) {
            measure(name, raw)
            // Whichever quote was round it may not be in it.
            let quote = raw.contains(UInt8(ascii: "\"")) ? UInt8(ascii: "'") : UInt8(ascii: "\"")
            bytes.append(UInt8(ascii: " "))
            bytes += name
            bytes += [UInt8(ascii: "="), quote]
            bytes += raw
            bytes.append(quote)
        }

        /// - Parameter value: references resolved.
        mutating func add(
            _ name: Slice<UnsafeBufferPointer<UInt8>>, value: [UInt8], images: SVGImages
        ) throws {
            let local = String(decoding: Self.local(name), as: UTF8.self)
            // Declarations of namespaces are names, not addresses.
            if name.starts(with: "xmlns".utf8) { return write(name, value) }
            if local == "href" {
                if let kept = try link(value, images: images) { write(name, kept) }
                return
            }
            let value = SVGStyle.withoutData(value)
            write(name, value)
            measure(name, value)
            switch local {
            case "id": id = String(decoding: value, as: UTF8.self)
            case "class":
                classes = value.split { $0 <= 0x20 }.map { String(decoding: $0, as: UTF8.self) }
            case "style": style.readDeclarations(value)
            case "kernelMatrix": try Self.checkKernel(value)
            case "order": parameter = Self.numbers(value, missing: 3)
            case "numOctaves": parameter = Self.numbers(value, missing: 1).squareRoot()
            case "radius": parameter = Self.numbers(value, missing: 0)
            case "primitiveUnits": isRelative = value.elementsEqual("objectBoundingBox".utf8)
            default: style.read(value, property: local)
            }
        }

        /// - Returns: what to keep of a reference; nil for one that leads outside.
        private mutating func link(_ value: [UInt8], images: SVGImages) throws -> [UInt8]? {
            let trimmed = value.drop { $0 <= 0x20 }
            if trimmed.first == UInt8(ascii: "#") {
                reference = String(decoding: trimmed.dropFirst(), as: UTF8.self)
                return Array(trimmed)
            }
            guard localName == "image" || localName == "feImage",
                let image = try images.replacement(for: Array(trimmed))
            else { return nil }
            embeddedCost = image.byteCount
            return image.url
        }

        /// The product of one or two numbers; one counts twice.
        private static func numbers(_ value: [UInt8], missing: Double) -> Double {
            let parts = String(decoding: value, as: UTF8.self).split { " ,\t\n".contains($0) }
            let numbers = parts.prefix(2).compactMap { Double($0).map { abs($0) } }
            guard let first = numbers.first else { return missing * missing }
            return first * (numbers.count > 1 ? numbers[1] : first)
        }

        func record(in estimator: inout SVGWorkEstimator, byteCount: Int) throws {
            try estimator.begin(
                name: localName, id: id, classes: classes,
                amounts: SVGWork.amounts(
                    byteCount: Double(byteCount) + 32, passCount: passCount, shapeCount: isShape ? 1 : 0,
                    outline: outline),
                style: style, reference: reference)
        }

        /// Nanoseconds for each pixel that a step of a filter goes through, or a pattern's tile: measured with librsvg 2.54.
        private var passCount: Double {
            switch localName {
            case "feGaussianBlur", "feDropShadow": 100
            case "feTurbulence": 60 + 75 * max(parameter, 1)
            case "feConvolveMatrix": 8 * max(parameter, 9)
            // Every pixel looks at (2r + 1)² others. A scale that is not known here may make r larger.
            case "feMorphology": 32 * parameter + 100
            case "feDiffuseLighting", "feSpecularLighting": 95
            case "feDisplacementMap": 800
            case "feBlend", "feComposite": 50
            case "feColorMatrix", "feComponentTransfer": 30
            case "feImage", "feMergeNode": 20
            case "pattern", "mask": 12
            case "filter": isRelative ? 1000 : 5
            default: localName.hasPrefix("fe") ? 6 : 0
            }
        }

        private var isShape: Bool {
            switch localName {
            case "rect", "circle", "ellipse", "line", "path", "polygon", "polyline", "image": true
            default: false
            }
        }

        private mutating func write(_ name: Slice<UnsafeBufferPointer<UInt8>>, _ value: [UInt8]) {
            bytes.append(UInt8(ascii: " "))
            bytes += name
            bytes += Array("=\"".utf8)
            bytes += Self.escaped(value)
            bytes.append(UInt8(ascii: "\""))
        }

        /// For text and for values in double quotes. Blanks other than spaces would be spaces when they are read again.
        static func escaped(_ text: [UInt8]) -> [UInt8] {
            let special: (UInt8) -> StaticString? = { byte in
                switch byte {
                case UInt8(ascii: "&"): "&amp;"
                case UInt8(ascii: "<"): "&lt;"
                case UInt8(ascii: ">"): "&gt;"
                case UInt8(ascii: "\""): "&quot;"
                case 9: "&#9;"
                case 10: "&#10;"
                case 13: "&#13;"
                default: nil
                }
            }
            guard text.contains(where: { special($0) != nil }) else { return text }
            var result: [UInt8] = []
            result.reserveCapacity(text.count + text.count / 8)
            for byte in text {
                if let replacement = special(byte) {
                    result += UnsafeBufferPointer(start: replacement.utf8Start, count: replacement.utf8CodeUnitCount)
                } else {
                    result.append(byte)
                }
            }
            return result
        }
    }
#endif
