#if AVIF
    import TintypeBase

    /// A grid that some versions of libavif decode wrongly: its tiles are not in the order of their item numbers (sorted
    /// before 1.1), or each of them has its own alpha (ignored before 1.0). The tiles are decoded one by one, as files of
    /// their own, and assembled here.
    struct AVIFGrid {
        private let items: HEIFItems
        private let tiles: [Int]
        private let columns: Int
        private let rows: Int
        let size: PixelSize
        let hasAlpha: Bool

        /// Returns nil if the primary image is no such grid.
        init?(_ bytes: ByteView) throws {
            guard let items = try? HEIFItems(bytes, format: .avif),
                items.types[items.primary] == ISOBoxes.code("grid")
            else { return nil }
            self.items = items
            tiles = items.sources(of: items.primary)
            let isOrdered = zip(tiles, tiles.dropFirst()).allSatisfy { $0 < $1 }
            hasAlpha = tiles.contains { items.alpha(of: $0) != nil }
            guard !tiles.isEmpty, !isOrdered || (hasAlpha && items.alpha(of: items.primary) == nil) else { return nil }
            guard let header = try items.dataRanges(of: items.primary)?.first, header.count >= 8,
                let size = try items.canvas(of: items.primary, data: [header])
            else { throw ImagingError.corrupt(.avif, "a grid without a description") }
            self.size = size
            rows = Int(try bytes.u8(header.lowerBound + 2)) + 1
            columns = Int(try bytes.u8(header.lowerBound + 3)) + 1
            guard rows * columns == tiles.count else {
                throw ImagingError.corrupt(.avif, "a grid of \(columns)x\(rows) with \(tiles.count) tiles")
            }
        }

        func bitmap(limits: DecodeLimits, warnings: inout [String]) throws -> Bitmap {
            try limits.check(size, format: .avif)
            let canvas = try StraightPixels(size: size)
            var isOpaque = true
            var tileSize: PixelSize?
            for (index, item) in tiles.enumerated() {
                let session = try AVIFSession(
                    try AVIFTileFile(items, tile: item).data(), isComplete: true, isLenient: false, limits: limits)
                let tile = try session.frame(at: 0, isLenient: false, limits: limits).bitmap
                if index == 0 { warnings += session.warnings }
                isOpaque = isOpaque && tile.isOpaque
                guard tile.size == tileSize ?? tile.size else {
                    throw ImagingError.corrupt(.avif, "tiles of different sizes")
                }
                tileSize = tile.size
                Self.place(tile, column: index % columns, row: index / columns, on: canvas)
            }
            guard let tileSize, tileSize.width * columns >= size.width, tileSize.height * rows >= size.height else {
                throw ImagingError.corrupt(.avif, "the tiles of a grid do not cover it")
            }
            return canvas.bitmap(isOpaque: isOpaque, isPremultiplied: true)
        }

        private static func place(_ tile: Bitmap, column: Int, row: Int, on canvas: StraightPixels) {
            let (left, top) = (column * tile.width, row * tile.height)
            let width = min(tile.width, canvas.size.width - left)
            guard width > 0 else { return }
            tile.withUnsafeBytes { bytes in
                for y in 0..<max(0, min(tile.height, canvas.size.height - top)) {
                    guard let target = canvas.row(top + y), let source = bytes.baseAddress else { return }
                    UnsafeMutableRawPointer(target + left * 4).copyMemory(
                        from: source + y * tile.bytesPerRow, byteCount: width * 4)
                }
            }
        }

        static func data(of item: Int, _ items: HEIFItems) throws -> [UInt8] {
            guard let ranges = try items.dataRanges(of: item) else {
                throw ImagingError.corrupt(.avif, "an item without data")
            }
            return ranges.flatMap { items.bytes.bytes[$0] }
        }
    }
#endif
