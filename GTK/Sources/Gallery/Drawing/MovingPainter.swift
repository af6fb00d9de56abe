import Tintype

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Animations that loop seamlessly.
enum MovingPainter {
    static let side = 160
    private static let frameCount = 24

    static func frames(_ number: Int) throws -> [EncodableFrame] {
        var dice = Dice(number + 5_000)
        let hue = dice.next()
        let duration = dice.next(0.04...0.09)
        return try (0..<frameCount).map { frame in
            let time = Double(frame) / Double(frameCount)
            let bitmap = try draw(number % 4, time, hue)
            return EncodableFrame(bitmap: bitmap, duration: (duration * 100).rounded() / 100)
        }
    }

    private static func draw(_ scene: Int, _ time: Double, _ hue: Double) throws -> Bitmap {
        let back = Tone.hsv(hue, 0.55, 0.22)
        let bright = Tone.hsv(hue + 0.12, 0.6, 1)
        let other = Tone.hsv(hue + 0.5, 0.55, 0.95)
        let half = Double(side) / 2
        let turn = time * 2 * Double.pi
        return try PixelCanvas.draw(side, side, isOpaque: true) { px, py in
            let (x, y) = (Double(px) + 0.5 - half, Double(py) + 0.5 - half)
            var tone = back.mixed(back * 1.6, 0.5 - y / Double(side))
            switch scene {
            case 0:  // planets
                tone = tone.mixed(other, PixelCanvas.cover(PixelCanvas.disc(x, y, 15)))
                for planet in 0..<3 {
                    let radius = 30 + Double(planet) * 17
                    let angle = turn * Double(3 - planet) + Double(planet) * 2
                    tone = tone.mixed(bright, 0.18 * PixelCanvas.cover(abs(PixelCanvas.disc(x, y, radius)) - 0.6))
                    let (cx, cy) = (cos(angle) * radius, sin(angle) * radius)
                    let size = 9 - Double(planet) * 1.5
                    tone = tone.mixed(bright, PixelCanvas.cover(PixelCanvas.disc(x - cx, y - cy, size)))
                }
            case 1:  // waves
                for wave in 0..<4 {
                    let level = -30 + Double(wave) * 24 + 10 * sin(x / 22 + turn + Double(wave) * 1.3)
                    let layer = bright.mixed(other, Double(wave) / 3) * (1 - 0.15 * Double(wave))
                    tone = tone.mixed(layer, PixelCanvas.cover(level - y) * 0.85)
                }
            case 2:  // a ball
                let height = abs(cos(turn / 2 * 2)) * 74
                let squash = height < 8 ? 1 - (8 - height) / 30 : 1
                let shadow = PixelCanvas.disc(x / 1.6, (y - 58) * 3, 22 - height / 6)
                tone = tone.mixed(back * 0.4, 0.7 * PixelCanvas.cover(shadow / 4))
                let ball = PixelCanvas.disc(x * squash, (y - 36 + height) / squash, 21)
                let light = PixelCanvas.disc(x + 8, y - 28 + height, 16) / 22
                tone = tone.mixed(bright.mixed(other, 0.5 + light), PixelCanvas.cover(ball))
            default:  // radar
                let angle = atan2(y, x) / (2 * Double.pi)
                let age = (time - angle + 2).truncatingRemainder(dividingBy: 1)
                let inside = PixelCanvas.cover(PixelCanvas.disc(x, y, 64))
                tone = tone.mixed(bright, inside * (0.12 + 0.8 * pow(1 - age, 4)))
                for ring in 1...3 {
                    tone = tone.mixed(
                        other, 0.5 * PixelCanvas.cover(abs(PixelCanvas.disc(x, y, Double(ring) * 21)) - 0.8))
                }
            }
            return (tone, 1)
        }
    }
}
