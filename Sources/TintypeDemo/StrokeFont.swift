import TintypeBase

/// The font of the contact sheet: each glyph is a few pen strokes with round ends.
///
/// In glyph units the capitals reach from y = 0 down to the baseline at y = 10; small letters start at 3.4, and
/// descenders end at 13.
enum StrokeFont {
    struct Segment: Equatable {
        var x0: Double, y0: Double, x1: Double, y1: Double
    }

    struct Glyph {
        var width: Double
        var segments: [Segment]
    }

    static let capitalHeight = 10.0
    private static let gap = 2.3
    private static let space = 3.8

    private static let parsed: [Character: Glyph] = glyphs.mapValues { Glyph(width: $0.0, segments: segments($0.1)) }
    private static let unknown = Glyph(width: 5, segments: segments("M0 0 L5 0 L5 10 L0 10 L0 0"))

    /// The strokes of a line of text whose capitals are `height` pixels high, and its width.
    static func layout(_ text: String, height: Double) -> (segments: [Segment], width: Double) {
        let scale = height / capitalHeight
        var x = 0.0
        var all: [Segment] = []
        for character in text {
            if character == " " {
                x += space
                continue
            }
            let glyph = parsed[character] ?? unknown
            all += glyph.segments.map {
                Segment(
                    x0: (x + $0.x0) * scale, y0: $0.y0 * scale, x1: (x + $0.x1) * scale, y1: $0.y1 * scale)
            }
            x += glyph.width + gap
        }
        return (all, max(0, x - gap) * scale)
    }

    /// M: move, L: line, D: dot, O: ellipse (centre, radii), A: arc (centre, radii, angles in degrees, clockwise from
    /// the right), Q: quadratic curve.
    static func segments(_ path: String) -> [Segment] {
        var result: [Segment] = []
        var position: (x: Double, y: Double)?
        func line(to x: Double, _ y: Double) {
            if let position { result.append(Segment(x0: position.x, y0: position.y, x1: x, y1: y)) }
            position = (x, y)
        }
        for (command, n) in commands(path) {
            switch (command, n.count) {
            case ("M", 2): position = (n[0], n[1])
            case ("L", 2): line(to: n[0], n[1])
            case ("D", 2):
                position = (n[0], n[1])
                line(to: n[0], n[1])
            case ("O", 4), ("A", 6):
                let (from, to) = command == "O" ? (0.0, 360.0) : (n[4], n[5])
                if command == "O" { position = nil }
                let steps = max(4, Int(abs(to - from) / 9))
                for step in 0...steps {
                    let angle = (from + (to - from) * Double(step) / Double(steps)) * .pi / 180
                    line(to: n[0] + n[2] * cos(angle), n[1] + n[3] * sin(angle))
                }
            case ("Q", 4):
                guard let start = position else { continue }
                for step in 1...10 {
                    let t = Double(step) / 10
                    let (a, b, c) = ((1 - t) * (1 - t), 2 * t * (1 - t), t * t)
                    line(to: a * start.x + b * n[0] + c * n[2], a * start.y + b * n[1] + c * n[3])
                }
            default: break
            }
        }
        return result
    }

    private static func commands(_ path: String) -> [(Character, [Double])] {
        var result: [(Character, [Double])] = []
        for word in path.split(separator: " ") {
            if let first = word.first, first.isLetter {
                result.append((first, []))
                if let number = Double(word.dropFirst()) { result[result.count - 1].1.append(number) }
            } else if let number = Double(word), !result.isEmpty {
                result[result.count - 1].1.append(number)
            }
        }
        return result
    }
}
