import Tintype
import TintypeBase

/// An image of a whole list: one card for each row, with icon, name and download count.
package struct ContactSheet {
    package struct Row {
        let name: String
        let downloads: String
        let icon: Bitmap?

        /// - Parameter icon: nil shows the placeholder.
        package init(name: String, downloads: String, icon: Bitmap?) {
            self.name = name
            self.downloads = downloads
            self.icon = icon
        }
    }

    package static let iconSide = 96
    private static let columns = 4
    private static let (cardWidth, cardHeight, gap) = (376, 132, 20)
    private static let (margin, header) = (40, 128)

    private let title: String
    private let subtitle: String
    private let rows: [Row]

    package init(title: String, subtitle: String, rows: [Row]) {
        self.title = title
        self.subtitle = subtitle
        self.rows = rows
    }

    /// Returns the image.
    package func drawn() throws -> Bitmap {
        let lines = (rows.count + Self.columns - 1) / Self.columns
        var canvas = Canvas(
            width: 2 * Self.margin + Self.columns * (Self.cardWidth + Self.gap) - Self.gap,
            height: Self.header + lines * (Self.cardHeight + Self.gap) - Self.gap + Self.margin,
            colour: Canvas.colour(0xF3F1EC))
        let left = Double(Self.margin)
        canvas.write(title, x: left, baseline: 70, capitals: 30, weight: 4.6, colour: Canvas.colour(0x2B2622))
        canvas.write(subtitle, x: left, baseline: 102, capitals: 12, weight: 1.7, colour: Canvas.colour(0x8A8178))
        for (index, row) in rows.enumerated() {
            draw(
                row, on: &canvas, x: Self.margin + index % Self.columns * (Self.cardWidth + Self.gap),
                y: Self.header + index / Self.columns * (Self.cardHeight + Self.gap))
        }
        return try canvas.bitmap()
    }

    private func draw(_ row: Row, on canvas: inout Canvas, x: Int, y: Int) {
        let (left, top) = (Double(x), Double(y))
        let (width, height) = (Double(Self.cardWidth), Double(Self.cardHeight))
        canvas.fill(
            x: left + 4, y: top + 8, width: width - 8, height: height - 6, radius: 18, colour: Canvas.colour(0x5A4632),
            opacity: 0.16, softness: 9)
        canvas.fill(x: left, y: top, width: width, height: height, radius: 18, colour: Canvas.colour(0xFFFFFF))
        let inset = (Self.cardHeight - Self.iconSide) / 2
        if let icon = row.icon.map(ContactSheet.rounded) {
            canvas.draw(
                icon, x: x + inset + (Self.iconSide - icon.width) / 2, y: y + inset + (Self.iconSide - icon.height) / 2)
        } else {
            drawPlaceholder(on: &canvas, x: left + Double(inset), y: top + Double(inset))
        }
        let text = left + Double(inset + Self.iconSide + 20)
        canvas.write(
            row.name, x: text, baseline: top + 62, capitals: 16, weight: 2.5, colour: Canvas.colour(0x2B2622))
        canvas.write(
            row.downloads + " downloads", x: text, baseline: top + 91, capitals: 12, weight: 1.6,
            colour: Canvas.colour(0x8A8178))
    }

    /// Rounds the corners of icons without transparency; the others are drawn with round corners.
    private static func rounded(_ icon: Bitmap) -> Bitmap {
        guard icon.isOpaque else { return icon }
        do {
            return try (.roundedCorners(fraction: 0.225) as StandardProcessor).process(icon)
        } catch {
            return icon
        }
    }

    /// Draws the placeholder of an image that failed to load: hills under a sun, in grey, struck through.
    private func drawPlaceholder(on canvas: inout Canvas, x: Double, y: Double) {
        let side = Double(Self.iconSide)
        canvas.fill(x: x, y: y, width: side, height: side, radius: 21, colour: Canvas.colour(0xE7E3DC))
        let ink = Canvas.colour(0xB4ACA1)
        for (inset, colour) in [(22.0, ink), (26.0, Canvas.colour(0xE7E3DC))] {
            canvas.fill(
                x: x + inset, y: y + inset + 4, width: side - 2 * inset, height: side - 2 * inset - 8, radius: 8,
                colour: colour)
        }
        canvas.fill(x: x + 33, y: y + 37, width: 10, height: 10, radius: 5, colour: ink)
        for step in 0..<22 {
            let rise = Double(11 - abs(step - 11))
            canvas.fill(
                x: x + 36 + Double(step) * 1.4, y: y + 64 - rise * 1.5, width: 2, height: rise * 1.5, radius: 0,
                colour: ink)
        }
        for step in 0..<52 {
            let along = Double(step)
            canvas.fill(
                x: x + 21 + along, y: y + 72 - along, width: 5, height: 5, radius: 2.5, colour: Canvas.colour(0xD4776A))
        }
    }
}
