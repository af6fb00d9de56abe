import Foundation

@testable import TintypeImaging

/// Writes APNG files chunk by chunk, rightly or wrongly, for the tests.
struct APNGBuilder {
    struct Frame {
        var x = 0
        var y = 0
        var bitmap: Bitmap
        var numerator = 1
        var denominator = 10
        var disposal: UInt8 = 0
        var blend: UInt8 = 0
    }

    var width: Int
    var height: Int
    /// Stands in IDAT without being a frame; nil puts the first frame there.
    var defaultImage: Bitmap?
    var frames: [Frame] = []
    var plays = 0
    /// What acTL announces; nil is the truth.
    var announced: Int?
    var hasEnd = true
    /// Bytes of one fdAT chunk at most.
    var pieceSize = Int.max

    init(_ width: Int, _ height: Int, defaultImage: Bitmap? = nil, frames: [Frame]) {
        self.width = width
        self.height = height
        self.defaultImage = defaultImage
        self.frames = frames
    }

    func data() throws -> Data {
        var writer = PNGChunkWriter()
        writer.appendHeader(size: PixelSize(width: width, height: height), hasAlpha: true)
        writer.append("acTL", big(announced ?? frames.count) + big(plays))
        var sequence = 0
        if let defaultImage { writer.append("IDAT", try pixels(defaultImage)) }
        for (index, frame) in frames.enumerated() {
            var control = big(sequence) + big(frame.bitmap.width) + big(frame.bitmap.height) + big(frame.x)
            control += big(frame.y) + big(frame.numerator).suffix(2) + big(frame.denominator).suffix(2)
            writer.append("fcTL", control + Data([frame.disposal, frame.blend]))
            sequence += 1
            let compressed = try pixels(frame.bitmap)
            if index == 0, defaultImage == nil {
                writer.append("IDAT", compressed)
                continue
            }
            var rest = compressed[...]
            while !rest.isEmpty {
                writer.append("fdAT", big(sequence) + rest.prefix(pieceSize))
                rest = rest.dropFirst(pieceSize)
                sequence += 1
            }
        }
        if hasEnd { writer.append("IEND", Data()) }
        return writer.data
    }

    private func pixels(_ bitmap: Bitmap) throws -> Data {
        try PNGPixelEncoder.compress(bitmap, effort: 1, keepsAlpha: true)
    }

    private func big(_ value: Int) -> Data { Data((0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) }) }
}
