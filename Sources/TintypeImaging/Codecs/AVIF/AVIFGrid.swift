#if AVIF
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// A grid that some versions of libavif get wrong: its tiles are not in the order of their item numbers (sorted
    /// before 1.1), or each of them has alpha of its own (not seen before 1.0). Its tiles are decoded one by one, as
    /// files of their own, and put together here.
    struct AVIFGrid {
        private let items: HEIFItems
        private let tiles: [Int]
        private let columns: Int
        private let rows: Int
        let size: PixelSize
        let hasAlpha: Bool

        /// Nil if the primary image is no such grid.
        init?(_ bytes: ByteView) throws {
            guard let items = try? HEIFItems(bytes, format: .avif),
                items.types[items.primary] == ISOBoxes.code("grid")
            else { return nil }
            self.items = items
            tiles = items.sources(of: items.primary)
            let isOrdered = zip(tiles, tiles.dropFirst()).allSatisfy { $0 < $1 }
            hasAlpha = tiles.contains { items.alpha(of: $0) != nil }
            guard !tiles.isEmpty, !isOrdered || (hasAlpha && items.alpha(of: items.primary) == nil) else { return nil }
            // ImageGrid (ISO/IEC 23008-12, §6.6.2.3): version, flags, rows - 1, columns - 1, the size.
            let header = try Self.data(of: items.primary, items)
            let isLong = try header.byte(1) & 1 != 0
            rows = Int(try header.byte(2)) + 1
            columns = Int(try header.byte(3)) + 1
            func number(_ index: Int) throws -> Int {
                let width = isLong ? 4 : 2
                return try (0..<width).reduce(0) { $0 << 8 | Int(try header.byte(4 + index * width + $1)) }
            }
            size = PixelSize(width: try number(0), height: try number(1))
            guard rows * columns == tiles.count else {
                throw ImagingError.corrupt(.avif, "a grid of \(columns)x\(rows) with \(tiles.count) tiles")
            }
        }

        /// - Parameter profile: of the grid, which its tiles do not repeat.
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

    extension [UInt8] {
        fileprivate func byte(_ index: Int) throws -> UInt8 {
            guard index < count else { throw ImagingError.corrupt(.avif, "a grid's description is too short") }
            return self[index]
        }
    }
#endif
