/// The frames of an APNG (PNG spec, third edition, 11.3.6).
package struct PNGAnimation: Sendable {
    package enum Disposal: UInt8, Sendable { case none, background, previous }
    package enum Blend: UInt8, Sendable { case source, over }

    package struct Frame: Sendable {
        /// Where on the canvas; never outside of it.
        package var rect: PixelRect
        /// Seconds, as the file says.
        package var delay: Double
        package var disposal: Disposal
        package var blend: Blend
        /// The compressed pieces of its pixels, as offsets in the file, sequence numbers left out.
        package var data: [Range<Int>] = []
    }

    /// Plays in total, 0 for ever.
    package var playCount: Int
    /// What the file announces, which may be wrong.
    package var announcedFrameCount: Int
    /// Frames whose data began, in order.
    package var frames: [Frame]
    /// True if the default image is the first frame.
    package var startsWithDefaultImage: Bool
    /// False if the bytes end before the file does.
    package var isComplete: Bool
    /// True if frames were left out because there are more than the limit allows.
    package var exceedsFrameLimit: Bool
}

/// Collects what belongs to the animation while the chunks go by. The first chunk out of order ends it: what came
/// before stays.
struct PNGAnimationParser {
    private var playCount: Int?
    private var announced = 0
    private var frames: [PNGAnimation.Frame] = []
    private var startsWithDefaultImage = false
    private var nextSequence = 0
    private var isOver = false
    private var exceedsFrameLimit = false

    mutating func control(_ reader: ByteReader) {
        guard playCount == nil, reader.count == 8, let count = reader.uint32(0), let plays = reader.uint32(4) else {
            return
        }
        announced = count
        playCount = plays
    }

    mutating func frameControl(_ reader: ByteReader, canvas: PixelSize, limits: DecodeLimits) {
        // The first frame control may come before the animation control: `finish` checks that there is one.
        guard !isOver else { return }
        guard let sequence = reader.uint32(0), sequence == nextSequence, let width = reader.uint32(4),
            let height = reader.uint32(8), let x = reader.uint32(12), let y = reader.uint32(16),
            let numerator = reader.uint16(20), let denominator = reader.uint16(22), reader.count >= 26,
            let disposal = PNGAnimation.Disposal(rawValue: reader.bytes[24]),
            let blend = PNGAnimation.Blend(rawValue: reader.bytes[25]),
            width > 0, height > 0, x + width <= canvas.width, y + height <= canvas.height,
            // The frame before this one must have had data.
            lastFrameHasData
        else {
            isOver = true
            return
        }
        guard frames.count < limits.maximumFrameCount else {
            (isOver, exceedsFrameLimit) = (true, true)
            return
        }
        nextSequence += 1
        frames.append(
            PNGAnimation.Frame(
                rect: PixelRect(x: x, y: y, width: width, height: height),
                delay: Double(numerator) / Double(denominator == 0 ? 100 : denominator), disposal: disposal,
                blend: blend))
    }

    private var lastFrameHasData: Bool {
        frames.isEmpty || !frames[frames.count - 1].data.isEmpty || (frames.count == 1 && startsWithDefaultImage)
    }

    /// An IDAT chunk: belongs to the first frame if that was announced before.
    mutating func imageData() { startsWithDefaultImage = frames.count == 1 }

    mutating func frameData(_ reader: ByteReader, _ range: Range<Int>) {
        guard playCount != nil, !isOver, !frames.isEmpty else { return }
        guard range.count >= 4, reader.uint32(range.lowerBound) == nextSequence,
            frames.count > 1 || !startsWithDefaultImage
        else {
            isOver = true
            return
        }
        nextSequence += 1
        frames[frames.count - 1].data.append(range.lowerBound + 4..<range.upperBound)
    }

    func finish(file: PNGFile, isComplete: Bool) -> PNGAnimation? {
        guard let playCount else { return nil }
        var frames = frames
        if startsWithDefaultImage, !frames.isEmpty { frames[0].data = file.imageData }
        if frames.last?.data.isEmpty == true { frames.removeLast() }
        return PNGAnimation(
            playCount: playCount, announcedFrameCount: announced, frames: frames,
            startsWithDefaultImage: startsWithDefaultImage, isComplete: isComplete || isOver,
            exceedsFrameLimit: exceedsFrameLimit)
    }
}
