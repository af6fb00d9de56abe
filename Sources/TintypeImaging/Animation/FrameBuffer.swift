/// The decoded frames of one animation, its viewers, and the next frame to decode.
///
/// If all frames fit into the budget, they stay and each is decoded once. If not, only a few frames ahead of each viewer
/// are buffered: frames that were shown would be evicted before they are shown again.
struct FrameBuffer {
    private let frameCount: Int
    private(set) var frames: [Int: Bitmap] = [:]
    /// Bytes of the frames held.
    private(set) var byteCount = 0
    /// For each viewer, the frame that it shows and the frames that follow, in order.
    private(set) var viewers: [Int: [Int]] = [:]
    /// Frames that could not be decoded; decoding them again would fail again.
    private(set) var failures: [Int: any Error] = [:]
    /// Bytes of one frame; an estimate until the first one is decoded.
    private var frameByteCount: Int
    /// True after memory pressure: only a few frames are buffered.
    private(set) var isLean = false
    /// Bytes that may be buffered; one frame for each viewer is always buffered.
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

    /// - Parameter upcoming: the shown frame, then those worth decoding ahead. Never empty.
    mutating func move(_ viewer: Int, to upcoming: [Int]) {
        viewers[viewer] = upcoming
        trim()
    }

    /// Removes a viewer; the last one takes the frames with it.
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

    /// Buffers a frame if there is a viewer.
    mutating func store(_ bitmap: Bitmap, at index: Int) {
        guard !viewers.isEmpty else { return }
        frameByteCount = max(4, bitmap.byteCount)
        if let old = frames.updateValue(bitmap, forKey: index) { byteCount -= old.byteCount }
        byteCount += bitmap.byteCount
        trim()
    }

    mutating func store(_ failure: any Error, at index: Int) { failures[index] = failure }

    /// Frees frames; `keepingShown` keeps those that viewers show now.
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

    /// Number of frames that are buffered for one viewer, with the shown one.
    private var reach: Int { max(1, budget / frameByteCount / max(1, viewers.count)) }

    /// The next frame to decode ahead, or nil if all are there.
    var nextWanted: Int? {
        let reach = self.reach
        var best: (index: Int, rank: Int)?
        for upcoming in viewers.values.map({ $0.prefix(reach) }) {
            let missing = upcoming.indices.filter { isMissing(upcoming[$0]) }
            guard let rank = missing.first else { continue }
            var index = upcoming[rank]
            // Only by one: from the last frame to the first is a new loop, and at a turn the way there is still forwards.
            let goesBack =
                rank > 0 ? upcoming[rank - 1] == index + 1 : upcoming.count > 1 && upcoming[1] == index - 1
            if goesBack {
                // Backwards, several frames are decoded in ascending order once half of them are shown: each single
                // step back could cost a restart at a keyframe.
                guard rank == 0 || missing.count * 2 >= upcoming.count else { continue }
                index = missing.map { upcoming[$0] }.filter { $0 <= index }.min() ?? index
            }
            if rank < best?.rank ?? Int.max { best = (index, rank) }
        }
        return best?.index
    }

    private func isMissing(_ index: Int) -> Bool { frames[index] == nil && failures[index] == nil }
}
