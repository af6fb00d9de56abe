/// A rectangle with round corners that knows how much of each pixel it covers.
///
/// Coverage is a ramp one pixel wide across the outline, which looks like a smooth edge; pixels that the outline does
/// not touch have exactly 0 or 1.
struct RoundedRect {
    let left: Double
    let top: Double
    let right: Double
    let bottom: Double
    /// Top left, top right, bottom left, bottom right.
    let radii: (topLeft: Double, topRight: Double, bottomLeft: Double, bottomRight: Double)

    /// The outline of an image.
    init(_ size: PixelSize, radii: (topLeft: Double, topRight: Double, bottomLeft: Double, bottomRight: Double)) {
        self.init(left: 0, top: 0, right: Double(size.width), bottom: Double(size.height), radii: radii)
    }

    init(
        left: Double, top: Double, right: Double, bottom: Double,
        radii: (topLeft: Double, topRight: Double, bottomLeft: Double, bottomRight: Double)
    ) {
        (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
        self.radii = radii
    }

    var isEmpty: Bool { left >= right || top >= bottom }

    /// Returns the outline moved inwards.
    func inset(by distance: Double) -> RoundedRect {
        RoundedRect(
            left: left + distance, top: top + distance, right: right - distance, bottom: bottom - distance,
            radii: (
                max(0, radii.topLeft - distance), max(0, radii.topRight - distance),
                max(0, radii.bottomLeft - distance), max(0, radii.bottomRight - distance)
            ))
    }

    /// Returns the part of the pixel in column `x` of row `y` that lies inside: 0…1.
    func coverage(x: Int, y: Int) -> Double {
        guard !isEmpty else { return 0 }
        let column = Double(x) + 0.5
        let row = Double(y) + 0.5
        let isLeft = column < (left + right) / 2
        let isTop = row < (top + bottom) / 2
        let radius =
            isTop
            ? (isLeft ? radii.topLeft : radii.topRight) : (isLeft ? radii.bottomLeft : radii.bottomRight)
        // Distances outside of the straight edges, negative inside.
        let horizontal = isLeft ? left - column : column - right
        let vertical = isTop ? top - row : row - bottom
        let fromCenter = (horizontal + radius, vertical + radius)
        guard fromCenter.0 > 0, fromCenter.1 > 0 else {
            return clamped(0.5 - horizontal) * clamped(0.5 - vertical)
        }
        if radius == 0 { return clamped(0.5 - horizontal) * clamped(0.5 - vertical) }
        let distance = (fromCenter.0 * fromCenter.0 + fromCenter.1 * fromCenter.1).squareRoot() - radius
        return clamped(0.5 - distance)
    }

    private func clamped(_ value: Double) -> Double { min(max(value, 0), 1) }

    /// Returns the pixels of a row that may lie inside, and within them those that certainly do. `coverage` tells for
    /// each of the others.
    func spans(row y: Int, width: Int) -> (outer: Range<Int>, inner: Range<Int>) {
        let row = Double(y) + 0.5
        guard !isEmpty, row > top - 0.5, row < bottom + 0.5 else { return (0..<0, 0..<0) }
        let start = edge(row: row, topRadius: radii.topLeft, bottomRadius: radii.bottomLeft)
        let end = edge(row: row, topRadius: radii.topRight, bottomRadius: radii.bottomRight)
        let outerStart = clampedColumn((left + start.outer - 1).rounded(.down), width)
        let outerEnd = max(outerStart, clampedColumn((right - end.outer + 1).rounded(.up), width))
        let isWhole = row - top >= 0.5 && bottom - row >= 0.5
        guard isWhole, let innerStart = start.inner, let innerEnd = end.inner else {
            return (outerStart..<outerEnd, outerStart..<outerStart)
        }
        let first = min(max(clampedColumn((left + innerStart).rounded(.up), width), outerStart), outerEnd)
        let last = min(max(clampedColumn((right - innerEnd).rounded(.down), width), first), outerEnd)
        return (outerStart..<outerEnd, first..<last)
    }

    /// Returns the distances from the straight edge at which a row enters the shape and from which on it is wholly
    /// inside; nil if it never is.
    private func edge(row: Double, topRadius: Double, bottomRadius: Double) -> (outer: Double, inner: Double?) {
        let (radius, depth) =
            row - top < bottom - row
            ? (topRadius, topRadius - (row - top)) : (bottomRadius, bottomRadius - (bottom - row))
        guard depth > 0 else { return (0, 1) }
        let outer = radius + 1
        let outerReach = (max(0, outer * outer - depth * depth)).squareRoot()
        let inner = radius - 1
        guard inner > depth else { return (radius - outerReach, nil) }
        return (radius - outerReach, radius - (inner * inner - depth * depth).squareRoot() + 1)
    }

    private func clampedColumn(_ column: Double, _ width: Int) -> Int { Int(min(max(column, 0), Double(width))) }
}
