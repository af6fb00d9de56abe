import TintypeImaging

/// Bitmaps as text, one letter a pixel, so that a failed expectation can be read.
///
/// R, G, B, W, K: opaque red, green, blue, white, black; `.` transparent; `?` anything else.
func image(_ bitmap: Bitmap) -> [String] {
    (0..<bitmap.height).map { y in
        String(
            (0..<bitmap.width).map { x in
                switch bitmap[x: x, y: y] {
                case (255, 0, 0, 255): "R"
                case (0, 255, 0, 255): "G"
                case (0, 0, 255, 255): "B"
                case (255, 255, 255, 255): "W"
                case (0, 0, 0, 255): "K"
                case (0, 0, 0, 0): "."
                default: "?"
                }
            })
    }
}

extension Bitmap {
    /// All pixels as numbers 0xRRGGBBAA, row by row.
    var words: [UInt32] {
        (0..<height).flatMap { y in
            (0..<width).map { x in
                let pixel = self[x: x, y: y]
                return UInt32(pixel.red) << 24 | UInt32(pixel.green) << 16 | UInt32(pixel.blue) << 8
                    | UInt32(pixel.alpha)
            }
        }
    }
}
