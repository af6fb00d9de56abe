import TintypeBase

/// A player of an `AnimatedImage`: delivers each frame when it is due and counts loops.
///
/// Either a view drives it with its frame clock, by calling `advance(to:)` each time it draws, or it runs on a timer
/// (`frames()` or `run()`). Safe to use from any thread; the handlers are called on the thread that calls `advance(to:)`,
/// or in the task of `run()`.
///
/// ```swift
/// import TintypeImaging
///
/// func play(_ animation: AnimatedImage, show: (Bitmap) -> Void) async {
///     let player = AnimatedImagePlayer(animation, repeats: .times(2))
///     for await frame in player.frames() { show(frame.bitmap) }
/// }
/// ```
public final class AnimatedImagePlayer: Sendable {
    /// The order of the frames.
    public enum Direction: String, Sendable, Hashable, CaseIterable {
        case forwards
        case backwards
        /// Forwards and backwards again, which count as one loop.
        case backAndForth
    }

    /// The number of loops.
    public enum RepeatMode: Sendable, Hashable {
        /// The number in the file.
        case asInFile
        /// This number in total, at least one.
        case times(Int)
        case forever
    }

    /// The reaction to frames that are decoded or drawn too slowly.
    public enum LagPolicy: String, Sendable, Hashable, CaseIterable {
        /// Skips frames to keep the time.
        case skip
        /// Shows every frame, so that the animation takes longer.
        case wait
    }

    /// A frame to show.
    public struct Frame: Sendable {
        public var bitmap: Bitmap
        public var index: Int
        /// Number of loops that ended before this frame.
        public var completedLoops: Int
    }

    public enum Status: String, Sendable, Hashable {
        /// Not started, or stopped: the first frame comes next.
        case stopped
        case playing
        case paused
        /// All loops have ended; the last frame stays.
        case finished
    }

    struct State {
        var timeline: AnimationTimeline
        var status = Status.stopped
        var rate = 1.0
        var lagPolicy: LagPolicy
        /// The time at which the timeline was updated; nil until the next `advance`.
        var lastTick: Duration?
        var viewer: Int?
        var shown: Frame?
        /// A frame that was due but not decoded. It is delivered even if another one is due by then: otherwise nothing
        /// would be shown where decoding takes longer than a frame lasts.
        var late: Int?
        /// True until the current frame of the timeline has been delivered.
        var owesFrame = true
        /// False until the first frame after the start is delivered; until then the time does not advance.
        var hasBegun = false
        var streams: [Int: AsyncStream<Frame>.Continuation] = [:]
        var nextStream = 0
        var frameHandler: (@Sendable (Frame) -> Void)?
        var loopHandler: (@Sendable (Int) -> Void)?
        var finishHandler: (@Sendable () -> Void)?
    }

    public let image: AnimatedImage
    let clock: AnimationClock
    let state: Locked<State>

    /// - Parameters:
    ///   - image: the animation; several players may share it.
    ///   - repeats: the number of loops.
    ///   - direction: the order of the frames.
    ///   - lagPolicy: the reaction to frames that come too late.
    public convenience init(
        _ image: AnimatedImage, repeats: RepeatMode = .asInFile, direction: Direction = .forwards,
        lagPolicy: LagPolicy = .skip
    ) {
        self.init(image, repeats: repeats, direction: direction, lagPolicy: lagPolicy, clock: .continuous)
    }

    /// - Parameter clock: for `run()` and `frames()`, and for `advance` without an argument.
    package init(
        _ image: AnimatedImage, repeats: RepeatMode = .asInFile, direction: Direction = .forwards,
        lagPolicy: LagPolicy = .skip, clock: AnimationClock
    ) {
        self.image = image
        self.clock = clock
        let limit: Int? =
            switch repeats {
            case .forever: nil
            case .times(let count): max(1, count)
            case .asInFile: image.info.loopCount.flatMap { $0 > 0 ? $0 : nil }
            }
        let durations = image.info.frames.map(\.duration)
        let count = max(1, image.frameCount)
        state = Locked(
            State(
                timeline: AnimationTimeline(
                    durations: durations.count == count ? durations : Array(repeating: 0.1, count: count),
                    direction: direction, loopLimit: limit),
                lagPolicy: lagPolicy))
    }

