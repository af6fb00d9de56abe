import Tintype

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// App icons: a rounded square in two tones with a white figure.
enum IconPainter {
    static func draw(_ number: Int, side: Int) throws -> Bitmap {
        var dice = Dice(number + 1)
        let hue = dice.next()
        let top = Tone.hsv(hue, dice.next(0.45...0.75), dice.next(0.85...0.98))
        let bottom = Tone.hsv(hue + dice.next(0.02...0.12), dice.next(0.6...0.9), dice.next(0.5...0.75))
        let figure = dice.index(8)
        let count = 3 + dice.index(4)
        let turn = dice.next(0...1)
        let half = Double(side) / 2
        return try PixelCanvas.draw(side, side) { px, py in
            let (x, y) = (Double(px) + 0.5 - half, Double(py) + 0.5 - half)
            let shape = PixelCanvas.cover(PixelCanvas.box(x, y, half - 1, half - 1, half * 0.45))
            var tone = top.mixed(bottom, Double(py) / Double(side))
            // Light from above, a figure with a soft shadow.
            let unit = half / 64
            let (u, v) = (x / unit, y / unit)
            let shadow = PixelCanvas.cover(distance(figure, u, v - 4, count, turn) / 6)
            tone = tone.mixed(tone * 0.72, shadow * 0.7)
            tone = tone.mixed(Tone(repeating: 1), PixelCanvas.cover(distance(figure, u, v, count, turn) * unit) * 0.96)
            return (tone, shape)
        }
    }

    /// Of a point to a figure in a square of 128.
    private static func distance(_ figure: Int, _ x: Double, _ y: Double, _ count: Int, _ turn: Double) -> Double {
        switch figure {
        case 0:  // ring and dot
            return min(abs(PixelCanvas.disc(x, y, 28)) - 6, PixelCanvas.disc(x, y, 9))
        case 1:  // bars
            let step = 60 / Double(count)
            var nearest = Double.infinity
            for bar in 0..<count {
                let height = 12 + 22 * abs(sin(Double(bar) * 1.7 + turn * 6))
                let centre = -30 + step * (Double(bar) + 0.5)
                nearest = min(nearest, PixelCanvas.box(x - centre, y - (30 - height), step * 0.32, height, step * 0.2))
            }
            return nearest
        case 2:  // flower
            let angle = atan2(y, x) + turn * 6
            let radius = 26 + 9 * cos(angle * Double(count + 2))
            return max((PixelCanvas.disc(x, y, radius)) * 0.8, 7 - (x * x + y * y).squareRoot())
        case 3:  // moon
            return max(PixelCanvas.disc(x, y, 34), -PixelCanvas.disc(x - 16, y + 10, 28))
        case 4:  // play
            return max(-x - 18, max(x * 0.5 + y * 0.866 - 17, x * 0.5 - y * 0.866 - 17)) - 4
        case 5:  // tiles
            return PixelCanvas.box(abs(x) - 18, abs(y) - 18, 13, 13, 5)
        case 6:  // wave
            let upper = abs(y + 12 - 9 * sin(x / 9 + turn * 6)) - 5
            let lower = abs(y - 12 - 9 * sin(x / 9 + turn * 6)) - 5
            return max(min(upper, lower) * 0.8, abs(x) - 36)
        default:  // sheet with lines
            let sheet = PixelCanvas.box(x, y, 25, 32, 6)
            let line = abs(y.truncatingRemainder(dividingBy: 14)) - 2.5
            return max(sheet, -max(line, abs(x) - 15))
        }
    }
}
