#if SVG
    /// How many segments a shape's outline has and how long it is at most, in the units of the shape: what strokes with
    /// dashes and the edges of areas cost.
    struct SVGOutline {
        var segmentCount = 0.0
        var length = 0.0
        private var (wide, high) = (0.0, 0.0)
        private var (left, right, top, bottom) = (Double.infinity, -Double.infinity, Double.infinity, -Double.infinity)

        /// Seconds that drawing takes at any size, beyond what outlines of the usual kind take.
        ///
        /// Cairo keeps the edges that cross a line of pixels in order, and orders them anew wherever two of them cross;
        /// and it divides curves that are far larger than the drawing into pieces of a pixel.
        var extraSeconds: Double {
            let across = wide / max(right - left, .leastNormalMagnitude)
            let down = high / max(bottom - top, .leastNormalMagnitude)
            let crossings = right > left && bottom > top ? across * down : 0
            let edges = bottom > top ? down : 0
            let curve = length > 1e6 ? (length * 10).squareRoot() * 2e-7 : 0
            return max(0, crossings - 3e4) * 3e-6 + max(0, edges - 1000) * 2e-4 + curve
        }

        init() {}

        /// From the data of a path (SVG 2, §9.3). Curves are no longer than the lines between their points, arcs no longer
        /// than the ellipse.
        init(path data: some Sequence<UInt8>) {
            var reader = SVGNumberReader(data)
            var (x, y, startX, startY) = (0.0, 0.0, 0.0, 0.0)
            var command: UInt8 = 0
            while true {
                if let letter = reader.letter() {
                    command = letter
                    if letter | 32 == UInt8(ascii: "z") {
                        add(startX - x, startY - y)
                        (x, y) = (startX, startY)
                        continue
                    }
                }
                let isRelative = command & 32 != 0
                let (baseX, baseY) = isRelative ? (x, y) : (0, 0)
                switch command | 32 {
                case UInt8(ascii: "h"):
                    guard let next = reader.number() else { return }
                    add(baseX + next - x, 0)
                    x = baseX + next
                    see(x, y)
                case UInt8(ascii: "v"):
                    guard let next = reader.number() else { return }
                    add(0, baseY + next - y)
                    y = baseY + next
                    see(x, y)
                case UInt8(ascii: "a"):
                    guard let radiusX = reader.number(), let radiusY = reader.number(), reader.number() != nil,
                        reader.flag() != nil, reader.flag() != nil, let nextX = reader.number(),
                        let nextY = reader.number()
                    else { return }
                    // Radii that are too small grow to half of the distance.
                    add(baseX + nextX - x, baseY + nextY - y)
                    length += 4 * (abs(radiusX) + abs(radiusY))
                    segmentCount += 7
                    (x, y) = (baseX + nextX, baseY + nextY)
                    see(x, y)
                case UInt8(ascii: "m"), UInt8(ascii: "l"), UInt8(ascii: "t"), UInt8(ascii: "s"), UInt8(ascii: "q"),
                    UInt8(ascii: "c"):
                    let pointCount =
                        switch command | 32 {
                        case UInt8(ascii: "c"): 3
                        case UInt8(ascii: "s"), UInt8(ascii: "q"): 2
                        default: 1
                        }
                    for _ in 0..<pointCount {
                        guard let nextX = reader.number(), let nextY = reader.number() else { return }
                        if command | 32 != UInt8(ascii: "m") { add(baseX + nextX - x, baseY + nextY - y) }
                        (x, y) = (baseX + nextX, baseY + nextY)
                        see(x, y)
                    }
                    // A curve is drawn as some lines.
                    if pointCount > 1 { segmentCount += 6 }
                    if command | 32 == UInt8(ascii: "m") {
                        (startX, startY) = (x, y)
                        // More points are lines.
                        command = isRelative ? UInt8(ascii: "l") : UInt8(ascii: "L")
                    }
                default: return
                }
            }
        }

        /// From the points of a polygon.
        init(points data: some Sequence<UInt8>) {
            var reader = SVGNumberReader(data)
            var last: (x: Double, y: Double)?
            while let x = reader.number(), let y = reader.number() {
                if let last { add(x - last.x, y - last.y) }
                last = (x, y)
                see(x, y)
            }
        }

        private mutating func see(_ x: Double, _ y: Double) {
            (left, right) = (min(left, x), max(right, x))
            (top, bottom) = (min(top, y), max(bottom, y))
        }

        private mutating func add(_ x: Double, _ y: Double) {
            segmentCount += 1
            wide += abs(x)
            high += abs(y)
            let distance = abs(x) + abs(y)
            length += distance.isFinite ? distance : .greatestFiniteMagnitude
        }
    }

    /// Numbers as SVG writes them, with or without something between them.
    struct SVGNumberReader {
        private let bytes: [UInt8]
        private var position = 0

        init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

        private var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

        private mutating func skipSeparators() {
            while position < bytes.count, bytes[position] <= 0x20 || bytes[position] == UInt8(ascii: ",") {
                position += 1
            }
        }

        /// A command, if one comes next.
        mutating func letter() -> UInt8? {
            skipSeparators()
            guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 32) else { return nil }
            defer { position += 1 }
            return byte
        }

        /// 0 or 1, which need nothing behind them.
        mutating func flag() -> Bool? {
            skipSeparators()
            guard byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else { return nil }
            defer { position += 1 }
            return byte == UInt8(ascii: "1")
        }

        mutating func number() -> Double? {
            skipSeparators()
            let isNegative = byte == UInt8(ascii: "-")
            if isNegative || byte == UInt8(ascii: "+") { position += 1 }
            var (value, scale, digitCount) = (0.0, 1.0, 0)
            var isFraction = false
            while true {
                if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                    value = value * 10 + Double(byte - UInt8(ascii: "0"))
                    if isFraction { scale *= 10 }
                    digitCount += 1
                } else if byte == UInt8(ascii: "."), !isFraction {
                    isFraction = true
                } else {
                    break
                }
                position += 1
            }
            guard digitCount > 0 else { return nil }
            value /= scale
            if byte | 32 == UInt8(ascii: "e"), let power = exponent() { value *= Self.powerOfTen(power) }
            return isNegative ? -value : value
        }

        /// `e` may begin a unit instead, `em` or `ex`.
        private mutating func exponent() -> Int? {
            let start = position
            position += 1
            let isNegative = byte == UInt8(ascii: "-")
            if isNegative || byte == UInt8(ascii: "+") { position += 1 }
            var (value, digitCount) = (0, 0)
            while byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                value = min(value * 10 + Int(byte - UInt8(ascii: "0")), 999)
                digitCount += 1
                position += 1
            }
            guard digitCount > 0 else {
                position = start
                return nil
            }
            return isNegative ? -value : value
        }

        private static func powerOfTen(_ power: Int) -> Double {
            var result = 1.0
            for _ in 0..<min(abs(power), 320) { result *= 10 }
            return power < 0 ? 1 / result : result
        }

        var isAtEnd: Bool {
            mutating get {
                skipSeparators()
                return position >= bytes.count
            }
        }

        /// Steps over what is no number, such as a unit; false at the end.
        mutating func skipWord() -> Bool {
            skipSeparators()
            guard position < bytes.count else { return false }
            while position < bytes.count, bytes[position] > 0x20, bytes[position] != UInt8(ascii: ",") { position += 1 }
            return true
        }
    }
#endif
