/// The decoded frames of one animation, who looks at them, and which are to be decoded next.
///
/// If all frames fit into the budget they stay, and each is decoded once. If not, only a short stretch ahead of each
/// viewer is kept: frames that were shown would be thrown away before they come again in any case.
struct FrameBuffer {
    private let frameCount: Int
    private(set) var frames: [Int: Bitmap] = [:]
    /// Bytes of the frames held.
    private(set) var byteCount = 0
    /// For each viewer the frame that it shows and those that come next, in this order.
    private(set) var viewers: [Int: [Int]] = [:]
    /// Frames that could not be decoded; asking again would fail again.
    private(set) var failures: [Int: any Error] = [:]
    /// Bytes of one frame, as far as is known.
    private var frameByteCount: Int
    /// True after memory ran short: the whole animation is not kept any more.
    private(set) var isLean = false
    /// Bytes that may be held; one frame for each viewer is held in any case.
    var budget: Int

    init(info: ImageInfo, budget: Int) {
        frameCount = max(1, info.frameCount)
        frameByteCount = max(4, PixelSize(width: info.storedSize.width, height: info.storedSize.height).area) &* 4
        self.budget = budget
    }

    /// True if every frame may stay.
    var keepsEverything: Bool {
        let (total, overflow) = frameByteCount.multipliedReportingOverflow(by: frameCount)
        return !isLean && !overflow && total <= budget
    }

    // MARK: Viewers

    /// - Parameter upcoming: the frame that is shown first; as many as are worth decoding ahead. Never empty.
    mutating func move(_ viewer: Int, to upcoming: [Int]) {
        viewers[viewer] = upcoming
        trim()
    }

    /// The frames go with the last viewer.
    mutating func remove(_ viewer: Int) {
        viewers[viewer] = nil
        if viewers.isEmpty {
            drop(keepingShown: false)
            isLean = false
        } else {
            trim()
        }
    }

    // MARK: Frames

    /// Keeps a frame, if anybody looks.
    mutating func store(_ bitmap: Bitmap, at index: Int) {
        guard !viewers.isEmpty else { return }
        frameByteCount = max(4, bitmap.byteCount)
        if let old = frames.updateValue(bitmap, forKey: index) { byteCount -= old.byteCount }
        byteCount += bitmap.byteCount
        trim()
    }

    mutating func store(_ failure: any Error, at index: Int) { failures[index] = failure }

    /// Gives memory back; with `keepingShown` the frames at which viewers are stay.
    mutating func drop(keepingShown: Bool) {
        let shown = keepingShown ? Set(viewers.values.compactMap(\.first)) : []
        for index in frames.keys where !shown.contains(index) { discard(index) }
        failures = [:]
        if keepingShown { isLean = true }
    }

    private mutating func discard(_ index: Int) {
        if let bitmap = frames.removeValue(forKey: index) { byteCount -= bitmap.byteCount }
    }

    mutating func trim() {
        guard !viewers.isEmpty, !keepsEverything || byteCount > budget else { return }
        let reach = self.reach
        let kept = Set(viewers.values.flatMap { $0.prefix(reach) })
        for index in frames.keys where !kept.contains(index) { discard(index) }
    }

    // MARK: What comes next

    /// Frames of one viewer that are kept and decoded ahead, the shown one included.
    private var reach: Int { max(1, budget / frameByteCount / max(1, viewers.count)) }

    /// The next frame to decode before it is asked for, or nil if all is there.
    var nextWanted: Int? {
        let reach = self.reach
        var best: (index: Int, rank: Int)?
        for upcoming in viewers.values.map({ $0.prefix(reach) }) {
            let missing = upcoming.indices.filter { isMissing(upcoming[$0]) }
            guard let rank = missing.first else { continue }
            var index = upcoming[rank]
            // By one: from the last frame to the first is a new loop, and where the direction turns the way there is
            // still forwards.
            let goesBack =
                rank > 0 ? upcoming[rank - 1] == index + 1 : upcoming.count > 1 && upcoming[1] == index - 1
            if goesBack {
                // Backwards, a stretch is decoded in ascending order, and only when half of it is used up: every
                // single step back could cost a restart at a keyframe.
                guard rank == 0 || missing.count * 2 >= upcoming.count else { continue }
                index = missing.map { upcoming[$0] }.filter { $0 <= index }.min() ?? index
            }
            if rank < best?.rank ?? Int.max { best = (index, rank) }
        }
        return best?.index
    }

    private func isMissing(_ index: Int) -> Bool { frames[index] == nil && failures[index] == nil }
}
