extension ImageProcessors {
    struct Circle: ImageProcessor {
        var border: BorderStroke?

        var identifier: String { ProcessorIdentifier("circle").adding(border).text }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
            try border?.check()
            let side = min(bitmap.width, bitmap.height)
            let square = bitmap.size.rect(of: PixelSize(width: side, height: side), gravity: .center)
            let radius = Double(side) / 2
            let shape = RoundedRect(square.size, radii: (radius, radius, radius, radius))
            return try bitmap.clipped(square, to: shape, border: border)
        }

        func outputSize(for size: PixelSize) -> PixelSize? {
            let side = min(size.width, size.height)
            return PixelSize(width: side, height: side)
        }
    }

    struct Border: ImageProcessor {
        var stroke: BorderStroke
        var position = StandardProcessor.BorderPosition.inside

        var identifier: String {
            ProcessorIdentifier("border").adding("w", stroke.width).adding("c", stroke.color)
                .adding("at", position).text
        }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
            try stroke.check()
            guard position == .outside else {
                let shape = RoundedRect(bitmap.size, radii: (0, 0, 0, 0))
                return try bitmap.clipped(bitmap.size.whole, to: shape, border: stroke)
            }
            let width = Int(stroke.width.rounded())
            return try Pad(space: .insets(top: width, left: width, bottom: width, right: width), color: stroke.color)
                .process(bitmap)
        }

        func outputSize(for size: PixelSize) -> PixelSize? {
            guard position == .outside, (0...10_000).contains(stroke.width) else { return size }
            let width = Int(stroke.width.rounded())
            return PixelSize(width: size.width + 2 * width, height: size.height + 2 * width)
        }
    }

    struct RoundedCorners: SizePreservingProcessor {
        enum Radius {
            case pixels(Double)
            /// Of the shorter side.
            case fraction(Double)
        }

        var radius: Radius
        var corners = StandardProcessor.Corners.all
        var border: BorderStroke?

        var identifier: String {
            var identifier = ProcessorIdentifier("rounded")
            switch radius {
            case .pixels(let value): identifier = identifier.adding("r", value)
            case .fraction(let value): identifier = identifier.adding("f", value)
            }
            return identifier.adding("corners", corners.intersection(.all).rawValue).adding(border).text
        }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
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
            func radiusOf(_ corner: StandardProcessor.Corners) -> Double { corners.contains(corner) ? radius : 0 }
            let shape = RoundedRect(
                bitmap.size,
                radii: (radiusOf(.topLeft), radiusOf(.topRight), radiusOf(.bottomLeft), radiusOf(.bottomRight)))
            return try bitmap.clipped(bitmap.size.whole, to: shape, border: border)
        }
    }
}
