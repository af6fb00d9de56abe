import Foundation
import Testing
import TintypeBase

@testable import TintypeImaging

/// A clock that advances only when a task sleeps.
private final class FakeClock: Sendable {
    let time = Locked(Duration.zero)
    var clock: AnimationClock {
        AnimationClock(
            now: { self.time.withLock { $0 } },
            sleep: { duration in
                try Task.checkCancellation()
                self.time.withLock { $0 += duration }
                await Task.yield()
            })
    }
}

@Suite struct AnimatedImagePlayerTests {
    private func image(_ source: CountedFrames) -> AnimatedImage {
        AnimatedImage(source: source, frameByteLimit: 1 << 20, budget: FrameBudget(total: 1 << 30))
    }

    /// Ticks every 10 ms of a view's clock, each time when the frame that is shown and the next one have been decoded.
    private func drive(
        _ player: AnimatedImagePlayer, milliseconds: Int, from start: Int = 0
    ) async -> [(frame: Int, at: Int)] {
        var result: [(Int, Int)] = []
        for now in stride(from: start, through: start + milliseconds, by: 10) {
            _ = await eventually {
                player.status != .playing
                    || player.state.withLock { $0.upcoming }.prefix(2).allSatisfy {
                        player.image.bufferedFrame(at: $0) != nil
                    }
            }
            if let frame = player.advance(to: .milliseconds(now)) { result.append((frame.index, now)) }
        }
        return result
    }

    // Scenario S15 of the conformance list.
    @Test("Played by a view's clock, each frame lasts as long as the rule says")
    func delays() async {
        let player = AnimatedImagePlayer(
            image(CountedFrames(5, durations: [0, 0.01, 0.02, 0.05, 0.1])), repeats: .times(1))
        player.play()
        let shown = await drive(player, milliseconds: 400)
        #expect(shown.map(\.frame) == [0, 1, 2, 3, 4])
        #expect(shown.map(\.at) == [0, 100, 200, 220, 270])
        #expect(player.status == .finished && player.completedLoops == 1)
        #expect(player.currentFrame?.index == 4)
    }

    @Test func `Loops as in the file, n times, for ever; handlers once each`() async {
        for (repeats, inFile, loops) in [
            (.asInFile, 2, 2), (.times(3), 1, 3), (.times(0), 5, 1), (.asInFile, 1, 1),
        ] as [(AnimatedImagePlayer.RepeatMode, Int, Int)] {
            let player = AnimatedImagePlayer(image(CountedFrames(3, loopCount: inFile)), repeats: repeats)
            let events = Locked<[String]>([])
            player.onLoop { loop in events.withLock { $0.append("loop \(loop)") } }
            player.onFinish { events.withLock { $0.append("finish") } }
            player.play()
            let shown = await drive(player, milliseconds: 300 * loops + 200)
            #expect(shown.count == 3 * loops)
            #expect(events.withLock { $0 } == (1...loops).map { "loop \($0)" } + ["finish"])
        }
        for (repeats, inFile) in [(.forever, 1), (.asInFile, 0)] as [(AnimatedImagePlayer.RepeatMode, Int)] {
            let player = AnimatedImagePlayer(image(CountedFrames(2, loopCount: inFile)), repeats: repeats)
            player.play()
            #expect(await drive(player, milliseconds: 2000).count == 21)
            #expect(player.status == .playing)
            player.stop()
        }
    }

    @Test func `Backwards and back and forth`() async {
        let back = AnimatedImagePlayer(image(CountedFrames(4)), repeats: .times(1), direction: .backwards)
        back.play()
        #expect(await drive(back, milliseconds: 600).map(\.frame) == [3, 2, 1, 0])
        let bounce = AnimatedImagePlayer(image(CountedFrames(3)), repeats: .times(1), direction: .backAndForth)
        bounce.play()
        #expect(await drive(bounce, milliseconds: 600).map(\.frame) == [0, 1, 2, 1, 0])
    }

    @Test func `Pause keeps place and time, stop goes back, play after the end begins again`() async {
        let player = AnimatedImagePlayer(image(CountedFrames(5)), repeats: .times(1))
        player.play()
        #expect(await drive(player, milliseconds: 150).map(\.frame) == [0, 1])
        player.pause()
        #expect(await drive(player, milliseconds: 1000, from: 160).isEmpty)
        player.play()
        // 50 ms of frame 1 were over at the pause.
        let resumed = await drive(player, milliseconds: 160, from: 2000)
        #expect(resumed.map(\.frame) == [2, 3] && resumed.map(\.at) == [2050, 2150])
        player.stop()
        #expect(player.status == .stopped && player.currentIndex == 0 && player.currentFrame?.index == 3)
        #expect(await drive(player, milliseconds: 300, from: 3000).isEmpty)
        player.play()
        #expect(await drive(player, milliseconds: 700, from: 4000).map(\.frame) == [0, 1, 2, 3, 4])
        player.play()
        #expect(await drive(player, milliseconds: 100, from: 5000).map(\.frame) == [0, 1])
        player.stop()
    }

