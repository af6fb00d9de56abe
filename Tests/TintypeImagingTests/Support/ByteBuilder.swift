import Foundation
import TintypeImaging

/// Builds little-endian files for tests.
struct ByteBuilder {
    var bytes: [UInt8] = []

    mutating func u8(_ values: Int...) { bytes += values.map { UInt8(truncatingIfNeeded: $0) } }
    mutating func u16(_ values: Int...) { for value in values { u8(value, value >> 8) } }
    mutating func u32(_ values: Int...) {
        for value in values { u8(value, value >> 8, value >> 16, value >> 24) }
    }
    mutating func u32(_ value: UInt32) { u32(Int(value)) }
    mutating func ascii(_ text: String) { bytes += Array(text.utf8) }
    mutating func append(_ more: [UInt8]) { bytes += more }
    mutating func append(_ more: ByteBuilder) { bytes += more.bytes }

    mutating func set32(_ value: Int, at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }

    var data: Data { Data(bytes) }
}

/// One premultiplied pixel, comparable and printable.
struct Pixel: Hashable, CustomStringConvertible {
    var red: UInt8
    var green: UInt8
    var blue: UInt8
    var alpha: UInt8

    init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    static let clear = Pixel(0, 0, 0, 0)
    static let black = Pixel(0, 0, 0)
    static let white = Pixel(255, 255, 255)
    static let red = Pixel(255, 0, 0)
    static let green = Pixel(0, 255, 0)
    static let blue = Pixel(0, 0, 255)

    var description: String { "(\(red) \(green) \(blue) \(alpha))" }

    /// The largest difference of a channel.
    func distance(to other: Pixel) -> Int {
        [
            Int(red) - Int(other.red), Int(green) - Int(other.green), Int(blue) - Int(other.blue),
            Int(alpha) - Int(other.alpha),
        ].map(abs).max() ?? 0
    }
}

extension Bitmap {
    func pixel(_ x: Int, _ y: Int) -> Pixel {
        let value = self[x: x, y: y]
        return Pixel(value.red, value.green, value.blue, value.alpha)
    }

    /// Every pixel, row by row, top first.
    var pixels: [[Pixel]] {
        (0..<height).map { y in (0..<width).map { x in pixel(x, y) } }
    }
}

extension ImageDecoder {
    func decode(_ bytes: ByteBuilder, isLenient: Bool = false, preferredSize: PixelSize? = nil) throws -> DecoderOutput
    {
        var options = DecodeOptions()
        options.isLenient = isLenient
        options.preferredSize = preferredSize
        return try decode(bytes.data, options: options)
    }

    func pixels(_ bytes: ByteBuilder, isLenient: Bool = false) throws -> [[Pixel]] {
        try decode(bytes, isLenient: isLenient).bitmap.pixels
    }
}

extension Bitmap {
    /// A bitmap of premultiplied pixels.
    static func made(_ width: Int, _ height: Int, isOpaque: Bool = false, _ pixel: (Int, Int) -> Pixel) throws -> Bitmap
    {
        try Bitmap(width: width, height: height, isOpaque: isOpaque) { bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let value = pixel(x, y)
                    let offset = y * bytesPerRow + x * 4
                    bytes[offset] = value.red
                    bytes[offset + 1] = value.green
                    bytes[offset + 2] = value.blue
                    bytes[offset + 3] = value.alpha
                }
            }
        }
    }

    /// Smooth colours that change in both directions: a wrong transform or a shifted row shows.
    static func gradient(_ width: Int, _ height: Int) throws -> Bitmap {
        try made(width, height, isOpaque: true) { x, y in
            Pixel(UInt8(x * 255 / max(1, width - 1)), UInt8(y * 255 / max(1, height - 1)), 128)
        }
    }

    /// The largest difference of any channel of any pixel; nil if the sizes differ.
    func distance(to other: Bitmap) -> Int? {
        guard size == other.size else { return nil }
        return zip(pixels, other.pixels).flatMap { zip($0, $1).map { $0.distance(to: $1) } }.max()
    }

    /// The mean over all pixels of the largest difference of a channel; nil if the sizes differ.
    func meanDistance(to other: Bitmap) -> Double? {
        guard size == other.size else { return nil }
        let sum = zip(pixels, other.pixels).map { zip($0, $1).map { $0.distance(to: $1) }.reduce(0, +) }.reduce(0, +)
        return Double(sum) / Double(width * height)
    }
}
