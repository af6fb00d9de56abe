import Foundation
import Tintype

/// An image whose pixels follow from its name, so that a reader can verify it.
///
/// The name is a number and an extension. `png` and `webp` hold noise and must come out exactly; `jpg` and `gif` hold
/// one colour.
struct SoakImage: Sendable {
    static let count = 400
    static let extensions = ["png", "webp", "jpg", "gif"]

    let number: Int
    let fileExtension: String

    /// From the last component of a path, such as `17.png`.
    init?(name: some StringProtocol) {
        let parts = name.split(separator: ".")
        guard parts.count == 2, let number = Int(parts[0]), Self.extensions.contains(String(parts[1])) else {
            return nil
        }
        self.init(number: number, fileExtension: String(parts[1]))
    }

    init(number: Int, fileExtension: String) {
        self.number = number
        self.fileExtension = fileExtension
    }

    var name: String { "\(number).\(fileExtension)" }
    /// Every fiftieth is as large as a photograph on a page, so that big buffers come and go too.
    var width: Int { number % 50 == 7 ? 900 : 16 + number % 23 * 4 }
    var height: Int { number % 50 == 7 ? 600 : 12 + number % 19 * 4 }

    var color: (UInt8, UInt8, UInt8) {
        let bits = Self.mix(UInt64(number) &* 4 &+ UInt64(Self.extensions.firstIndex(of: fileExtension) ?? 0))
        return (
            UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8), UInt8(truncatingIfNeeded: bits >> 16)
        )
    }

    private var isNoise: Bool { fileExtension == "png" || fileExtension == "webp" }

    func bitmap(frame: Int = 0) throws -> Bitmap {
        let color = color
        return try Bitmap(width: width, height: height, isOpaque: true) { bytes, bytesPerRow in
            for y in 0..<height {
                var state = Self.mix(UInt64(number) << 20 ^ UInt64(y))
                for x in 0..<width {
                    if isNoise { state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
                    let offset = y * bytesPerRow + x * 4
                    bytes[offset] =
                        isNoise ? UInt8(truncatingIfNeeded: state >> 40) & 0xF0 : color.0 &+ UInt8(frame * 80)
                    bytes[offset + 1] = isNoise ? UInt8(truncatingIfNeeded: state >> 48) & 0xF0 : color.1
                    bytes[offset + 2] = isNoise ? UInt8(truncatingIfNeeded: state >> 56) & 0xF0 : color.2
                    bytes[offset + 3] = 255
                }
            }
        }
    }

    func encoded() throws -> Data {
        let codecs = ImageCodecs.standard
        var options = EncodeOptions()
        switch fileExtension {
        case "png": return try codecs.encode(bitmap(), as: .png)
        case "jpg": return try codecs.encode(bitmap(), as: .jpeg)
        case "webp":
            options.isLossless = true
            return try codecs.encode(bitmap(), as: .webp, options: options)
        default:
            let frames = try (0..<3).map { EncodableFrame(bitmap: try bitmap(frame: $0), duration: 0.1) }
            guard let encoder = codecs.encoder(for: .gif) else { throw SoakError("no GIF encoder") }
            return try encoder.encode(frames: frames, loopCount: 0, options: options)
        }
    }

    /// Returns the difference between a loaded image and this one; nil if there is none.
    ///
    /// - Parameters:
    ///   - isResized: only the colour can be told then, and of noise nothing but the size.
    ///   - isSwapped: red and blue have changed places.
    func fault(of image: DecodedImage, isResized: Bool = false, isSwapped: Bool = false) throws -> String? {
        let bitmap = image.bitmap
        if isResized {
            guard bitmap.width <= max(width, 1), bitmap.height <= max(height, 1) else { return "\(name): not resized" }
        } else if bitmap.width != width || bitmap.height != height {
            return "\(name): \(bitmap.width)x\(bitmap.height) in place of \(width)x\(height)"
        }
        if isNoise { return isResized ? nil : try noiseFault(of: bitmap, isSwapped: isSwapped) }
        for (x, y) in [(0, 0), (bitmap.width - 1, bitmap.height - 1), (bitmap.width / 2, bitmap.height / 2)] {
            let pixel = bitmap[x: x, y: y]
            let got = isSwapped ? (pixel.blue, pixel.green, pixel.red) : (pixel.red, pixel.green, pixel.blue)
            let distance =
                [
                    Int(got.0) - Int(color.0), Int(got.1) - Int(color.1), Int(got.2) - Int(color.2),
                    Int(pixel.alpha) - 255,
                ].map(abs).max() ?? 0
            // What JPEG may lose of one colour at quality 85; two numbers of one extension rarely come that near.
            if distance > 4 { return "\(name): colour \(got) in place of \(color) at \(x),\(y)" }
        }
        return nil
    }

    private func noiseFault(of bitmap: Bitmap, isSwapped: Bool) throws -> String? {
        let right = try self.bitmap()
        return bitmap.withUnsafeBytes { got in
            right.withUnsafeBytes { wanted in
                for y in 0..<height {
                    for x in 0..<width {
                        let (a, b) = (y * bitmap.bytesPerRow + x * 4, y * right.bytesPerRow + x * 4)
                        let (red, blue) = isSwapped ? (got[a + 2], got[a]) : (got[a], got[a + 2])
                        if red != wanted[b] || got[a + 1] != wanted[b + 1] || blue != wanted[b + 2] || got[a + 3] != 255
                        {
                            return "\(name): wrong pixel at \(x),\(y)"
                        }
                    }
                }
                return nil
            }
        }
    }

    static func mix(_ value: UInt64) -> UInt64 {
        var z = value &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

struct SoakError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The numbers of one run: its seed repeats the choices, not the timing.
struct SoakRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return SoakImage.mix(state)
    }
}

/// Exchanges red and blue.
struct SwapProcessor: ImageProcessor {
    var identifier: String { "soak-swap" }

    func process(_ bitmap: Bitmap) throws -> Bitmap {
        try Bitmap(width: bitmap.width, height: bitmap.height, isOpaque: bitmap.isOpaque) { bytes, bytesPerRow in
            bitmap.withUnsafeBytes { source in
                for y in 0..<bitmap.height {
                    for x in 0..<bitmap.width {
                        let (from, to) = (y * bitmap.bytesPerRow + x * 4, y * bytesPerRow + x * 4)
                        bytes[to] = source[from + 2]
                        bytes[to + 1] = source[from + 1]
                        bytes[to + 2] = source[from]
                        bytes[to + 3] = source[from + 3]
                    }
                }
            }
        }
    }
}
