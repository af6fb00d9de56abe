import TintypeBase

/// Plays an `AnimatedImage`: knows which frame is due, hands it out, counts loops.
///
/// Either a view drives it with its frame clock, by calling `advance(to:)` each time it draws, or it drives itself
/// with a timer (`frames()`, or `run()`). Safe to use from any thread; the handlers are called on the thread that
/// calls `advance(to:)`, or on the task that runs it.
public final class AnimatedImagePlayer: Sendable {
    /// In which order the frames come.
    public enum Direction: String, Sendable, Hashable, CaseIterable {
        case forwards
        case backwards
        /// Up and down again; both count as one loop.
        case backAndForth
    }

    /// How many loops are played.
    public enum RepeatMode: Sendable, Hashable {
        /// As the file says.
        case asInFile
        /// This many in total, at least one.
        case times(Int)
        case forever
    }

    /// What happens when frames come too late, because decoding or drawing is slow.
    public enum LagPolicy: String, Sendable, Hashable, CaseIterable {
        /// The time goes on and frames are left out.
        case skip
        /// Every frame is shown, and the animation takes longer.
        case wait
    }

    /// What is being shown.
    public struct Frame: Sendable {
        public var bitmap: Bitmap
        public var index: Int
        /// Loops that were over before this frame.
        public var completedLoops: Int
    }

    public enum Status: String, Sendable, Hashable {
        /// Not begun, or stopped: the first frame comes next.
        case stopped
        case playing
        case paused
        /// All loops are over; the last frame stays.
        case finished
    }

    struct State {
        var timeline: AnimationTimeline
        var status = Status.stopped
        var rate = 1.0
        var lagPolicy: LagPolicy
        /// The clock when the timeline was brought up to date; nil until the next `advance`.
        var lastTick: Duration?
        var viewer: Int?
        var shown: Frame?
        /// A frame that was due and not decoded. It is handed out even if another one is due when it comes: else
        /// nothing would ever be seen where decoding takes longer than a frame lasts.
        var late: Int?
        /// True until the frame at which the timeline is has been handed out.
        var owesFrame = true
        /// False until the first frame after the start was handed out; the time stands still before.
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
    ///   - image: what is played; several players may share it.
    ///   - repeats: how many loops.
    ///   - direction: in which order the frames come.
    ///   - lagPolicy: what happens when frames come too late.
    ///   - clock: for `run()` and `frames()`, and for `advance` without an argument.
    public init(
        _ image: AnimatedImage, repeats: RepeatMode = .asInFile, direction: Direction = .forwards,
        lagPolicy: LagPolicy = .skip, clock: AnimationClock = .continuous
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

    /// Begins, or goes on after a pause. After the end it begins again.
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

    /// Makes the player a viewer of its image, if it is none yet.
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

    /// Stays at the present frame.
    ///
    /// - Parameter releasingFrames: gives the decoded frames back, as for a view that is not on the screen; playing
    ///   on costs a little more then. False by default.
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

    /// Goes back to the beginning and gives the decoded frames back.
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

    /// Goes to a frame, in whatever status; the loops that are over stay counted.
    public func seek(toFrame index: Int) { seek { $0.seek(toFrame: index) } }

    /// Goes to a moment, in seconds from the start of the loop.
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

    // MARK: Facts and settings

    public var status: Status { state.withLock { $0.status } }
    /// The frame that was handed out last.
    public var currentFrame: Frame? { state.withLock { $0.shown } }
    /// The frame that is due, which may not be decoded yet.
    public var currentIndex: Int { state.withLock { $0.timeline.frame } }
    public var completedLoops: Int { state.withLock { $0.timeline.completedLoops } }

    /// How fast time passes; 1 is normal. 0 and less stand still.
    public var rate: Double {
        get { state.withLock { $0.rate } }
        set { state.withLock { $0.rate = newValue.isFinite ? max(0, newValue) : 1 } }
    }

    /// Called with each frame when it is handed out.
    public func onFrame(_ handler: (@Sendable (Frame) -> Void)?) { state.withLock { $0.frameHandler = handler } }

    /// Called when a loop is over, with the number of loops that are; once even if a stall made several end at once.
    public func onLoop(_ handler: (@Sendable (Int) -> Void)?) { state.withLock { $0.loopHandler = handler } }

    /// Called once when all loops are over.
    public func onFinish(_ handler: (@Sendable () -> Void)?) { state.withLock { $0.finishHandler = handler } }
}

extension AnimatedImagePlayer.State {
    /// What the image is to decode: the late frame first, because it is on its way already.
    var upcoming: [Int] {
        let frames = timeline.upcoming(seconds: 0.25 * max(rate, 0.25))
        guard let late, late != frames.first else { return frames }
        return [late] + frames
    }
}
