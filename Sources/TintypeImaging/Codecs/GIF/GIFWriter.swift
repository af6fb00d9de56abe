import TintypeBase

/// A writer of a GIF that stores each frame as its difference from the canvas.
///
/// A frame cannot make pixels transparent; instead the one before is disposed of, with its rectangle enlarged to cover
/// them. So each frame is written when the next one is known.
struct GIFWriter {
    /// A frame whose disposal is not known yet.
    private struct Pending {
        var image: GIFImage
        var rect: PixelRect
        /// The canvas that it is drawn on.
        var below: [UInt32]
        var duration: Double
    }

    private let size: PixelSize
    private var blocks: [UInt8] = []
    private var globalPalette: [UInt32] = []
    private var pending: Pending?
    private let lzw = LZWEncoder()
    /// Seconds so far, and the hundredths that were written for them.
    private var time = 0.0
    private var writtenTime = 0

    init(size: PixelSize) { self.size = size }

    mutating func append(_ image: GIFImage, duration: Double) {
        guard let last = pending else {
            let empty = [UInt32](repeating: 0, count: size.area)
            pending = Pending(image: image, rect: size.whole, below: empty, duration: duration)
            return
        }
        pending = nil
        var below = last.image.pixels
        var rect = last.rect
        let width = size.width
        let vanishing = size.boundingRect { image.pixels[$1 * width + $0] == 0 && below[$1 * width + $0] != 0 }
        if let vanishing {
            rect = rect.union(vanishing)
            for y in rect.y..<rect.y + rect.height {
                for x in rect.x..<rect.x + rect.width { below[y * size.width + x] = 0 }
            }
        }
        write(last, rect: rect, disposal: vanishing == nil ? 1 : 2)
        // An equal frame keeps its duration: one unchanged pixel is written.
        let changed =
            size.boundingRect { image.pixels[$1 * width + $0] != below[$1 * width + $0] }
            ?? PixelRect(x: 0, y: 0, width: 1, height: 1)
        pending = Pending(image: image, rect: changed, below: below, duration: duration)
    }

    /// - Parameter loopCount: the number of loops, 0 is forever; nil for a still.
    mutating func finish(loopCount: Int?) -> Data {
        if let pending { write(pending, rect: pending.rect, disposal: loopCount == nil ? 0 : 1) }
        var head = Array("GIF89a".utf8) + Self.word(size.width) + Self.word(size.height)
        head += [globalPalette.isEmpty ? 0 : 0x80 | 0x70 | Self.tableBits(globalPalette.count), 0, 0]
        head += Self.table(globalPalette)
        if let loopCount, loopCount != 1 {
            // The file counts repetitions, and 0 is forever.
            let repetitions = loopCount <= 0 ? 0 : min(loopCount - 1, 65535)
            head += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + Self.word(repetitions) + [0]
        }
        return Data(head) + Data(blocks) + Data([0x3B])
    }

    // MARK: One frame

    private mutating func write(_ frame: Pending, rect: PixelRect, disposal: UInt8) {
        var pixels: [UInt32] = []
        pixels.reserveCapacity(rect.width * rect.height)
        for y in rect.y..<rect.y + rect.height {
            for index in y * size.width + rect.x..<y * size.width + rect.x + rect.width {
                let pixel = frame.image.pixels[index]
                pixels.append(pixel == frame.below[index] ? 0 : pixel)
            }
        }
        let coloring = GIFColoring(pixels, width: rect.width, globalPalette: globalPalette)
        if globalPalette.isEmpty { globalPalette = coloring.palette }
        let isLocal = coloring.palette != globalPalette
        let codeSize = max(2, Int(Self.tableBits(coloring.palette.count)) + 1)
        control(disposal, delay: takeDelay(frame.duration), transparent: coloring.transparent)
        blocks += [0x2C] + [rect.x, rect.y, rect.width, rect.height].flatMap(Self.word)
        blocks.append(isLocal ? 0x80 | Self.tableBits(coloring.palette.count) : 0)
        if isLocal { blocks += Self.table(coloring.palette) }
        blocks += lzw.encode(coloring.indices, minimumCodeSize: codeSize)
    }

    private mutating func control(_ disposal: UInt8, delay: Int, transparent: UInt8?) {
        guard disposal != 0 || transparent != nil else { return }
        blocks += [0x21, 0xF9, 4, disposal << 2 | (transparent == nil ? 0 : 1)]
        blocks += Self.word(delay) + [transparent ?? 0, 0]
    }

    /// Returns hundredths of a second; the rounding error is carried over. Never 1, which players show as 10.
    private mutating func takeDelay(_ duration: Double) -> Int {
        guard duration.isFinite, duration > 0 else { return 0 }
        time += duration
        let delay = Int(min(max((time * 100).rounded() - Double(writtenTime), 2), 65535))
        writtenTime += delay
        return delay
    }

    // MARK: Bytes

    private static func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

    /// The size field of a colour table, which has 2 to the power of this plus one entries.
    private static func tableBits(_ count: Int) -> UInt8 {
        var bits: UInt8 = 0
        while 2 << Int(bits) < count { bits += 1 }
        return bits
    }

    private static func table(_ colors: [UInt32]) -> [UInt8] {
        guard !colors.isEmpty else { return [] }
        let padded = colors + Array(repeating: 0, count: (2 << Int(tableBits(colors.count))) - colors.count)
        return padded.flatMap { [UInt8($0 & 255), UInt8($0 >> 8 & 255), UInt8($0 >> 16 & 255)] }
    }
}
