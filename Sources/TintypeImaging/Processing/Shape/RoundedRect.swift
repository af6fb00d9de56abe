/// A rectangle with round corners, and how much of each pixel lies in it.
///
/// Coverage is a ramp one pixel wide across the outline, which is what the eye takes for a smooth edge; pixels that the
/// outline does not touch have exactly 0 or 1.
struct RoundedRect {
    let left: Double
    let top: Double
    let right: Double
    let bottom: Double
    /// Top left, top right, bottom left, bottom right.
    let radii: (topLeft: Double, topRight: Double, bottomLeft: Double, bottomRight: Double)

    var isEmpty: Bool { left >= right || top >= bottom }

    /// The same outline moved inwards.
    func inset(by distance: Double) -> RoundedRect {
        RoundedRect(
            left: left + distance, top: top + distance, right: right - distance, bottom: bottom - distance,
            radii: (
                max(0, radii.topLeft - distance), max(0, radii.topRight - distance),
                max(0, radii.bottomLeft - distance), max(0, radii.bottomRight - distance)
            ))
    }

    /// What of the pixel in column `x` of row `y` lies inside: 0…1.
    func coverage(x: Int, y: Int) -> Double {
        guard !isEmpty else { return 0 }
        let column = Double(x) + 0.5
        let row = Double(y) + 0.5
        let isLeft = column < (left + right) / 2
        let isTop = row < (top + bottom) / 2
        let radius =
            isTop
            ? (isLeft ? radii.topLeft : radii.topRight) : (isLeft ? radii.bottomLeft : radii.bottomRight)
        // How far outside of the straight edges, negative inside.
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

    /// The pixels of a row that can lie inside at all, and those that certainly do, `inner` within `outer`; what is
    /// between the two must be asked for one by one.
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

    /// Distances from the straight edge at which a row enters the shape, and at which it is wholly within; nil if
    /// it never is.
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
