import TintypeImaging

extension Subject {
    static let processors = Subject(name: "processors", summary: "changing decoded pixels") { measurement in
        let large = try BenchPicture.photo(width: 1600, height: 1200)
        let small = try BenchPicture.photo(width: 512, height: 512)
        let cases: [(String, Bitmap, any ImageProcessor)] = [
            ("blur 2 1600x1200", large, .blur(sigma: 2)), ("blur 10 1600x1200", large, .blur(sigma: 10)),
            ("blur 40 1600x1200", large, .blur(sigma: 40)), ("sharpen 1600x1200", large, .sharpen()),
            ("grayscale 1600x1200", large, .grayscale()),
            ("tint 1600x1200", large, .tint(PixelColor(rgb: 0xFF0000, alpha: 0.5))),
            ("rotate 90 1600x1200", large, .rotate(degrees: 90)),
            ("rotate 15 1600x1200", large, .rotate(degrees: 15)),
            ("circle 512x512", small, .circle()), ("rounded 512x512", small, .roundedCorners(radius: 64)),
            (
                "rounded+border 512x512", small,
                .roundedCorners(radius: 64, border: BorderStroke(width: 4, color: .white))
            ),
        ]
        for (name, bitmap, processor) in cases {
            try measurement.measure(name) { _ = try processor.process(bitmap) }
        }
        try measurement.measure("blurhash 512x512") { _ = try BlurHash(encoding: small) }
        try measurement.measure("thumbhash 512x512") { _ = try ThumbHash(encoding: small) }
    }
}
