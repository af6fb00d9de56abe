import TintypeBase

extension AnimatedImagePlayer {
    /// What one tick found out.
    fileprivate struct Tick {
        var frame: Frame?
        /// The viewer, and what it wants now.
        var wants: (viewer: Int, upcoming: [Int])?
        /// Not needed any more: all is over and shown.
        var leavingViewer: Int?
    }

    /// Brings the animation to this moment: for a view, each time its frame clock ticks. Never blocks.
    ///
    /// The frame that is due is handed out if it is decoded. If not, it is decoded in the background, what was shown
    /// stays, and a later tick hands it out, or with `LagPolicy.skip` a still later one.
    ///
    /// - Parameter now: of the view's own clock, which must not go back. By default that of the player.
    /// - Returns: the frame to show from now on, or nil if nothing changes.
    @discardableResult
    public func advance(to now: Duration? = nil) -> Frame? {
        let now = now ?? clock.now()
        let move = state.withLock { $0.move(to: now) }
        // The image has a lock of its own: asked between two takings of the player's.
        let due = move.due.map { image.readiness(of: $0) }
        let late = move.late.map { image.readiness(of: $0) }
        let tick = state.withLock { $0.take(move, due, late) }
        if let wants = tick.wants { image.moveViewer(wants.viewer, to: wants.upcoming) }
        if let viewer = tick.leavingViewer { image.removeViewer(viewer) }
        deliver(tick.frame, move)
        return tick.frame
    }

    private func deliver(_ frame: Frame?, _ move: State.Move) {
        guard frame != nil || move.endedLoops > 0 || move.hasFinished else { return }
        let (onFrame, onLoop, onFinish, streams) = state.withLock {
            ($0.frameHandler, $0.loopHandler, $0.finishHandler, Array($0.streams.values))
        }
        if let frame {
            onFrame?(frame)
            for stream in streams { stream.yield(frame) }
        }
        if move.endedLoops > 0 { onLoop?(move.completedLoops) }
        if move.hasFinished { onFinish?() }
    }

    /// How long from this moment until another frame is due; nil if none is: paused, stopped, finished.
    /// For views that draw only when something changes.
    public func timeToNextFrame(at now: Duration? = nil) -> Duration? {
        let now = now ?? clock.now()
        return state.withLock { state in
            guard state.status == .playing, state.rate > 0 else { return nil }
            if state.owesFrame { return .zero }
            let passed = state.lastTick.map { (now - $0).inSeconds } ?? 0
            return .seconds(max(0, state.timeline.remaining / state.rate - passed))
        }
    }
}

extension AnimatedImagePlayer.State {
    /// How the timeline went on at one moment, and what is to be handed out then.
    struct Move {
        var due: Int?
        var late: Int?
        var endedLoops = 0
        var completedLoops = 0
        var hasFinished = false
        var hasMoved = false
    }

    mutating func move(to now: Duration) -> Move {
        var result = Move()
        if status == .playing {
            let passed = lastTick.map { max(0, (now - $0).inSeconds) } ?? 0
            lastTick = now
            let before = (timeline.step, timeline.completedLoops)
            if hasBegun, lagPolicy == .skip || !owesFrame {
                result.endedLoops = timeline.advance(by: passed * rate, stepLimit: lagPolicy == .wait ? 1 : .max)
            }
            if before != (timeline.step, timeline.completedLoops) {
                result.hasMoved = true
                if owesFrame, late == nil { late = timeline.frame(atStep: before.0) }
                owesFrame = timeline.frame != shown?.index
            }
            if timeline.isFinished {
                status = .finished
                result.hasFinished = true
            }
        }
        result.completedLoops = timeline.completedLoops
        guard viewer != nil else { return result }
        if owesFrame { result.due = timeline.frame }
        result.late = late
        return result
    }

    fileprivate mutating func take(
        _ move: Move, _ due: AnimatedImage.Readiness?, _ late: AnimatedImage.Readiness?
    ) -> AnimatedImagePlayer.Tick {
        var tick = AnimatedImagePlayer.Tick()
        switch (due, late) {
        case (.ready(let bitmap)?, _):
            tick.frame = handOut(bitmap, move.due)
        case (.failed?, _):
            // What was shown stays for the time of a damaged frame.
            (owesFrame, hasBegun, self.late) = (false, true, nil)
        case (_, .ready(let bitmap)?):
            tick.frame = handOut(bitmap, move.late)
        case (_, .failed?):
            self.late = nil
        default: break
        }
        if status == .finished, !owesFrame {
            tick.leavingViewer = viewer
            viewer = nil
        } else if let viewer, move.hasMoved || tick.frame != nil {
            tick.wants = (viewer, upcoming)
        }
        return tick
    }

    private mutating func handOut(_ bitmap: Bitmap, _ index: Int?) -> AnimatedImagePlayer.Frame? {
        guard let index else { return nil }
        let frame = AnimatedImagePlayer.Frame(
            bitmap: bitmap, index: index, completedLoops: timeline.completedLoops)
        shown = frame
        owesFrame = timeline.frame != index
        hasBegun = true
        late = nil
        return frame
    }
}
