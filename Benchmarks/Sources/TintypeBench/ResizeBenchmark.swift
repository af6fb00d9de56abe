import TintypeImaging

extension Subject {
    static let resize = Subject(name: "resize", summary: "scaling decoded pixels") { measurement in
        for (width, height, toWidth, toHeight) in [
            (1600, 1200, 400, 300), (4000, 3000, 1024, 768), (1600, 1200, 128, 96), (512, 512, 128, 128),
            (64, 64, 32, 32), (1600, 1200, 1500, 1125), (400, 300, 1600, 1200),
        ] {
            let bitmap = try BenchPicture.photo(width: width, height: height)
            for filter in [ResampleFilter.lanczos3, .catmullRom, .bilinear, .box, .nearest]
            where filter == .lanczos3 || width == 1600 {
                let target = ResizeTarget(width: toWidth, height: toHeight, fit: .fill, filter: filter)
                try measurement.measure("\(width)x\(height)->\(toWidth)x\(toHeight) \(filter.rawValue)") {
                    _ = try bitmap.resized(to: target)
                }
            }
        }
        let bitmap = try BenchPicture.photo(width: 1600, height: 1200)
        let linear = ResizeTarget(width: 400, height: 300, fit: .fill, isLinearLight: true)
        try measurement.measure("1600x1200->400x300 lanczos3 linear") { _ = try bitmap.resized(to: linear) }
    }
}

/// Pixels with the statistics of a photograph, as far as speed depends on them: smooth ground, edges, noise.
enum BenchPicture {
    static func photo(width: Int, height: Int) throws -> Bitmap {
        try Bitmap(width: width, height: height, isOpaque: true) { bytes, bytesPerRow in
            var noise: UInt32 = 1
            for y in 0..<height {
                for x in 0..<width {
                    noise = noise &* 1_664_525 &+ 1_013_904_223
                    let edge = (x / 37 + y / 53) % 2 * 60
                    let at = y * bytesPerRow + x * 4
                    bytes[at] = UInt8(truncatingIfNeeded: x * 120 / width + edge + Int(noise >> 28))
                    bytes[at + 1] = UInt8(truncatingIfNeeded: y * 120 / height + edge + Int(noise >> 27 & 15))
                    bytes[at + 2] = UInt8(truncatingIfNeeded: (x + y) * 60 / width + edge)
                    bytes[at + 3] = 255
                }
            }
        }
    }
}
