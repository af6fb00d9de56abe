extension ImageProcessors {
    struct Overlay: SizePreservingProcessor {
        var bitmap: Bitmap
        let id: String
        var gravity = Gravity.center
        var offset = (x: 0, y: 0)
        var mode = BlendMode.normal
        var opacity = 1.0

        var identifier: String {
            ProcessorIdentifier("overlay").adding("id", text: id).adding("gravity", gravity).adding("x", offset.x)
                .adding("y", offset.y).adding("mode", mode).adding("opacity", opacity).text
        }

        func process(_ image: Bitmap) throws -> Bitmap {
            try Parameter.check(opacity, "the opacity", in: 0...1)
            try Parameter.check(Double(offset.x), "the horizontal offset", in: -1e9...1e9)
            try Parameter.check(Double(offset.y), "the vertical offset", in: -1e9...1e9)
            let left = Int((Double(image.width - bitmap.width) * gravity.offset.x).rounded(.down)) + offset.x
            let top = Int((Double(image.height - bitmap.height) * gravity.offset.y).rounded(.down)) + offset.y
            let strength = Float(opacity) / 255
            let part = PixelRect(x: left, y: top, width: bitmap.width, height: bitmap.height).clipped(to: image.size)
            return try bitmap.withUnsafeBytes { overlay in
                try image.blended(mode, part: part) { y, row in
                    let line = y - top
                    for x in row.indices {
                        let column = x - left
                        guard line >= 0, line < bitmap.height, column >= 0, column < bitmap.width else {
                            row[x] = .zero
                            continue
                        }
                        let at = line * bitmap.bytesPerRow + column * 4
                        row[x] =
                            SIMD4(
                                Float(overlay[at]), Float(overlay[at + 1]), Float(overlay[at + 2]),
                                Float(overlay[at + 3])) * strength
                    }
                }
            }
        }
    }
}
