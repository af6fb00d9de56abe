/// The frames of an APNG (PNG spec, third edition, 11.3.6).
struct PNGAnimation: Sendable {
    struct Frame: Sendable {
        /// The part of the canvas, never outside of it.
        var rect: PixelRect
        /// Seconds, as stored.
        var delay: Double
        var disposal: FrameDisposal
        /// True if the frame is drawn over the canvas, false if it replaces the pixels there.
        var isBlended: Bool
        /// Offsets of the compressed data in the file, without sequence numbers.
        var data: [Range<Int>] = []
    }

    /// Number of loops, 0 is forever.
    var playCount: Int
    /// As stored, which may be wrong.
    var announcedFrameCount: Int
    /// Frames that have data, in order.
    var frames: [Frame]
    /// True if the default image is the first frame.
    var startsWithDefaultImage: Bool
    /// False if the bytes end before the file does.
    var isComplete: Bool
    /// True if there are more frames than the limit allows.
    var exceedsFrameLimit: Bool
}

/// Collects the chunks of an animation. The first chunk out of order ends the animation; earlier frames stay.
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
            // 0 keeps, 1 clears, 2 restores.
            let disposal = FrameDisposal(rawValue: reader.bytes[24]), reader.bytes[25] <= 1,
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
                isBlended: reader.bytes[25] == 1))
    }

    private var lastFrameHasData: Bool {
        frames.isEmpty || !frames[frames.count - 1].data.isEmpty || (frames.count == 1 && startsWithDefaultImage)
    }

    /// Takes an IDAT chunk, which belongs to the first frame if its frame control came before.
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
