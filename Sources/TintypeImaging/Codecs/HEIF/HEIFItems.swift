#if AVIF || HEIC
    /// The items in the `meta` box of a HEIF or AVIF file (ISO/IEC 23008-12), their properties and references: for what the
    /// libraries do not report, or only for whole files.
    struct HEIFItems {
        let bytes: ByteView
        private let format: ImageFormat
        private(set) var primary = 0
        /// The type of each item, four characters.
        private(set) var types: [Int: UInt32] = [:]
        /// The `iloc` and `idat` boxes' contents.
        private(set) var locations: Range<Int>?
        private(set) var inlineData: Range<Int>?
        /// Boxes in `ipco`; associations count from 1.
        private var properties: [ISOBoxes.Box] = []
        private var associations: [Int: [Int]] = [:]
        /// References from an item to others.
        private(set) var references: [(type: UInt32, from: Int, to: [Int])] = []

        /// - Throws: `needsMoreData` if the `meta` box is not complete; `corrupt`.
        init(_ bytes: ByteView, format: ImageFormat) throws {
            self.bytes = bytes
            self.format = format
            do {
                try readMeta()
            } catch let end as ByteView.PastEnd {
                throw ImagingError.needsMoreData(format, byteCount: end.byteCount)
            }
        }

        private mutating func readMeta() throws {
            guard let meta = try Self.meta(bytes) else {
                throw ImagingError.needsMoreData(format, byteCount: nil)
            }
            // A full box: version and flags come first.
            let start = meta.lowerBound + 4
            guard start <= meta.upperBound else { throw ImagingError.corrupt(format, "an empty meta box") }
            for box in ISOBoxes(bytes, in: start..<meta.upperBound) {
                let content = box.content.lowerBound
                switch box.type {
                case ISOBoxes.code("pitm"):
                    primary =
                        try bytes.u8(content) == 0
                        ? Int(bytes.bigEndian16(content + 4)) : Int(bytes.bigEndian32(content + 4))
                case ISOBoxes.code("iprp"):
                    for child in ISOBoxes(bytes, in: box.content) {
                        if child.type == ISOBoxes.code("ipco") {
                            properties = Array(ISOBoxes(bytes, in: child.content).prefix(65_535))
                        } else if child.type == ISOBoxes.code("ipma") {
                            try readAssociations(child.content)
                        }
                    }
                case ISOBoxes.code("iref"):
                    try readReferences(box.content)
                case ISOBoxes.code("iinf"):
                    try readTypes(box.content)
                case ISOBoxes.code("iloc"):
                    locations = box.content
                case ISOBoxes.code("idat"):
                    inlineData = box.content
                default: break
                }
            }
        }

        /// Returns the content of the `meta` box; nil if it is beyond the prefix. Throws `PastEnd` if it is truncated.
        private static func meta(_ bytes: ByteView) throws -> Range<Int>? {
            var position = 0
            while position < bytes.count {
                var size = Int(try bytes.bigEndian32(position))
                let type = try bytes.bigEndian32(position + 4)
                var header = 8
                if size == 1 {
                    header = 16
                    guard try bytes.bigEndian32(position + 8) == 0 else { return nil }
                    size = Int(try bytes.bigEndian32(position + 12))
                }
                guard size >= header else { return nil }
                if type == ISOBoxes.code("meta") {
                    _ = try bytes.slice(position, size)
                    return position + header..<position + size
                }
                position += size
            }
            // The next box may be the one.
            throw ByteView.PastEnd(byteCount: position + 8)
        }

        /// Reads the types in `infe` boxes, which have them from version 2 on; images need no older ones.
        private mutating func readTypes(_ range: Range<Int>) throws {
            let start = range.lowerBound + (try bytes.u8(range.lowerBound) == 0 ? 6 : 8)
            for box in ISOBoxes(bytes, in: start..<max(start, range.upperBound)) {
                let content = box.content.lowerBound
                switch try bytes.u8(content) {
                case 2: types[Int(try bytes.bigEndian16(content + 4))] = try bytes.bigEndian32(content + 8)
                case 3: types[Int(try bytes.bigEndian32(content + 4))] = try bytes.bigEndian32(content + 10)
                default: break
                }
            }
        }

        private mutating func readAssociations(_ range: Range<Int>) throws {
            let version = try bytes.u8(range.lowerBound)
            let isLong = try bytes.u8(range.lowerBound + 3) & 1 != 0
            let count = Int(try bytes.bigEndian32(range.lowerBound + 4))
            var position = range.lowerBound + 8
            for _ in 0..<count {
                guard position < range.upperBound else { break }
                let item = version == 0 ? Int(try bytes.bigEndian16(position)) : Int(try bytes.bigEndian32(position))
                position += version == 0 ? 2 : 4
                let entries = Int(try bytes.u8(position))
                position += 1
                for _ in 0..<entries {
                    // The first bit marks an essential property.
                    let index =
                        isLong ? Int(try bytes.bigEndian16(position) & 0x7FFF) : Int(try bytes.u8(position) & 0x7F)
                    position += isLong ? 2 : 1
                    associations[item, default: []].append(index)
                }
            }
        }

        private mutating func readReferences(_ range: Range<Int>) throws {
            let isLong = try bytes.u8(range.lowerBound) != 0
            for box in ISOBoxes(bytes, in: range.lowerBound + 4..<max(range.lowerBound + 4, range.upperBound)) {
                var position = box.content.lowerBound
                func next() throws -> Int {
                    defer { position += isLong ? 4 : 2 }
                    return isLong ? Int(try bytes.bigEndian32(position)) : Int(try bytes.bigEndian16(position))
                }
                let from = try next()
                let count = Int(try bytes.bigEndian16(position))
                position += 2
                references.append((box.type, from, try (0..<count).map { _ in try next() }))
            }
        }

        func properties(of item: Int) -> [ISOBoxes.Box] {
            (associations[item] ?? []).compactMap { properties.indices.contains($0 - 1) ? properties[$0 - 1] : nil }
        }

        /// Returns the items from which an item, such as a grid, is derived, in order.
        func sources(of item: Int) -> [Int] {
            references.first { $0.type == ISOBoxes.code("dimg") && $0.from == item }?.to ?? []
        }

        /// Returns the item with the alpha of another one, or nil.
        func alpha(of item: Int) -> Int? {
            references.first { reference in
                reference.type == ISOBoxes.code("auxl") && reference.to.contains(item) && isAlpha(reference.from)
            }?.from
        }

        func isAlpha(_ item: Int) -> Bool {
            properties(of: item).contains { box in
                guard box.type == ISOBoxes.code("auxC") else { return false }
                let name = String(decoding: bytes.bytes[box.content].dropFirst(4).prefix { $0 != 0 }, as: UTF8.self)
                return name == "urn:mpeg:hevc:2015:auxid:1" || name == "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
            }
        }
    }
#endif
