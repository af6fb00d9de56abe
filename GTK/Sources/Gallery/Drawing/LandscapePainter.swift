import Tintype

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Landscapes in place of photos: ridges in haze below a sky with a sun.
enum LandscapePainter {
    static func draw(_ number: Int, width: Int, height: Int) throws -> Bitmap {
        var dice = Dice(number + 1_000)
        let hue = dice.next()
        let zenith = Tone.hsv(hue, dice.next(0.45...0.7), dice.next(0.35...0.75))
        let horizon = Tone.hsv(hue + dice.next(0.35...0.6), dice.next(0.25...0.5), dice.next(0.9...1))
        let sun = (x: dice.next(0.15...0.85) * Double(width), y: dice.next(0.2...0.5) * Double(height))
        let sunRadius = dice.next(0.025...0.06) * Double(width)
        let ridgeCount = 4 + dice.index(3)
        let ridges = (0..<ridgeCount).map { ridge in
            let part = Double(ridge) / Double(ridgeCount - 1)
            return ridgeLine(
                width: width, base: (0.5 + 0.42 * part) * Double(height), swing: (0.2 - 0.09 * part) * Double(height),
                &dice)
        }
        let ground = Tone.hsv(hue + dice.next(0...0.2), 0.55, 0.2)
        return try PixelCanvas.draw(width, height, isOpaque: true) { x, y in
            var front = -1
            for ridge in ridges.indices.reversed() where Double(y) >= ridges[ridge][x] {
                front = ridge
                break
            }
            if front >= 0 {
                let part = Double(front + 1) / Double(ridgeCount)
                let depth = Double(y) / Double(height) - 0.42 - 0.42 * Double(front) / Double(ridgeCount - 1)
                // Haze lies in the valleys.
                let tone = horizon.mixed(ground, 0.15 + 0.85 * part)
                return (tone.mixed(horizon, min(0.5, max(0, depth) * 1.8 * (1 - part))), 1)
            }
            let (dx, dy) = (Double(x) - sun.x, Double(y) - sun.y)
            let distance = (dx * dx + dy * dy).squareRoot()
            var tone = zenith.mixed(horizon, Double(y) / Double(height) * 1.5)
            tone = tone.mixed(Tone(1, 0.97, 0.88), 0.6 * exp(-distance / (sunRadius * 4)))
            return (tone.mixed(Tone(1, 0.98, 0.92), PixelCanvas.cover((distance - sunRadius) / 2)), 1)
        }
    }

    /// Its height in each column.
    private static func ridgeLine(width: Int, base: Double, swing: Double, _ dice: inout Dice) -> [Double] {
        let waves = (0..<7).map { octave in
            let scale = Double(1 << octave)
            return (
                frequency: scale * dice.next(1.5...3) / Double(width) * 2 * Double.pi, phase: dice.next(0...6.28),
                height: swing / pow(scale, 0.95)
            )
        }
        return (0..<width).map { x in
            base - waves.reduce(0) { $0 + $1.height * (0.7 - abs(sin(Double(x) * $1.frequency / 2 + $1.phase))) }
        }
    }
}
