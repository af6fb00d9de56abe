/// Width and height in pixels.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The size with width and height exchanged, as a rotation by 90° does.
    package var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// Number of pixels; saturates instead of overflowing.
    public var area: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : product
    }

    public var description: String { "\(width)x\(height)" }
}

/// A rectangle in pixels; the origin is the top left corner.
public struct PixelRect: Hashable, Sendable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}

extension PixelSize {
    /// The rectangle that covers an image of this size.
    var whole: PixelRect { PixelRect(x: 0, y: 0, width: width, height: height) }

    /// Places a part that fits; halves are rounded towards the top left.
    func rect(of part: PixelSize, gravity: Gravity) -> PixelRect {
        PixelRect(
            x: Int(Double(width - part.width) * gravity.offset.x),
            y: Int(Double(height - part.height) * gravity.offset.y), width: part.width, height: part.height)
    }

    /// Returns the smallest rectangle around all pixels for which `isIn` is true; nil if there are none.
    @inline(__always)
    func boundingRect(where isIn: (_ x: Int, _ y: Int) -> Bool) -> PixelRect? {
        var (left, right, top, bottom) = (width, -1, -1, -1)
        for y in 0..<height {
            var first = 0
            while first < width, !isIn(first, y) { first &+= 1 }
            if first == width { continue }
            if top < 0 { top = y }
            bottom = y
            left = min(left, first)
            // Columns left of the known right edge change nothing.
            var last = width - 1
            while last > max(right, first), !isIn(last, y) { last &-= 1 }
            right = max(right, last)
        }
        return top < 0 ? nil : PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }
}

extension PixelRect {
    var size: PixelSize { PixelSize(width: width, height: height) }

    package var isEmpty: Bool { width <= 0 || height <= 0 }

    package func covers(_ size: PixelSize) -> Bool {
        x <= 0 && y <= 0 && x + width >= size.width && y + height >= size.height
    }

    package func contains(_ other: PixelRect) -> Bool {
        other.x >= x && other.y >= y && other.x + other.width <= x + width && other.y + other.height <= y + height
    }

    /// Returns the part within an image of this size, for coordinates of any magnitude. An empty part keeps a position
    /// within the image.
    package func clipped(to size: PixelSize) -> PixelRect {
        func end(_ start: Int, _ length: Int) -> Int {
            let (sum, overflow) = start.addingReportingOverflow(length)
            return overflow ? .max : sum
        }
        let left = min(max(x, 0), size.width)
        let top = min(max(y, 0), size.height)
        let right = min(max(end(x, width), left), size.width)
        let bottom = min(max(end(y, height), top), size.height)
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Returns the smallest rectangle that holds both.
    func union(_ other: PixelRect) -> PixelRect {
        let (left, top) = (min(x, other.x), min(y, other.y))
        let right = max(x + width, other.x + other.width)
        let bottom = max(y + height, other.y + other.height)
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}
