@testable import TintypeImaging

/// Every processor on one image, on a sheet for people to look at.
enum ProcessorContactSheet {
    /// A landscape made in code: sky, sun, hills, a fence with hard edges, and a field of fine lines.
    static func image() throws -> Bitmap {
        try TestImages.make(width: 240, height: 160, isOpaque: true) { x, y in
            let (dx, dy) = (x - 180, y - 45)
            if dx * dx + dy * dy < 26 * 26 { return (255, 220, 90, 255) }
            let far = 95 + Int(12 * wave(Double(x) / 34)) - x / 12
            let near = 120 + Int(16 * wave(Double(x) / 55 + 2))
            if y > 128, x % 24 < 8, y < 154 { return (235, 232, 225, 255) }
            if y > near {
                let line = (x * 2 + y * 3) % 5 == 0 ? 40 : 0
                return (UInt8(60 + line), UInt8(130 + line - (y - near)), 50, 255)
            }
            if y > far { return (UInt8(90 - (y - far) / 2), 120, UInt8(110 + (y - far) / 2), 255) }
            return (UInt8(90 + y), UInt8(150 + y * 2 / 3), UInt8(min(255, 225 + y / 4)), 255)
        }
    }

    /// Enough of a sine for hills.
    private static func wave(_ x: Double) -> Double {
        let turn = x / 6.283185 - (x / 6.283185).rounded(.down)
        return turn < 0.5 ? 16 * turn * (0.5 - turn) : -16 * (turn - 0.5) * (1 - turn)
    }

    static func processors() throws -> [any ImageProcessor] {
        let symbol = try ImageProcessors.Circle().process(
            try TestImages.constant((255, 255, 255, 255), width: 60, height: 60))
        let blue = PixelColor(rgb: 0x2060E0)
        var all: [any ImageProcessor] = [
            .custom(id: "original") { $0 },
            .resize(width: 120), .resize(width: 120, height: 120, fit: .cover),
            .resize(width: 120, height: 120, fit: .cover, gravity: .attention),
            .resize(width: 120, height: 120, fit: .fill), .resize(width: 30, filter: .nearest),
            .compose([.resize(width: 40), .resize(width: 200, filter: .nearest)]),
            .compose([.resize(width: 40), .resize(width: 200, filter: .mitchell)]),
            .crop(x: 130, y: 10, width: 100, height: 80), .circle(),
            .circle(border: BorderStroke(width: 6, color: .white)), .roundedCorners(radius: 30),
            .roundedCorners(
                fraction: 0.3, corners: [.topLeft, .bottomRight], border: BorderStroke(width: 4, color: blue)),
            .border(width: 8, color: PixelColor(rgb: 0, alpha: 0.5)),
            .border(width: 8, color: blue, position: .outside), .rotate(degrees: 90),
            .rotate(degrees: 15), .rotate(degrees: -30, background: blue, fitsCanvas: false), .flip(.horizontal),
            .flip(.vertical), .blur(sigma: 2), .blur(sigma: 8), .blur(sigma: 40), .sharpen(amount: 1.5, sigma: 1.5),
            .tint(PixelColor(rgb: 0xE02020, alpha: 0.4)), .tint(blue, mode: .color), .tint(blue, mode: .multiply),
            .tint(blue, mode: .screen), .tint(blue, mode: .overlay), .tint(blue, mode: .difference),
            .overlay(symbol, id: "dot", gravity: .bottomRight, offset: (-8, -8), opacity: 0.7),
            .overlay(symbol, id: "dot", mode: .destinationIn), .overlay(symbol, id: "dot", mode: .destinationOut),
            .overlay(symbol, id: "dot", mode: .softLight), .colorControls(brightness: 0.2),
            .colorControls(contrast: 1.6), .colorControls(saturation: 2), .grayscale(), .sepia(),
            .pad(20, color: blue), .compose([.circle(), .pad(toWidth: 200, height: 160, gravity: .right)]),
            .compose([.circle(), .background(blue)]), .compose([.pad(30, color: .white), .trim()]),
        ]
        all.append(.custom(id: "blurhash") { try BlurHash(encoding: $0).bitmap(width: 240, height: 160) })
        all.append(
            .compose([
                .custom(id: "thumbhash") { try ThumbHash(encoding: $0).bitmap() },
                .resize(width: 240, filter: .mitchell),
            ]))
        all.append(
            .custom(id: "dominant") { bitmap in
                let color = try bitmap.dominantColor() ?? .clear
                return try TestImages.constant((color.red, color.green, color.blue, 255), width: 80, height: 80)
            })
        return all
    }

    /// The sheet, eight to a row on a chequered ground, and what is where.
    static func make() throws -> (sheet: Bitmap, legend: String) {
        let image = try image()
        let processors = try processors()
        let (cell, columns) = (PixelSize(width: 264, height: 264), 8)
        let rows = (processors.count + columns - 1) / columns
        var legend = ""
        let cells = try processors.enumerated().map { index, processor -> Bitmap in
            var result = try processor.process(image)
            if result.width > 256 || result.height > 256 {
                result = try result.resized(to: ResizeTarget(width: 256, height: 256))
            }
            legend += "row \(index / columns + 1), column \(index % columns + 1): \(processor.identifier)\n"
            return try ImageProcessors.Pad(space: .box(cell, .center)).process(result)
        }
        // Laid over the ground by hand: quicker than the processors, which must not be what is judged here.
        let sheet = try TestImages.make(width: cell.width * columns, height: cell.height * rows, isOpaque: true) {
            x, y in
            let ground: UInt8 = (x / 8 + y / 8) % 2 == 0 ? 200 : 170
            let index = y / cell.height * columns + x / cell.width
            guard index < cells.count else { return (ground, ground, ground, 255) }
            let pixel = cells[index][x: x % cell.width, y: y % cell.height]
            let rest = UInt8(Int(ground) * (255 - Int(pixel.alpha)) / 255)
            return (pixel.red + rest, pixel.green + rest, pixel.blue + rest, 255)
        }
        return (sheet, legend)
    }
}
