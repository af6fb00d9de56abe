import Foundation
import Tintype

// The samples of the doc comments of TintypeImaging.

// SAMPLE Sources/TintypeImaging/Processing/ImageProcessor.swift 1
struct Invert: ImageProcessor {
    let identifier = "invert"

    func process(_ bitmap: Bitmap) throws -> Bitmap {
        try Bitmap(width: bitmap.width, height: bitmap.height, isOpaque: bitmap.isOpaque) { target, bytesPerRow in
            for y in 0..<bitmap.height {
                for x in 0..<bitmap.width {
                    let (red, green, blue, alpha) = bitmap[x: x, y: y]
                    let inverted = [alpha - red, alpha - green, alpha - blue, alpha]
                    target[(y * bytesPerRow + x * 4)...].copyBytes(from: inverted)
                }
            }
        }
    }
}
// END

private func sampleStandardProcessor() throws {
    // SAMPLE Sources/TintypeImaging/Processing/StandardProcessor.swift 1
    let avatar: [any ImageProcessor] = [
        .resize(width: 96, height: 96, fit: .cover), .circle(border: BorderStroke(width: 2, color: .white)),
    ]
    // END
    _ = avatar
}

private func sampleBitmap() throws {
    // SAMPLE Sources/TintypeImaging/Bitmap/Bitmap.swift 1
    let red = try Bitmap(width: 2, height: 2, isOpaque: true) { pixels, bytesPerRow in
        for y in 0..<2 {
            for x in 0..<2 { pixels[(y * bytesPerRow + x * 4)...].copyBytes(from: [255, 0, 0, 255]) }
        }
    }
    // END
    _ = red
}

private func sampleDecodeOptions() throws {
    // SAMPLE Sources/TintypeImaging/Codecs/DecodeOptions.swift 1
    var options = DecodeOptions()
    options.target = ResizeTarget(width: 320, height: 240)
    options.limits.maximumPixelCount = 25_000_000
    // END
    _ = options
}

// SAMPLE Sources/TintypeImaging/Codecs/ImageInfo.swift 1
func summary(of data: Data) throws -> String {
    let info = try ImageCodecs.standard.info(data)
    return "\(info.format), \(info.size), \(info.frameCount) frames"
}
// END

// SAMPLE Sources/TintypeImaging/Codecs/ProgressiveImageDecoder.swift 1
func previews(of chunks: [Data]) throws -> [Bitmap] {
    let decoder = ProgressiveImageDecoder()
    return try chunks.compactMap { chunk in
        try decoder.append(chunk)
        return try decoder.preview()?.bitmap
    }
}
// END

// SAMPLE Sources/TintypeImaging/Animation/AnimatedImage.swift 1
func sizes(ofFramesIn data: Data) throws -> [PixelSize] {
    guard let animation = try ImageCodecs.standard.animation(data) else { return [] }
    return try (0..<animation.frameCount).map { try animation.frame(at: $0).size }
}
// END

// SAMPLE Sources/TintypeImaging/Animation/AnimatedImagePlayer.swift 1
func play(_ animation: AnimatedImage, show: (Bitmap) -> Void) async {
    let player = AnimatedImagePlayer(animation, repeats: .times(2))
    for await frame in player.frames() { show(frame.bitmap) }
}
// END