    @Test func `Seeking while playing and while paused; the rate`() async {
        let player = AnimatedImagePlayer(image(CountedFrames(10)), repeats: .forever)
        player.play()
        _ = await drive(player, milliseconds: 50)
        player.seek(toFrame: 7)
        #expect(await drive(player, milliseconds: 100, from: 60).map(\.frame) == [7, 8])
        player.pause()
        player.seek(toSeconds: 0.25)
        #expect(await eventually { player.image.bufferedFrame(at: 2) != nil })
        #expect(player.advance(to: .milliseconds(500))?.index == 2)
        #expect(player.advance(to: .milliseconds(900)) == nil)
        player.rate = 2
        player.play()
        // 50 ms of frame 2 are left, 25 at double speed.
        let fast = await drive(player, milliseconds: 130, from: 1000)
        #expect(fast.map(\.frame) == [3, 4, 5] && fast.map(\.at) == [1030, 1080, 1130])
        player.rate = 0
        #expect(await drive(player, milliseconds: 500, from: 2000).isEmpty)
        #expect(player.timeToNextFrame(at: .milliseconds(2500)) == nil)
        player.stop()
    }

    @Test func `A late tick skips frames, or with the other policy shows every one`() async {
        let skipping = AnimatedImagePlayer(image(CountedFrames(10)), repeats: .forever)
        skipping.play()
        #expect(await drive(skipping, milliseconds: 0).map(\.frame) == [0])
        skipping.advance(to: .milliseconds(550))
        #expect(await eventually { skipping.image.bufferedFrame(at: 5) != nil })
        #expect(await drive(skipping, milliseconds: 60, from: 560).map(\.frame).last == 6)
        let waiting = AnimatedImagePlayer(image(CountedFrames(10)), repeats: .forever, lagPolicy: .wait)
        waiting.play()
        #expect(await drive(waiting, milliseconds: 0).map(\.frame) == [0])
        waiting.advance(to: .milliseconds(550))
        #expect(waiting.currentIndex == 1)
        _ = await drive(waiting, milliseconds: 110, from: 560)
        #expect(waiting.currentIndex == 2)
        skipping.stop()
        waiting.stop()
    }

    @Test func `What is not decoded yet comes late rather than never`() async {
        let source = CountedFrames(30, durations: Array(repeating: 0.02, count: 30))
        let image = AnimatedImage(source: source, frameByteLimit: 256, budget: FrameBudget(total: 1 << 30))
        let player = AnimatedImagePlayer(image, repeats: .forever)
        player.play()
        var shown: [Int] = []
        // Every tick comes three frames later; there is room for a single frame, and decoding takes a tick.
        for tick in 0..<40 {
            if let frame = player.advance(to: .milliseconds(tick * 60)) { shown.append(frame.index) }
            try? await Task.sleep(for: .milliseconds(3))
        }
        #expect(shown.count >= 10, "\(shown)")
        player.stop()
    }

    @Test func `A damaged frame leaves the one before on the screen`() async {
        let source = CountedFrames(4)
        source.damaged = [0, 2]
        for policy in AnimatedImagePlayer.LagPolicy.allCases {
            let player = AnimatedImagePlayer(image(source), repeats: .times(1), lagPolicy: policy)
            player.play()
            var shown: [Int] = []
            for now in stride(from: 0, through: 700, by: 10) {
                try? await Task.sleep(for: .milliseconds(2))
                if let frame = player.advance(to: .milliseconds(now)) { shown.append(frame.index) }
            }
            #expect(shown == [1, 3] && player.status == .finished, "\(policy)")
        }
    }

    @Test func `By its own timer: frames as a sequence, with their times`() async {
        let time = FakeClock()
        let player = AnimatedImagePlayer(
            image(CountedFrames(4, durations: [0.1, 0.2, 0.05, 0.3])), repeats: .times(2), clock: time.clock)
        let times = Locked<[(Int, Duration)]>([])
        player.onFrame { frame in times.withLock { $0.append((frame.index, time.time.withLock { $0 })) } }
        var last = -1
        for await frame in player.frames() { last = frame.index }
        #expect(last == 3 && player.status == .finished)
        let seen = times.withLock { $0 }
        #expect(seen.map(\.0) == [0, 1, 2, 3, 0, 1, 2, 3])
        let wanted = [0, 0.1, 0.3, 0.35, 0.65, 0.75, 0.95, 1.0]
        for (entry, seconds) in zip(seen, wanted) { #expect(abs(entry.1.inSeconds - seconds) < 0.01) }
    }

    @Test func `Leaving the sequence pauses and gives the frames back`() async {
        let source = CountedFrames(5)
        let image = image(source)
        let player = AnimatedImagePlayer(image, repeats: .forever)
        for await frame in player.frames() where frame.index == 1 { break }
        #expect(await eventually { image.cost == 0 })
        #expect(player.status == .paused)
    }

    @Test func `A player that goes, and one that has finished, give the frames back`() async {
        let image = image(CountedFrames(3, loopCount: 1))
        do {
            let player = AnimatedImagePlayer(image)
            player.play()
            #expect(await eventually { image.bufferedFrame(at: 2) != nil })
        }
        #expect(image.cost == 0)
        let player = AnimatedImagePlayer(image)
        player.play()
        _ = await drive(player, milliseconds: 500)
        #expect(player.status == .finished && image.cost == 0)
        #expect(player.currentFrame?.index == 2)
    }

    @Test func `How long until something changes`() async {
        let player = AnimatedImagePlayer(image(CountedFrames(3)), repeats: .forever)
        #expect(player.timeToNextFrame(at: .zero) == nil)
        player.play()
        #expect(player.timeToNextFrame(at: .zero) == .zero)
        _ = await drive(player, milliseconds: 0)
        #expect(player.timeToNextFrame(at: .milliseconds(30)).map { abs($0.inSeconds - 0.07) < 1e-6 } == true)
        player.pause()
        #expect(player.timeToNextFrame(at: .milliseconds(30)) == nil)
        player.stop()
    }
}
