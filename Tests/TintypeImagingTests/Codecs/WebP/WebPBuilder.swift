import Foundation

@testable import TintypeImaging

/// Puts animated WebP files together chunk by chunk, from frames that libwebp encoded.
struct WebPBuilder {
    struct Frame {
        var x = 0
        var y = 0
        var bitmap: Bitmap
        var milliseconds = 100
        var replaces = false
        var clears = false
        var isLossless = true
    }

    var width: Int
    var height: Int
    var loopCount = 0
    var frames: [Frame] = []
    var hasAlpha = true
    var profile: Data?
    /// A TIFF block, which comes last.
    var exif: Data?

    init(_ width: Int, _ height: Int, frames: [Frame] = []) {
        self.width = width
        self.height = height
        self.frames = frames
    }

    func data() throws -> Data {
        var body = Data("WEBP".utf8)
        let flags: UInt8 = 0x02 | (hasAlpha ? 0x10 : 0) | (profile == nil ? 0 : 0x20) | (exif == nil ? 0 : 0x08)
        body += chunk("VP8X", Data([flags, 0, 0, 0]) + u24(width - 1) + u24(height - 1))
        if let profile { body += chunk("ICCP", profile) }
        body += chunk("ANIM", Data([0, 0, 0, 0, UInt8(loopCount & 255), UInt8(loopCount >> 8)]))
        for frame in frames { body += try chunk("ANMF", anmf(frame)) }
        if let exif { body += chunk("EXIF", exif) }
        return Data("RIFF".utf8) + u32(body.count) + body
    }

    private func anmf(_ frame: Frame) throws -> Data {
        var options = EncodeOptions()
        options.isLossless = frame.isLossless
        let still = try WebPEncoder().encode(frame.bitmap, options: options)
        var payload = Data()
        var offset = 12
        while offset + 8 <= still.count {
            let length = (0..<4).reduce(0) { $0 | Int(still[offset + 4 + $1]) << (8 * $1) }
            let end = min(offset + 8 + length + length % 2, still.count)
            if still[offset..<offset + 4] != Data("VP8X".utf8) { payload += still[offset..<end] }
            offset = end
        }
        let flags: UInt8 = (frame.replaces ? 2 : 0) | (frame.clears ? 1 : 0)
        return u24(frame.x / 2) + u24(frame.y / 2) + u24(frame.bitmap.width - 1) + u24(frame.bitmap.height - 1)
            + u24(frame.milliseconds) + Data([flags]) + payload
    }

    func chunk(_ name: String, _ payload: Data) -> Data {
        Data(name.utf8) + u32(payload.count) + payload + Data(repeating: 0, count: payload.count % 2)
    }

    private func u24(_ value: Int) -> Data { u32(value).prefix(3) }
    private func u32(_ value: Int) -> Data { Data((0..<4).map { UInt8(value >> (8 * $0) & 255) }) }
}

/// A bitmap of one colour, straight 0xRRGGBBAA.
func solid(_ width: Int, _ height: Int, _ color: UInt32) throws -> Bitmap {
    try painted(width, height) { _, _ in color }
}

/// A bitmap from straight colours 0xRRGGBBAA.
func painted(_ width: Int, _ height: Int, _ color: (Int, Int) -> UInt32) throws -> Bitmap {
    var isOpaque = true
    var words: [UInt32] = []
    for y in 0..<height {
        for x in 0..<width {
            words.append(color(x, y))
            if words.last.map({ $0 & 255 != 255 }) ?? false { isOpaque = false }
        }
    }
    return try Bitmap(width: width, height: height, isOpaque: isOpaque) { bytes, bytesPerRow in
        for (position, word) in words.enumerated() {
            let offset = position / width * bytesPerRow + position % width * 4
            let alpha = word & 255
            for channel in 0..<3 {
                bytes[offset + channel] = UInt8(((word >> (24 - 8 * UInt32(channel)) & 255) * alpha + 127) / 255)
            }
            bytes[offset + 3] = UInt8(alpha)
        }
    }
}

/// 0xRRGGBBAA from channels, each taken modulo 256. Plain integers, which the type checker is quick with.
func rgba(_ red: Int, _ green: Int, _ blue: Int, _ alpha: Int = 255) -> UInt32 {
    let high = UInt32(red & 255) << 24 | UInt32(green & 255) << 16
    return high | UInt32(blue & 255) << 8 | UInt32(alpha & 255)
}
