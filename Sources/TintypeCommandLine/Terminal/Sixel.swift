import Tintype

/// Sixel graphics (DEC STD 070): six rows at a time, one pass for each colour of a fixed 6×6×6 palette with dithering.
enum Sixel {
    private static let levels = 6

    static func text(_ bitmap: Bitmap) -> String {
        var text = "\u{1B}P0;1;0q\"1;1;\(bitmap.width);\(bitmap.height)"
        let indices = palette(bitmap)
        // Some terminals have few colour registers: only those that are drawn with.
        for index in Set(indices.compactMap { $0 }).sorted() {
            let parts = [index / 36, index / 6 % 6, index % 6].map { String($0 * 100 / (levels - 1)) }
            text += "#\(index);2;" + parts.joined(separator: ";")
        }
        for top in stride(from: 0, to: bitmap.height, by: 6) {
            var columns: [Int: [UInt8]] = [:]
            for row in top..<min(top + 6, bitmap.height) {
                for x in 0..<bitmap.width {
                    guard let index = indices[row * bitmap.width + x] else { continue }
                    columns[index, default: [UInt8](repeating: 0, count: bitmap.width)][x] |= 1 << UInt8(row - top)
                }
            }
            let passes = columns.sorted { $0.key < $1.key }.map { "#\($0.key)" + runs($0.value) }
            // "$" goes back to the start of the six rows, "-" down to the next six.
            if top > 0 { text += "-" }
            text += passes.joined(separator: "$")
        }
        return text + "\u{1B}\\\n"
    }

    /// `!12~` stands for twelve times `~`. Nothing is said about what is empty up to the right edge.
    private static func runs(_ bits: [UInt8]) -> String {
        let bits = bits[..<((bits.lastIndex { $0 != 0 } ?? -1) + 1)]
        var text = ""
        var position = 0
        while position < bits.count {
            var end = position + 1
            while end < bits.count, bits[end] == bits[position] { end += 1 }
            let character = Character(UnicodeScalar(63 + bits[position]))
            let count = end - position
            text += count > 3 ? "!\(count)\(character)" : String(repeating: character, count: count)
            position = end
        }
        return text
    }

    /// The palette index of each pixel, nil where it is transparent; a 4×4 Bayer pattern spreads the rounding.
    private static func palette(_ bitmap: Bitmap) -> [Int?] {
        let bayer = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
        return bitmap.withUnsafeBytes { bytes in
            var indices: [Int?] = []
            indices.reserveCapacity(bitmap.width * bitmap.height)
            for y in 0..<bitmap.height {
                for x in 0..<bitmap.width {
                    let offset = y * bitmap.bytesPerRow + x * 4
                    guard bytes[offset + 3] >= 128 else {
                        indices.append(nil)
                        continue
                    }
                    let threshold = bayer[y % 4 * 4 + x % 4] * 16 + 8
                    let parts = (0..<3).map { channel in
                        min(levels - 1, (Int(bytes[offset + channel]) * (levels - 1) + threshold * 255 / 256) / 255)
                    }
                    indices.append(parts[0] * 36 + parts[1] * 6 + parts[2])
                }
            }
            return indices
        }
    }
}
