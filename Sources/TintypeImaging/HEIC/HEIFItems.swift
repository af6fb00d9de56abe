#if HEIC
    /// The `meta` box of a HEIF file (ISO/IEC 23008-12), as far as it tells the size, depth and alpha of the primary
    /// picture. libheif opens only whole files; this reads what a prefix holds.
    struct HEIFItems {
        private let bytes: ByteView
        private var primary = 0
        /// Boxes in `ipco`; associations count from 1.
        private var properties: [ISOBoxes.Box] = []
        private var associations: [Int: [Int]] = [:]
        /// From an item to those it refers to, by kind of reference.
        private var references: [(type: UInt32, from: Int, to: [Int])] = []

        /// - Throws: `needsMoreData` if the `meta` box is not whole; `corrupt`.
        init(_ bytes: ByteView) throws {
            self.bytes = bytes
            do {
                try readMeta()
            } catch let end as ByteView.PastEnd {
                throw ImagingError.needsMoreData(.heic, byteCount: end.byteCount)
            }
        }

        private mutating func readMeta() throws {
            guard let meta = try Self.meta(bytes) else {
                throw ImagingError.needsMoreData(.heic, byteCount: nil)
            }
            // A full box: version and flags come first.
            let start = meta.lowerBound + 4
            guard start <= meta.upperBound else { throw ImagingError.corrupt(.heic, "an empty meta box") }
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
                default: break
                }
            }
        }

        /// The content of the `meta` box; nil if it lies behind the prefix, `PastEnd` if it is cut.
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
            // The next box would tell.
            throw ByteView.PastEnd(byteCount: position + 8)
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
                    // The first bit says whether the property is essential.
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

        private func properties(of item: Int) -> [ISOBoxes.Box] {
            (associations[item] ?? []).compactMap { properties.indices.contains($0 - 1) ? properties[$0 - 1] : nil }
        }

        /// Facts about the primary picture, the transforms applied.
        func info() throws -> ImageInfo {
            do {
                return try readInfo()
            } catch is ByteView.PastEnd {
                throw ImagingError.corrupt(.heic, "a property is cut short")
            }
        }

        private func readInfo() throws -> ImageInfo {
            var size: PixelSize?
            var codePoints: CodingIndependentCodePoints?
            var hasProfile = false
            let all = properties(of: primary)
            if let extent = all.first(where: { $0.type == ISOBoxes.code("ispe") })?.content.lowerBound {
                size = PixelSize(
                    width: Int(try bytes.bigEndian32(extent + 4)), height: Int(try bytes.bigEndian32(extent + 8)))
            }
            for box in all {
                let content = box.content.lowerBound
                switch box.type {
                case ISOBoxes.code("irot"):
                    if try bytes.u8(content) & 1 != 0 { size = size?.transposed }
                case ISOBoxes.code("clap"):
                    let (width, height) = (try fraction(content), try fraction(content + 8))
                    if let width, let height { size = PixelSize(width: width, height: height) }
                case ISOBoxes.code("colr"):
                    if try bytes.bigEndian32(content) == ISOBoxes.code("nclx") {
                        codePoints = CodingIndependentCodePoints(
                            primaries: Int(try bytes.bigEndian16(content + 4)),
                            transfer: Int(try bytes.bigEndian16(content + 6)),
                            matrix: Int(try bytes.bigEndian16(content + 8)),
                            isFullRange: try bytes.u8(content + 10) & 0x80 != 0)
                    } else {
                        hasProfile = true
                    }
                default: break
                }
            }
            guard let size else { throw ImagingError.corrupt(.heic, "the primary picture has no size") }
            return ImageInfo(
                format: .heic, storedSize: size, bitDepth: try bitDepth(of: primary), hasAlpha: try hasAlpha(),
                colorSpace: codePoints?.name ?? "sRGB", isHDR: !hasProfile && codePoints?.isHDR ?? false)
        }

        private func fraction(_ offset: Int) throws -> Int? {
            let (numerator, denominator) = (try bytes.bigEndian32(offset), try bytes.bigEndian32(offset + 4))
            return denominator == 0 ? nil : Int(numerator / denominator)
        }

        /// From `hvcC` (ISO/IEC 14496-15, §8.3.3), of the item itself or of the first tile of a grid; else from `pixi`.
        private func bitDepth(of item: Int) throws -> Int {
            let tiles = references.first { $0.type == ISOBoxes.code("dimg") && $0.from == item }?.to ?? []
            for candidate in [item] + tiles.prefix(1) {
                for box in properties(of: candidate) where box.type == ISOBoxes.code("hvcC") {
                    return Int(try bytes.u8(box.content.lowerBound + 17) & 7) + 8
                }
            }
            for box in properties(of: item) where box.type == ISOBoxes.code("pixi") {
                return Int(try bytes.u8(box.content.lowerBound + 5))
            }
            return 8
        }

        private func hasAlpha() throws -> Bool {
            for reference in references
            where reference.type == ISOBoxes.code("auxl") && reference.to.contains(primary) {
                for box in properties(of: reference.from) where box.type == ISOBoxes.code("auxC") {
                    let name = String(
                        decoding: bytes.bytes[box.content].dropFirst(4).prefix { $0 != 0 }, as: UTF8.self)
                    if name.hasPrefix("urn:mpeg:hevc:2015:auxid:1") || name.hasSuffix(":alpha") { return true }
                }
            }
            return false
        }
    }
#endif
