import Tintype
import TintypeBase

/// Opaque RGBA pixels, and the few antialiased shapes that the contact sheet needs.
struct Canvas {
    typealias Colour = (red: Double, green: Double, blue: Double)

    let width: Int
    let height: Int
    private var pixels: [UInt8]

    init(width: Int, height: Int, colour: Colour) {
        self.width = width
        self.height = height
        pixels = [UInt8](repeating: 255, count: width * height * 4)
        fill(x: 0, y: 0, width: Double(width), height: Double(height), radius: 0, colour: colour)
    }

    /// 0xRRGGBB.
    static func colour(_ hex: UInt32) -> Colour {
        (Double(hex >> 16 & 0xFF), Double(hex >> 8 & 0xFF), Double(hex & 0xFF))
    }

    func bitmap() throws -> Bitmap {
        try Bitmap(width: width, height: height, isOpaque: true) { bytes, bytesPerRow in
            for y in 0..<height {
                let row = pixels[y * width * 4..<(y + 1) * width * 4]
                UnsafeMutableRawBufferPointer(rebasing: bytes[(y * bytesPerRow)...]).copyBytes(from: row)
            }
        }
    }

    private mutating func blend(_ x: Int, _ y: Int, _ colour: Colour, _ coverage: Double) {
        guard coverage > 0 else { return }
        let offset = (y * width + x) * 4
        let part = min(1, coverage)
        pixels[offset] = UInt8(Double(pixels[offset]) * (1 - part) + colour.red * part + 0.5)
        pixels[offset + 1] = UInt8(Double(pixels[offset + 1]) * (1 - part) + colour.green * part + 0.5)
        pixels[offset + 2] = UInt8(Double(pixels[offset + 2]) * (1 - part) + colour.blue * part + 0.5)
    }

    /// Returns the pixel columns between two coordinates that are on the canvas.
    private func columns(_ from: Double, _ to: Double) -> Range<Int> {
        let first = max(0, min(width, Int(from.rounded(.down))))
        return first..<max(first, min(width, Int(to.rounded(.up))))
    }

    private func rows(_ from: Double, _ to: Double) -> Range<Int> {
        let first = max(0, min(height, Int(from.rounded(.down))))
        return first..<max(first, min(height, Int(to.rounded(.up))))
    }

    /// Fills a rectangle with round corners; `softness` above 0 blurs its edge, which makes a shadow.
    mutating func fill(
        x: Double, y: Double, width: Double, height: Double, radius: Double, colour: Colour, opacity: Double = 1,
        softness: Double = 0
    ) {
        let reach = softness * 2 + 1
        let (halfWidth, halfHeight) = (width / 2, height / 2)
        for row in rows(y - reach, y + height + reach) {
            for column in columns(x - reach, x + width + reach) {
                let dx = abs(Double(column) + 0.5 - x - halfWidth) - halfWidth + radius
                let dy = abs(Double(row) + 0.5 - y - halfHeight) - halfHeight + radius
                let outside = (max(dx, 0) * max(dx, 0) + max(dy, 0) * max(dy, 0)).squareRoot()
                let distance = outside + min(max(dx, dy), 0) - radius
                let coverage =
                    softness > 0
                    ? 1 / (1 + exp(distance / softness * 2)) : max(0, min(1, 0.5 - distance))
                blend(column, row, colour, coverage * opacity)
            }
        }
    }

    /// Draws an image over the canvas.
    mutating func draw(_ bitmap: Bitmap, x: Int, y: Int) {
        bitmap.withUnsafeBytes { bytes in
            for row in 0..<bitmap.height where (0..<height).contains(y + row) {
                for column in 0..<bitmap.width where (0..<width).contains(x + column) {
                    let source = row * bitmap.bytesPerRow + column * 4
                    let target = ((y + row) * width + x + column) * 4
                    let rest = 255 - Int(bytes[source + 3])
                    for channel in 0..<3 {
                        let below = (Int(pixels[target + channel]) * rest + 127) / 255
                        pixels[target + channel] = UInt8(min(255, Int(bytes[source + channel]) + below))
                    }
                }
            }
        }
    }

    /// Draws a line of text with the stroke font.
    mutating func write(
        _ text: String, x: Double, baseline: Double, capitals: Double, weight: Double, colour: Colour
    ) {
        let (segments, textWidth) = StrokeFont.layout(text, height: capitals)
        let top = baseline - capitals
        let columns = columns(x - weight, x + textWidth + weight)
        let rows = rows(top - weight, baseline + capitals * 0.35 + weight)
        // Strokes of one text must not darken one another where they cross, so the strongest counts.
        var coverage = [Double](repeating: 0, count: columns.count * rows.count)
        for segment in segments {
            let moved = StrokeFont.Segment(
                x0: segment.x0 + x, y0: segment.y0 + top, x1: segment.x1 + x, y1: segment.y1 + top)
            let near = self.columns(min(moved.x0, moved.x1) - weight, max(moved.x0, moved.x1) + weight)
            for row in self.rows(min(moved.y0, moved.y1) - weight, max(moved.y0, moved.y1) + weight)
            where rows.contains(row) {
                for column in near where columns.contains(column) {
                    let distance = Canvas.distance(Double(column) + 0.5, Double(row) + 0.5, moved)
                    let index = (row - rows.lowerBound) * columns.count + column - columns.lowerBound
                    coverage[index] = max(coverage[index], min(1, 0.5 + weight / 2 - distance))
                }
            }
        }
        for row in rows {
            for column in columns {
                blend(
                    column, row, colour,
                    coverage[(row - rows.lowerBound) * columns.count + column - columns.lowerBound])
            }
        }
    }

    private static func distance(_ x: Double, _ y: Double, _ segment: StrokeFont.Segment) -> Double {
        let (dx, dy) = (segment.x1 - segment.x0, segment.y1 - segment.y0)
        let length = dx * dx + dy * dy
        let along = length == 0 ? 0 : max(0, min(1, ((x - segment.x0) * dx + (y - segment.y0) * dy) / length))
        let (ex, ey) = (x - segment.x0 - along * dx, y - segment.y0 - along * dy)
        return (ex * ex + ey * ey).squareRoot()
    }
}
