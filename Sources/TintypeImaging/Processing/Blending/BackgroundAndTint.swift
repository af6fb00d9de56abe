extension ImageProcessors {
    struct Background: SizePreservingProcessor {
        var color: PixelColor

        var identifier: String { ProcessorIdentifier("background").adding("c", color).text }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
            if bitmap.isOpaque { return bitmap }
            let ground = color.premultiplied
            return try bitmap.mappingRows(isOpaque: color.alpha == 255) { _, input, output in
                for index in 0..<bitmap.width {
                    let pixel = input + index * 4
                    let rest = 255 - pixel[3]
                    for channel in 0..<4 {
                        output[index * 4 + channel] = pixel[channel] + multiply(ground[channel], rest)
                    }
                }
            }
        }
    }

    struct Tint: SizePreservingProcessor {
        var color: PixelColor
        var mode = BlendMode.sourceAtop

        var identifier: String { ProcessorIdentifier("tint").adding("c", color).adding("mode", mode).text }

        func process(_ bitmap: Bitmap) throws -> Bitmap {
            let strength = Double(color.alpha) / 255
            let rgb = SIMD3(Double(color.red), Double(color.green), Double(color.blue)) / 255
            if mode == .sourceAtop {
                // Linear in the image's colours, so the faster matrix does the same.
                return try ColorMatrix(
                    red: SIMD3(1 - strength, 0, 0), green: SIMD3(0, 1 - strength, 0), blue: SIMD3(0, 0, 1 - strength),
                    offset: rgb * strength
                ).apply(to: bitmap)
            }
            let source = SIMD4<Float>(SIMD4(rgb * strength, strength))
            return try bitmap.blended(mode, coversAll: color.alpha == 255) { _, row in
                for x in row.indices { row[x] = source }
            }
        }
    }
}