    deinit {
        let (viewer, streams) = state.withLock { ($0.viewer, $0.streams.values) }
        if let viewer { image.removeViewer(viewer) }
        for stream in streams { stream.finish() }
    }

    // MARK: Control

    /// Starts, or continues after a pause. Restarts after the end.
    public func play() {
        state.withLock { state in
            if state.status == .finished {
                state.timeline.restart()
                state.owesFrame = true
                state.hasBegun = false
            }
            state.status = .playing
            state.lastTick = nil
        }
        attach()
    }

    /// Makes the player a viewer of its image if it is not one yet.
    private func attach() {
        guard let upcoming = state.withLock({ $0.viewer == nil ? $0.upcoming : nil }) else { return }
        let viewer = image.addViewer(upcoming)
        let superfluous = state.withLock { state -> Int? in
            guard state.viewer == nil else { return viewer }
            state.viewer = viewer
            return nil
        }
        if let superfluous { image.removeViewer(superfluous) }
    }

    /// Stays at the current frame.
    ///
    /// - Parameter releasingFrames: true frees the decoded frames, as for a view that is not on the screen; continuing
    ///   costs a little more then. False by default.
    public func pause(releasingFrames: Bool = false) {
        let viewer = state.withLock { state -> Int? in
            if state.status == .playing { state.status = .paused }
            state.lastTick = nil
            guard releasingFrames else { return nil }
            defer { state.viewer = nil }
            return state.viewer
        }
        if let viewer { image.removeViewer(viewer) }
    }

    /// Returns to the beginning and frees the decoded frames.
    public func stop() {
        let viewer = state.withLock { state -> Int? in
            state.timeline.restart()
            state.status = .stopped
            state.lastTick = nil
            state.late = nil
            state.owesFrame = true
            state.hasBegun = false
            defer { state.viewer = nil }
            return state.viewer
        }
        if let viewer { image.removeViewer(viewer) }
    }

    /// Moves to a frame, in any status; completed loops stay counted.
    public func seek(toFrame index: Int) { seek { $0.seek(toFrame: index) } }

    /// Moves to a time, in seconds from the start of the loop.
    public func seek(toSeconds seconds: Double) { seek { $0.seek(toSeconds: seconds) } }

    private func seek(_ body: (inout AnimationTimeline) -> Void) {
        let (viewer, upcoming) = state.withLock { state in
            body(&state.timeline)
            if state.status == .finished { state.status = .paused }
            state.lastTick = nil
            state.late = nil
            state.owesFrame = true
            return (state.viewer, state.upcoming)
        }
        if let viewer { image.moveViewer(viewer, to: upcoming) } else { attach() }
    }

    // MARK: State and settings

    public var status: Status { state.withLock { $0.status } }
    /// The frame that was delivered last.
    public var currentFrame: Frame? { state.withLock { $0.shown } }
    /// The frame that is due, which may not be decoded yet.
    public var currentIndex: Int { state.withLock { $0.timeline.frame } }
    public var completedLoops: Int { state.withLock { $0.timeline.completedLoops } }

    /// The speed; 1 is normal, 0 stops. Negative values count as 0.
    public var rate: Double {
        get { state.withLock { $0.rate } }
        set { state.withLock { $0.rate = newValue.isFinite ? max(0, newValue) : 1 } }
    }

    /// Sets a handler for each delivered frame.
    public func onFrame(_ handler: (@Sendable (Frame) -> Void)?) { state.withLock { $0.frameHandler = handler } }

    /// Sets a handler for the end of a loop, which gets the number of completed loops. Called once even if several loops
    /// ended during a stall.
    public func onLoop(_ handler: (@Sendable (Int) -> Void)?) { state.withLock { $0.loopHandler = handler } }

    /// Sets a handler for the end of the last loop.
    public func onFinish(_ handler: (@Sendable () -> Void)?) { state.withLock { $0.finishHandler = handler } }
}

extension AnimatedImagePlayer.State {
    /// The frames to decode: the late frame first, because its decode has started.
    var upcoming: [Int] {
        let frames = timeline.upcoming(seconds: 0.25 * max(rate, 0.25))
        guard let late, late != frames.first else { return frames }
        return [late] + frames
    }
}
