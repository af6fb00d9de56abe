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
#endif
