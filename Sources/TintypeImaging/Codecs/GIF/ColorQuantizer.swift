/// Chooses the colours of a palette: splits boxes of the colour cube where that reduces the sum of squared errors most,
/// as in X. Wu's "Efficient statistical computations for optimal color quantization" (Graphics Gems II, 1991).
///
/// Colours are counted in cells of 5 bits a channel; sums over any box come from running sums over the cube in eight
/// look-ups.
struct ColorQuantizer {
    /// Cells along one axis, with a plane of zeros in front.
    private static let side = 33
    private static let cellCount = side * side * side

    /// Count, red, green, blue and squares, as running sums.
    private struct Moments {
        var count = 0.0
        var red = 0.0
        var green = 0.0
        var blue = 0.0
        var squares = 0.0

        static func + (left: Moments, right: Moments) -> Moments {
            Moments(
                count: left.count + right.count, red: left.red + right.red, green: left.green + right.green,
                blue: left.blue + right.blue, squares: left.squares + right.squares)
        }

        static func - (left: Moments, right: Moments) -> Moments {
            Moments(
                count: left.count - right.count, red: left.red - right.red, green: left.green - right.green,
                blue: left.blue - right.blue, squares: left.squares - right.squares)
        }

        /// Squared length of the sum, by count: the larger, the better the mean describes the box.
        var concentration: Double {
            count > 0 ? (red * red + green * green + blue * blue) / count : 0
        }

        var variance: Double { squares - concentration }
    }

    /// Cells `lower < i <= upper` along each axis.
    private struct Box {
        var lower = [0, 0, 0]
        var upper = [32, 32, 32]
        var variance = 0.0
    }

    private var cells = [Moments](repeating: Moments(), count: cellCount)

    /// Counts pixels 0xAABBGGRR that are opaque.
    mutating func count(_ pixels: some Sequence<UInt32>) {
        for pixel in pixels where pixel >> 24 == 255 {
            let red = Int(pixel & 255)
            let green = Int(pixel >> 8 & 255)
            let blue = Int(pixel >> 16 & 255)
            let cell = Self.cell(red >> 3 + 1, green >> 3 + 1, blue >> 3 + 1)
            cells[cell].count += 1
            cells[cell].red += Double(red)
            cells[cell].green += Double(green)
            cells[cell].blue += Double(blue)
            cells[cell].squares += Double(red * red + green * green + blue * blue)
        }
    }

    private static func cell(_ red: Int, _ green: Int, _ blue: Int) -> Int { (red * side + green) * side + blue }

    /// Returns at most `limit` colours, 0xAABBGGRR.
    mutating func palette(limit: Int) -> [UInt32] {
        accumulate()
        var boxes = [Box()]
        boxes[0].variance = sum(boxes[0]).variance
        while boxes.count < limit {
            guard let widest = boxes.indices.max(by: { boxes[$0].variance < boxes[$1].variance }),
                boxes[widest].variance > 0
            else { break }
            guard let (first, second) = split(boxes[widest]) else {
                boxes[widest].variance = 0
                continue
            }
            boxes[widest] = first
            boxes.append(second)
        }
        return boxes.compactMap { box in
            let moments = sum(box)
            guard moments.count > 0 else { return nil }
            func channel(_ sum: Double) -> UInt32 { UInt32(min(max((sum / moments.count).rounded(), 0), 255)) }
            return 0xFF00_0000 | channel(moments.blue) << 16 | channel(moments.green) << 8 | channel(moments.red)
        }
    }

    private mutating func accumulate() {
        for red in 1..<Self.side {
            var plane = [Moments](repeating: Moments(), count: Self.side)
            for green in 1..<Self.side {
                var line = Moments()
                for blue in 1..<Self.side {
                    line = line + cells[Self.cell(red, green, blue)]
                    plane[blue] = plane[blue] + line
                    cells[Self.cell(red, green, blue)] = cells[Self.cell(red - 1, green, blue)] + plane[blue]
                }
            }
        }
    }

    private func sum(_ box: Box) -> Moments {
        func at(_ red: Int, _ green: Int, _ blue: Int) -> Moments { cells[Self.cell(red, green, blue)] }
        let (low, high) = (box.lower, box.upper)
        return at(high[0], high[1], high[2]) - at(low[0], high[1], high[2]) - at(high[0], low[1], high[2])
            - at(high[0], high[1], low[2]) + at(low[0], low[1], high[2]) + at(low[0], high[1], low[2])
            + at(high[0], low[1], low[2]) - at(low[0], low[1], low[2])
    }

    /// Returns the two parts with the smallest total error; nil if all pixels of the box are in one cell.
    private func split(_ box: Box) -> (Box, Box)? {
        let whole = sum(box)
        var best: (gain: Double, axis: Int, place: Int)?
        for axis in 0..<3 {
            var lower = box
            for place in box.lower[axis] + 1..<max(box.lower[axis] + 1, box.upper[axis]) {
                lower.upper[axis] = place
                let part = sum(lower)
                guard part.count > 0, part.count < whole.count else { continue }
                let gain = part.concentration + (whole - part).concentration
                if gain > best?.gain ?? -1 { best = (gain, axis, place) }
            }
        }
        guard let best else { return nil }
        var (first, second) = (box, box)
        first.upper[best.axis] = best.place
        second.lower[best.axis] = best.place
        first.variance = sum(first).variance
        second.variance = sum(second).variance
        return (first, second)
    }
}
