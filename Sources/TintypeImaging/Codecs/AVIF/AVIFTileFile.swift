#if AVIF
    import TintypeBase

    /// An AVIF file with one tile of a grid and its alpha.
    struct AVIFTileFile {
        private let items: HEIFItems
        private let tile: Int
        private let alpha: Int?

        init(_ items: HEIFItems, tile: Int) {
            self.items = items
            self.tile = tile
            alpha = items.alpha(of: tile)
        }

        func data() throws -> Data {
            let payloads = [tile] + (alpha.map { [$0] } ?? [])
            let contents = try payloads.map { try AVIFGrid.data(of: $0, items) }
            let type = Self.box("ftyp", Array("avif".utf8) + Self.long(0) + Array("avifmif1miaf".utf8))
            // The offsets of the data depend on the length of the boxes before it, which does not depend on the offsets.
            let probe = meta(start: 0, contents)
            let start = type.count + probe.count + 8
            return Data(type + meta(start: start, contents) + Self.box("mdat", contents.flatMap { $0 }))
        }

        private func meta(start: Int, _ contents: [[UInt8]]) -> [UInt8] {
            let handler = Self.fullBox("hdlr", Self.long(0) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
            var entries = Self.fullBox("iinf", Self.short(contents.count) + item(1))
            var places = Self.short(1) + Self.short(0) + Self.short(1) + Self.long(start) + Self.long(contents[0].count)
            if contents.count > 1 {
                entries = Self.fullBox("iinf", Self.short(contents.count) + item(1) + item(2))
                places += Self.short(2) + Self.short(0) + Self.short(1) + Self.long(start + contents[0].count)
                places += Self.long(contents[1].count)
            }
            // Four bytes for offsets and lengths, none for a base.
            let location = Self.fullBox("iloc", [0x44, 0x00] + Self.short(contents.count) + places)
            var body = handler + Self.fullBox("pitm", Self.short(1)) + location + entries + properties()
            if contents.count > 1 {
                body += Self.fullBox("iref", Self.box("auxl", Self.short(2) + Self.short(1) + Self.short(1)))
            }
            return Self.fullBox("meta", body)
        }

        private func item(_ number: Int) -> [UInt8] {
            [UInt8](Self.box("infe", [2, 0, 0, 0] + Self.short(number) + Self.short(0) + Array("av01".utf8) + [0]))
        }

        /// Returns the properties of the tile and its alpha, with the colours of the grid if the tile has none.
        private func properties() -> [UInt8] {
            var color = items.properties(of: tile)
            if !color.contains(where: { $0.type == ISOBoxes.code("colr") }) {
                color += items.properties(of: items.primary).filter { $0.type == ISOBoxes.code("colr") }
            }
            // An index has seven bits; real tiles have fewer than a dozen properties.
            color = Array(color.prefix(60))
            let opacity = alpha.map { Array(items.properties(of: $0).prefix(60)) } ?? []
            let boxes = (color + opacity).flatMap { box in
                Self.long(8 + box.content.count) + Self.long(Int(box.type)) + items.bytes.bytes[box.content]
            }
            func indexes(_ range: Range<Int>) -> [UInt8] { [UInt8(range.count)] + range.map { UInt8($0 + 1) } }
            var ties = Self.long(alpha == nil ? 1 : 2) + Self.short(1) + indexes(0..<color.count)
            if alpha != nil { ties += Self.short(2) + indexes(color.count..<color.count + opacity.count) }
            return Self.box("iprp", Self.box("ipco", boxes) + Self.fullBox("ipma", ties))
        }

        private static func box(_ type: StaticString, _ content: [UInt8]) -> [UInt8] {
            long(8 + content.count) + long(Int(ISOBoxes.code(type))) + content
        }

        private static func fullBox(_ type: StaticString, _ content: [UInt8]) -> [UInt8] {
            box(type, [0, 0, 0, 0] + content)
        }

        private static func short(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }

        private static func long(_ value: Int) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        }
    }
#endif
