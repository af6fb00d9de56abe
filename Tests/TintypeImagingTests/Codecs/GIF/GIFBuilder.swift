import Foundation

@testable import TintypeImaging

/// Writes GIF files block by block, rightly or wrongly, for the tests.
struct GIFBuilder {
    struct Frame {
        var x = 0
        var y = 0
        var width: Int
        var height: Int
        /// Palette indices in the order of the rows on the screen.
        var pixels: [UInt8]
        var disposal = 0
        var delay = 10
        var transparent: UInt8?
        var palette: [UInt32]?
        var isInterlaced = false
        var hasControl = true

        init(
            x: Int = 0, y: Int = 0, width: Int, height: Int, fill: UInt8 = 0, disposal: Int = 0, delay: Int = 10,
            transparent: UInt8? = nil
        ) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
            self.disposal = disposal
            self.delay = delay
            self.transparent = transparent
            pixels = Array(repeating: fill, count: width * height)
        }
    }

    var width: Int
    var height: Int
    /// 0xRRGGBB; a power of two of them.
    var palette: [UInt32]?
    var background: UInt8 = 0
    /// The number in the looping extension; nil leaves the extension out.
    var loop: Int?
    var frames: [Frame] = []
    var hasTrailer = true
    var version = "GIF89a"
    var minimumCodeSize = 0

    static let red: UInt32 = 0xFF0000
    static let green: UInt32 = 0x00FF00
    static let blue: UInt32 = 0x0000FF
    static let white: UInt32 = 0xFFFFFF

    init(_ width: Int, _ height: Int, palette: [UInt32]? = [red, green, blue, white], frames: [Frame] = []) {
        self.width = width
        self.height = height
        self.palette = palette
        self.frames = frames
    }

    func data() -> Data {
        var bytes = Array(version.utf8) + word(width) + word(height)
        bytes += [palette.map { 0x80 | sizeBits($0.count) } ?? 0, background, 0]
        bytes += table(palette ?? [])
        if let loop { bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + word(loop) + [0] }
        for frame in frames { bytes += block(frame) }
        if hasTrailer { bytes.append(0x3B) }
        return Data(bytes)
    }

    /// The bytes of one frame with its graphic control extension.
    func block(_ frame: Frame) -> [UInt8] {
        var bytes: [UInt8] = []
        if frame.hasControl {
            bytes += [0x21, 0xF9, 4, UInt8(frame.disposal << 2) | (frame.transparent == nil ? 0 : 1)]
            bytes += word(frame.delay) + [frame.transparent ?? 0, 0]
        }
        bytes += [0x2C] + word(frame.x) + word(frame.y) + word(frame.width) + word(frame.height)
        let local = frame.palette.map { 0x80 | sizeBits($0.count) } ?? 0
        bytes.append(local | (frame.isInterlaced ? 0x40 : 0))
        bytes += table(frame.palette ?? [])
        var rows = Array(0..<frame.height)
        if frame.isInterlaced {
            rows = [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0, to: frame.height, by: $1)) }
        }
        let ordered = rows.flatMap { frame.pixels[$0 * frame.width..<($0 + 1) * frame.width] }
        let colors = max((frame.palette ?? palette)?.count ?? 256, Int(ordered.max() ?? 0) + 1)
        var codeSize = 2
        while 1 << codeSize < colors { codeSize += 1 }
        if minimumCodeSize != 0 { codeSize = minimumCodeSize }
        bytes.append(UInt8(codeSize))
        return bytes + subBlocks(lzw(ordered, minimumCodeSize: codeSize))
    }

    func subBlocks(_ stream: [UInt8], size: Int = 255) -> [UInt8] {
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            let part = stream[start..<min(start + size, stream.count)]
            bytes.append(UInt8(part.count))
            bytes += part
        }
        return bytes + [0]
    }

    /// A plain LZW encoder with a dictionary of strings, written for clearness.
    func lzw(_ pixels: [UInt8], minimumCodeSize: Int, emitsEnd: Bool = true) -> [UInt8] {
        let clear = 1 << minimumCodeSize
        var bits: [UInt8] = []
        var accumulator = 0
        var count = 0
        var codeSize = minimumCodeSize + 1
        func emit(_ code: Int) {
            accumulator |= code << count
            count += codeSize
            while count >= 8 {
                bits.append(UInt8(accumulator & 255))
                accumulator >>= 8
                count -= 8
            }
        }
        var table: [[UInt8]: Int] = [:]
        var next = 0
        func reset() {
            table = [:]
            for value in 0..<clear { table[[UInt8(value & 255)]] = value }
            next = clear + 2
            codeSize = minimumCodeSize + 1
        }
        reset()
        emit(clear)
        var current: [UInt8] = []
        for pixel in pixels {
            if table[current + [pixel]] != nil {
                current.append(pixel)
                continue
            }
            emit(table[current] ?? 0)
            table[current + [pixel]] = next
            // A decoder knows this entry one code later, hence > and not >=.
            if next >= 1 << codeSize, codeSize < 12 { codeSize += 1 }
            next += 1
            if next == 4096 {
                emit(clear)
                reset()
            }
            current = [pixel]
        }
        if !current.isEmpty { emit(table[current] ?? 0) }
        if next >= 1 << codeSize, codeSize < 12 { codeSize += 1 }
        if emitsEnd { emit(clear + 1) }
        if count > 0 { bits.append(UInt8(accumulator & 255)) }
        return bits
    }

    private func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

    private func sizeBits(_ count: Int) -> UInt8 {
        var bits = 0
        while 2 << bits < count { bits += 1 }
        return UInt8(bits)
    }

    private func table(_ colors: [UInt32]) -> [UInt8] {
        colors.flatMap { [UInt8($0 >> 16 & 255), UInt8($0 >> 8 & 255), UInt8($0 & 255)] }
    }
}

/// Every frame of a file as letters, in order.
func gifImages(_ data: Data, isLenient: Bool = false) throws -> [[String]] {
    var options = DecodeOptions()
    options.isLenient = isLenient
    guard let source = try GIFDecoder().frames(data, options: options) else {
        return [image(try GIFDecoder().decode(data, options: options).bitmap)]
    }
    return try (0..<source.info.frameCount).map { image(try source.frame(at: $0)) }
}

func lenientOptions(frame: Int? = nil) -> DecodeOptions {
    var options = DecodeOptions()
    options.isLenient = true
    options.frame = frame
    return options
}
