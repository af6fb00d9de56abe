extension ImageProcessors {
    /// Rounds the corners, each or only some, and draws a border along the inside if one is given.
    public struct RoundedCorners: ImageProcessor, Hashable {
        public enum Radius: Sendable, Hashable {
            /// Pixels; more than half of the shorter side counts as half.
            case pixels(Double)
            /// Of the shorter side; 0.5 makes the shorter sides half circles.
            case fraction(Double)
        }

        public struct Corners: OptionSet, Sendable, Hashable {
            public let rawValue: Int
            public init(rawValue: Int) { self.rawValue = rawValue }

            public static let topLeft = Corners(rawValue: 1)
            public static let topRight = Corners(rawValue: 2)
            public static let bottomLeft = Corners(rawValue: 4)
            public static let bottomRight = Corners(rawValue: 8)
            public static let all: Corners = [.topLeft, .topRight, .bottomLeft, .bottomRight]
        }

        public var radius: Radius
        public var corners: Corners
        public var border: BorderStroke?

        public init(_ radius: Radius, corners: Corners = .all, border: BorderStroke? = nil) {
            self.radius = radius
            self.corners = corners
            self.border = border
        }

        public var identifier: String {
            var identifier = ProcessorIdentifier("rounded")
            switch radius {
            case .pixels(let value): identifier = identifier.adding("r", value)
            case .fraction(let value): identifier = identifier.adding("f", value)
            }
            identifier = identifier.adding("corners", corners.intersection(.all).rawValue)
            guard let border else { return identifier.text }
            return identifier.adding("bw", border.width).adding("bc", border.color).text
        }

        public func process(_ bitmap: Bitmap) throws -> Bitmap {
            let half = Double(min(bitmap.width, bitmap.height)) / 2
            let wanted: Double
            switch radius {
            case .pixels(let value):
                try Parameter.check(value, "the corner radius", in: 0...1_000_000_000)
                wanted = value
            case .fraction(let value):
                try Parameter.check(value, "the corner radius as a fraction", in: 0...1)
                wanted = value * half * 2
            }
            try border?.check()
            let radius = min(wanted, half)
            func radiusOf(_ corner: Corners) -> Double { corners.contains(corner) ? radius : 0 }
            let shape = RoundedRect(
                left: 0, top: 0, right: Double(bitmap.width), bottom: Double(bitmap.height),
                radii: (
                    radiusOf(.topLeft), radiusOf(.topRight), radiusOf(.bottomLeft), radiusOf(.bottomRight)
                ))
            return try bitmap.clipped(bitmap.size.whole, to: shape, border: border)
        }

        public func outputSize(for size: PixelSize) -> PixelSize? { size }
    }
}

extension ImageProcessor where Self == ImageProcessors.RoundedCorners {
    /// - Parameter radius: pixels.
    /// - Parameter corners: which ones.
    /// - Parameter border: drawn inside the edge.
    public static func roundedCorners(
        radius: Double, corners: ImageProcessors.RoundedCorners.Corners = .all, border: BorderStroke? = nil
    ) -> Self { Self(.pixels(radius), corners: corners, border: border) }

    /// - Parameter fraction: of the shorter side, 0…0.5.
    /// - Parameter corners: which ones.
    /// - Parameter border: drawn inside the edge.
    public static func roundedCorners(
        fraction: Double, corners: ImageProcessors.RoundedCorners.Corners = .all, border: BorderStroke? = nil
    ) -> Self { Self(.fraction(fraction), corners: corners, border: border) }
}
