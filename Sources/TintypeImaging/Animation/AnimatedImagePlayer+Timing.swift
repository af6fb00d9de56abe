import TintypeBase

extension AnimatedImagePlayer {
    /// The result of one tick.
    fileprivate struct Tick {
        var frame: Frame?
        /// The viewer, and the frames it needs now.
        var wants: (viewer: Int, upcoming: [Int])?
        /// The viewer to remove, because the last frame is shown.
        var leavingViewer: Int?
    }

    /// Advances the animation to a time, at each tick of a view's frame clock. Never blocks.
    ///
    /// The frame that is due is delivered if it is decoded. If not, it is decoded in the background, the previous frame
    /// stays, and a later tick delivers it, or with `LagPolicy.skip` a later frame.
    ///
    /// - Parameter now: the time of the view's own clock, which must not go back. By default that of the player's clock.
    /// - Returns: the frame to show from now on, or nil if nothing changes.
    @discardableResult
    public func advance(to now: Duration? = nil) -> Frame? {
        let now = now ?? clock.now()
        let move = state.withLock { $0.move(to: now) }
        // The image has its own lock, so it is called while that of the player is not held.
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

    /// Returns the time until another frame is due; nil if none is: paused, stopped, finished. For views that draw only
    /// when something changes.
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
    /// A step of the timeline, and the frames to deliver at its end.
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
            tick.frame = deliverable(bitmap, move.due)
        case (.failed?, _):
            // The previous frame stays for the duration of a damaged one.
            (owesFrame, hasBegun, self.late) = (false, true, nil)
        case (_, .ready(let bitmap)?):
            tick.frame = deliverable(bitmap, move.late)
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

    private mutating func deliverable(_ bitmap: Bitmap, _ index: Int?) -> AnimatedImagePlayer.Frame? {
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

extension AnimatedImagePlayer {
    /// Plays on a timer until the animation is finished or stopped, or the task is cancelled, and calls the handlers. A
    /// pause lasts until `play()` or the end of the task.
    public func run() async throws {
        play()
        while true {
            try Task.checkCancellation()
            switch status {
            case .finished, .stopped: return
            case .paused: try await clock.sleep(.milliseconds(20))
            case .playing: try await step()
            }
        }
    }

    /// Delivers the frame that is due, after decoding it if necessary, then waits for the next one.
    private func step() async throws {
        if advance() == nil, let missing = state.withLock({ $0.owesFrame ? $0.timeline.frame : nil }) {
            do { _ = try await image.decodedFrame(at: missing) } catch is CancellationError {
                throw CancellationError()
            } catch {
                // A damaged frame: at the next tick the previous frame stays for its duration.
            }
            advance()
        }
        guard status == .playing else { return }
        if let wait = timeToNextFrame() {
            // Never a busy loop, whatever time the clock returns.
            try await clock.sleep(max(wait, .milliseconds(1)))
        } else {
            try await clock.sleep(.milliseconds(20))
        }
    }

    /// Plays on a timer and yields each frame when it is due; frames are skipped while the consumer is busy. The sequence
    /// ends with the animation. Leaving the loop pauses the player and frees its frames.
    public func frames() -> AsyncStream<Frame> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let stream = state.withLock { state in
                state.nextStream += 1
                state.streams[state.nextStream] = continuation
                return state.nextStream
            }
            let task = Task { [weak self] in
                do { try await self?.run() } catch {
                    // Cancelled because the consumer left the loop.
                }
                continuation.finish()
            }
            continuation.onTermination = { [weak self] reason in
                task.cancel()
                guard let self else { return }
                state.withLock { $0.streams[stream] = nil }
                if case .cancelled = reason { pause(releasingFrames: true) }
            }
        }
    }
}
