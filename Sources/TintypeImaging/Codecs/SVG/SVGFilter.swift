#if SVG
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Rewrites a document so that librsvg can parse it without libxml2's own limits.
    ///
    /// Removes the document type with its entities (their replacement text is written out, within bounds), processing
    /// instructions, comments, and every reference to something outside the document. Replaces embedded images by
    /// images that were decoded here. Leaves faults in the markup for libxml2 to find.
    struct SVGFilter {
        private static let maximumOutputByteCount = 4 * SVGDecoder.maximumByteCount
        private static let maximumHeaderByteCount = 1 << 20
        /// As in libxml2 without its "huge" option.
        private static let maximumDepth = 256

        private let images: SVGImages
        private var entities = SVGEntities()
        private var output: [UInt8] = []
        private var depth = 0
        private var hasRoot = false
        /// The text of a style sheet that is being read, and the depth of its element.
        private var sheet: (text: [UInt8], depth: Int)?

        /// True if only the root's start tag and style sheets are written, which is what the size depends on.
        private let isHeaderOnly: Bool
        /// Bytes behind the root's start tag in which style sheets are looked for.
        private static let headerByteCount = 256 << 10
        /// What closes the elements of a header, innermost last.
        private var headerEnds: [[UInt8]] = []

        private init(images: SVGImages, isHeaderOnly: Bool = false) {
            self.images = images
            self.isHeaderOnly = isHeaderOnly
        }

        /// Returns the whole document.
        ///
        /// - Throws: `corrupt`, `truncated`, and `imageTooLarge` for embedded images.
        static func filtered(_ data: Data, images: SVGImages) throws -> Data {
            let text = try SVGText(data)
            var filter = SVGFilter(images: images)
            filter.output.reserveCapacity(text.bytes.count + 64)
            if let encoding = text.encoding {
                filter.output += Array("<?xml version=\"1.0\" encoding=\"\(encoding)\"?>".utf8)
            }
            try text.bytes.withUnsafeBufferPointer { try filter.read($0, entityDepth: 0) }
            return Data(filter.output)
        }

        /// Returns a document of the same size that is empty otherwise.
        ///
        /// - Parameters:
        ///   - data: the document, or its start.
        ///   - isCut: true for a start.
        static func header(_ data: Data, isCut: Bool, limits: DecodeLimits) throws -> Data {
            let text = try SVGText(data)
            var filter = SVGFilter(images: SVGImages(limits: limits, isWanted: false), isHeaderOnly: true)
            if let encoding = text.encoding {
                filter.output += Array("<?xml version=\"1.0\" encoding=\"\(encoding)\"?>".utf8)
            }
            do {
                try text.bytes.withUnsafeBufferPointer { try filter.read($0, entityDepth: 0) }
            } catch ImagingError.truncated where isCut && filter.hasRoot {}
            for end in filter.headerEnds.reversed() { filter.output += end }
            return Data(filter.output)
        }

        /// Reads content: the whole document, or the replacement text of an entity.
        private mutating func read(_ text: UnsafeBufferPointer<UInt8>, entityDepth: Int) throws {
            let startDepth = depth
            var scanner = SVGScanner(text: text, position: 0)
            var headerEnd: Int?
            while let byte = scanner.peek {
                if isHeaderOnly, hasRoot {
                    headerEnd = headerEnd ?? scanner.position + Self.headerByteCount
                    if scanner.position > headerEnd ?? 0 { return }
                }
                if byte == UInt8(ascii: "<") {
                    try readMarkup(&scanner, entityDepth: entityDepth, floor: startDepth)
                } else if byte == UInt8(ascii: "&") {
                    try readReference(&scanner, entityDepth: entityDepth)
                } else {
                    try emitText(scanner.take { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") })
                }
            }
            guard entityDepth == 0 || depth == startDepth else {
                throw ImagingError.corrupt(.svg, "an entity holds half an element")
            }
        }

        private mutating func readMarkup(_ scanner: inout SVGScanner, entityDepth: Int, floor: Int) throws {
            if scanner.starts(with: "<!--") {
                scanner.position += 4
                try scanner.skip(past: "-->")
            } else if scanner.starts(with: "<?") {
                try scanner.skip(past: "?>")
            } else if scanner.starts(with: "<![CDATA[") {
                scanner.position += 9
                let start = scanner.position
                try scanner.skip(past: "]]>")
                try emitText(Slice(base: scanner.text, bounds: start..<scanner.position - 3), isMarkup: false)
            } else if scanner.starts(with: "<!DOCTYPE"), !hasRoot, entityDepth == 0 {
                scanner.position = try entities.readDocumentType(scanner.text, from: scanner.position + 9)
            } else if scanner.starts(with: "</") {
                let start = scanner.position
                try scanner.skip(past: ">")
                guard depth > floor else { throw ImagingError.corrupt(.svg, "it closes what is not open") }
                try endElement(Slice(base: scanner.text, bounds: start..<scanner.position))
            } else {
                try readStartTag(&scanner, entityDepth: entityDepth)
            }
        }

        private mutating func readReference(_ scanner: inout SVGScanner, entityDepth: Int) throws {
            let start = scanner.position
            scanner.position += 1
            let name = scanner.take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "<") && $0 > 0x20 }
            guard scanner.peek == UInt8(ascii: ";") else {
                throw ImagingError.corrupt(.svg, "an & that begins nothing")
            }
            scanner.position += 1
            // An entity cannot change the size, except in an attribute.
            if isHeaderOnly, hasRoot { return }
            if name.first == UInt8(ascii: "#") || SVGEntities.predefined(name) != nil {
                if sheet != nil {
                    let bytes = SVGEntities.predefined(name).map { [$0] } ?? SVGEntities.character(name) ?? []
                    return try emitText(bytes[...], isMarkup: false)
                }
                return try emit(Slice(base: scanner.text, bounds: start..<scanner.position))
            }
            // An undefined one is left out, as parsers do that do not read external document types.
            guard let value = try entities.expand(name) else { return }
            guard entityDepth < SVGEntities.maximumDepth else { throw Self.entitiesTooDeep }
            try value.withUnsafeBufferPointer { try read($0, entityDepth: entityDepth + 1) }
        }

        private static var entitiesTooDeep: ImagingError {
            .corrupt(.svg, "entities in entities, more than \(SVGEntities.maximumDepth) times")
        }

        // MARK: Elements

        private mutating func readStartTag(_ scanner: inout SVGScanner, entityDepth: Int) throws {
            scanner.position += 1
            let name = scanner.take { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
            guard !name.isEmpty else { throw ImagingError.corrupt(.svg, "a < that begins nothing") }
            var tag = SVGTag(name: name)
            var isClosed = false
            reading: while true {
                scanner.skipBlanks()
                switch scanner.peek {
                case nil: throw ImagingError.truncated(.svg)
                case UInt8(ascii: ">"):
                    scanner.position += 1
                    break reading
                case UInt8(ascii: "/"):
                    scanner.position += 1
                    guard scanner.peek == UInt8(ascii: ">") else { throw ImagingError.corrupt(.svg, "a / in a tag") }
                    scanner.position += 1
                    isClosed = true
                    break reading
                default:
                    try readAttribute(&scanner, of: &tag, entityDepth: entityDepth)
                }
            }
            hasRoot = true
            depth += 1
            guard depth <= Self.maximumDepth else {
                throw ImagingError.corrupt(.svg, "more than \(Self.maximumDepth) elements inside one another")
            }
            if isHeaderOnly {
                guard sheet == nil, depth == 1 || tag.localName == "style" else {
                    if isClosed { depth -= 1 }
                    return
                }
                try emit(tag.bytes)
                try emit(Array((isClosed ? "/>" : ">").utf8))
                if isClosed {
                    depth -= 1
                } else {
                    headerEnds.append(Array("</".utf8) + name + Array(">".utf8))
                    if depth > 1 { sheet = ([], depth) }
                }
                return
            }
            guard sheet == nil else {
                // Elements in a style sheet mean nothing.
                if isClosed { depth -= 1 }
                return
            }
            try emit(tag.bytes)
            try emit(Array((isClosed ? "/>" : ">").utf8))
            if isClosed {
                depth -= 1
            } else if tag.localName == "style" {
                sheet = ([], depth)
            }
        }

        private mutating func endElement(_ tag: Slice<UnsafeBufferPointer<UInt8>>) throws {
            let isSheet = sheet != nil
            if let sheet {
                guard depth == sheet.depth else {
                    depth -= 1
                    return
                }
                self.sheet = nil
                let text = SVGStyleText.withoutData(sheet.text)
                if isHeaderOnly { headerEnds.removeLast() }
                try emit(SVGTag.escaped(text))
            }
            depth -= 1
            if isHeaderOnly {
                // The style sheet's end; the root's is written last.
                if isSheet { try emit(tag) }
                return
            }
            try emit(tag)
        }

        private mutating func readAttribute(_ scanner: inout SVGScanner, of tag: inout SVGTag, entityDepth: Int) throws
        {
            let name = scanner.take { $0 > 0x20 && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ">") }
            scanner.skipBlanks()
            guard scanner.peek == UInt8(ascii: "=") else {
                throw ImagingError.corrupt(.svg, "an attribute without a value")
            }
            scanner.position += 1
            scanner.skipBlanks()
            guard scanner.peek == UInt8(ascii: "\"") || scanner.peek == UInt8(ascii: "'") else {
                guard scanner.peek != nil else { throw ImagingError.truncated(.svg) }
                throw ImagingError.corrupt(.svg, "an attribute without quotes")
            }
            let raw = try scanner.quoted()
            if isHeaderOnly, hasRoot { return }
            if SVGTag.isHarmless(raw), !SVGTag.isReference(name) { return tag.keep(name, raw: raw) }
            var value: [UInt8] = []
            try decode(raw, into: &value, entityDepth: entityDepth)
            try tag.add(name, value: value, images: images)
        }

        /// Appends an attribute's value with its references resolved (XML 1.0, §3.3.3).
        private mutating func decode(
            _ raw: Slice<UnsafeBufferPointer<UInt8>>, into value: inout [UInt8], entityDepth: Int
        ) throws {
            var rest = raw
            while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
                value += rest[..<start]
                guard let end = rest[start...].firstIndex(of: UInt8(ascii: ";")) else {
                    throw ImagingError.corrupt(.svg, "an & that begins nothing")
                }
                let name = rest[(start + 1)..<end]
                if let character = SVGEntities.predefined(name) {
                    value.append(character)
                } else if let character = SVGEntities.character(name) {
                    value += character
                } else if let replacement = try entities.expand(name) {
                    guard entityDepth < SVGEntities.maximumDepth else { throw Self.entitiesTooDeep }
                    try replacement.withUnsafeBufferPointer {
                        try decode(Slice(base: $0, bounds: 0..<$0.count), into: &value, entityDepth: entityDepth + 1)
                    }
                }
                rest = rest[(end + 1)...]
                try checkLength(value.count)
            }
            value += rest
        }

        // MARK: Output

        /// - Parameter isMarkup: false for characters that must be escaped.
        private mutating func emitText(_ text: some Collection<UInt8>, isMarkup: Bool = true) throws {
            if let open = sheet {
                if depth == open.depth { sheet?.text += text }
                return try checkLength(output.count + open.text.count)
            }
            guard depth > 0, !isHeaderOnly else { return }
            if isMarkup { try emit(text) } else { try emit(SVGTag.escaped(Array(text))) }
        }

        private mutating func emit(_ bytes: some Collection<UInt8>) throws {
            try checkLength(output.count + bytes.count)
            output += bytes
        }

        private func checkLength(_ count: Int) throws {
            guard count <= (isHeaderOnly ? Self.maximumHeaderByteCount : Self.maximumOutputByteCount) else {
                throw ImagingError.corrupt(.svg, "its entities and images expand to too many bytes")
            }
        }
    }
#endif
