extension AnimatedImagePlayer {
    /// Plays by the player's own clock until the animation is finished or stopped, or the task is cancelled.
    /// The handlers are called on the way. A pause lasts until `play()` or the end of the task.
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

    /// Hands out the frame that is due, decoding it if need be, then waits for the next one.
    private func step() async throws {
        if advance() == nil, let missing = state.withLock({ $0.owesFrame ? $0.timeline.frame : nil }) {
            do { _ = try await image.decodedFrame(at: missing) } catch is CancellationError {
                throw CancellationError()
            } catch {
                // A damaged frame: the next tick knows, and what was shown before stays for its time.
            }
            advance()
        }
        guard status == .playing else { return }
        if let wait = timeToNextFrame() {
            // Never a busy loop, whatever the clock says.
            try await clock.sleep(max(wait, .milliseconds(1)))
        } else {
            try await clock.sleep(.milliseconds(20))
        }
    }

    /// Plays by the player's own clock and yields each frame at its time; frames that the consumer is too slow for are
    /// left out. The sequence ends with the animation. Leaving the loop pauses the player and gives its frames back.
    public func frames() -> AsyncStream<Frame> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let stream = state.withLock { state in
                state.nextStream += 1
                state.streams[state.nextStream] = continuation
                return state.nextStream
            }
            let task = Task { [weak self] in
                do { try await self?.run() } catch {
                    // Cancelled because nobody reads any more.
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
